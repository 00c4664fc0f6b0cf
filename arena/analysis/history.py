"""How the ratings came about: what was believed at some points of the plan. Pure: no files, no clock.

By both models: `trueskill` as it was played, match after match; `trueskill-batch` by the matches up to there, all at once.
"""

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from arena.ratings.factor_graph import fold, new_workspace
from arena.ratings.models import headline_first
from arena.ratings.patterns import Patterns, patterns_of
from arena.ratings.rows import Beliefs, PoolRows
from arena.ratings.settings import BATCH_MODEL, MODEL, RatingSettings
from arena.ratings.trueskill_batch import State, solve
from arena.records import HistoryPoint

POINTS = 200  # of a pool, besides the beginning: more than a screen can show
MOST_SOLVED = 250_000  # results (patterns) at all points of all pools together: some five seconds of a core at tables of four
LEAST_POINTS = 5
SMALLEST_CHANGE = 1e-6  # of a mean, in standard deviations of a performance: finer than any drawing


def history(pools: Mapping[str, PoolRows], settings: RatingSettings, points: int = POINTS) -> list[HistoryPoint]:
    """The beliefs about all bots before the first match and after evenly spaced ones, the last included; pool by pool."""
    patterns = {pool: patterns_of(rows) for pool, rows in pools.items()}
    results = sum(len(found.starts) - 1 for found in patterns.values())
    of_batch = min(points, max(LEAST_POINTS, MOST_SOLVED // max(1, results)))
    found: list[HistoryPoint] = []
    for pool, rows in pools.items():
        for model in headline_first(settings):
            found += (
                _online(pool, rows, settings, points)
                if model == MODEL
                else _batch(pool, rows, patterns[pool], settings, of_batch)
            )  # fmt: skip
    return found


def _online(pool: str, rows: PoolRows, settings: RatingSettings, points: int) -> Iterator[HistoryPoint]:
    """The history as it was played: every match updates the beliefs that the matches before it left."""
    bots = len(rows.bots_by_number)
    mu, sigma, work = np.full(bots, settings.mu), np.full(bots, settings.sigma), new_workspace()
    begin = 0
    for end in _ends(rows, points):
        starts = rows.starts[begin : end + 1]
        fold(mu, sigma, starts, rows.bots, rows.units, rows.places, settings.beta, settings.tau, settings.margin, work)
        begin = end
        yield from _points(MODEL, pool, rows, end, Beliefs(mu, sigma))


def _batch(
    pool: str, rows: PoolRows, patterns: Patterns, settings: RatingSettings, points: int
) -> Iterator[HistoryPoint]:  # fmt: skip
    """The history by the first matches of the plan, all at once; each point begins with what the one before it found."""
    state = State.new(patterns, settings)
    order = np.array([patterns.bots_by_number.index(bot) for bot in rows.bots_by_number], np.int64)
    for end in _ends(rows, points):
        solve(patterns, patterns.counts_of(end), state, settings, smallest_change=SMALLEST_CHANGE)
        found = state.beliefs(patterns.bots_by_number, settings)
        yield from _points(BATCH_MODEL, pool, rows, end, Beliefs(found.mu[order], found.sigma[order]))


def _ends(rows: PoolRows, points: int) -> list[int]:
    return sorted({rows.matches * number // points for number in range(points + 1)})


def _points(model: str, pool: str, rows: PoolRows, end: int, beliefs: Beliefs) -> Iterator[HistoryPoint]:
    """A point for every bot, after the first `end` matches of the pool; none where no numbers came out."""
    if not (np.isfinite(beliefs.mu).all() and np.isfinite(beliefs.sigma).all()):
        return
    played: NDArray[np.int64] = np.bincount(rows.bots[: rows.starts[end]], minlength=len(rows.bots_by_number))
    for number, (bot, version) in enumerate(rows.bots_by_number):
        yield HistoryPoint(
            model=model, pool=pool, bot=bot, bot_version=version, pool_matches=end, matches=int(played[number]),
            mu=float(beliefs.mu[number]), sigma=float(beliefs.sigma[number]),
        )  # fmt: skip
