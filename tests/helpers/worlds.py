"""Worlds that `determinize` samples, for the tests of each room and of what a seat is told."""

from arena.engine.random_tables import resampled
from arena.engine.rng import seed_words


def sampled(game, states, seat, count, seed):
    """`count` states that look to `seat` like this one."""
    rng = seed_words(seed)
    for _ in range(count):
        yield resampled(game, states, seat, rng)


def worlds(game, moment, viewer, count=3):
    """`count` positions that `viewer` cannot tell from that of a decision."""
    rng = moment.rng.copy()
    for _ in range(count):
        yield resampled(game, moment.states, viewer, rng)
