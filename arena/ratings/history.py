"""How the ratings came about: what was believed at some points of the plan. Pure: no files, no clock.

By all models: those that know an order as it was played, match after match; the others by the matches up to there, all at once.
"""

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from arena.ratings.beliefs import believe_along
from arena.ratings.models import MODELS
from arena.ratings.patterns import patterns_of
from arena.ratings.rows import Beliefs, PoolRows
from arena.ratings.settings import RatingSettings, headline_first
from arena.records import HistoryPoint

POINTS = 200  # of a pool, besides the beginning: more than a screen can show
MOST_SOLVED = 250_000  # results (patterns) at all points of all pools together: some five seconds of a core at tables of four
LEAST_POINTS = 5


def history(pools: Mapping[str, PoolRows], settings: RatingSettings, points: int = POINTS) -> list[HistoryPoint]:
    """The beliefs about all bots before the first match and after evenly spaced ones, the last included; pool by pool."""
    results = sum(len(patterns_of(rows).starts) - 1 for rows in pools.values())
    at_once = min(points, max(LEAST_POINTS, MOST_SOLVED // max(1, results)))
    found: list[HistoryPoint] = []
    for pool, rows in pools.items():
        for model in headline_first(settings):
            ends = _ends(rows, at_once if MODELS[model].is_order_free else points)
            for end, beliefs in zip(ends, believe_along(model, rows, settings, ends)):
                found += _points(model, pool, rows, end, beliefs)
    return found


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
