"""Worlds that `determinize` samples, for the tests of each room."""

from arena.conformance.tables import resampled
from arena.engine.rng import seed_words


def sampled(game, states, seat, count, seed):
    """`count` states that look to `seat` like this one."""
    rng = seed_words(seed)
    for _ in range(count):
        yield resampled(game, states, seat, rng)
