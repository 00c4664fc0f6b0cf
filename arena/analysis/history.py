"""How the headline ratings came about: what was believed at some points of the plan. Pure: no files, no clock."""

from collections.abc import Iterator, Mapping

import numpy as np

from arena.ratings.factor_graph import fold, new_workspace
from arena.ratings.rows import PoolRows
from arena.ratings.settings import MODEL, RatingSettings
from arena.records import HistoryPoint

POINTS = 200  # of a pool, besides the beginning: more than a screen can show


def history(pools: Mapping[str, PoolRows], settings: RatingSettings, points: int = POINTS) -> list[HistoryPoint]:
    """The beliefs about all bots before the first match and after evenly spaced ones, the last included; pool by pool."""
    return [point for pool, rows in pools.items() for point in _of_pool(pool, rows, settings, points)]


def _of_pool(pool: str, rows: PoolRows, settings: RatingSettings, points: int) -> Iterator[HistoryPoint]:
    bots = len(rows.bots_by_number)
    mu, sigma, work = np.full(bots, settings.mu), np.full(bots, settings.sigma), new_workspace()
    played = np.zeros(bots, np.int64)
    begin = 0
    for end in sorted({rows.matches * number // points for number in range(points + 1)}):
        starts = rows.starts[begin : end + 1]
        fold(mu, sigma, starts, rows.bots, rows.units, rows.places, settings.beta, settings.tau, settings.margin, work)
        played += np.bincount(rows.bots[starts[0] : starts[-1]], minlength=bots)
        begin = end
        for number, (bot, version) in enumerate(rows.bots_by_number):
            yield HistoryPoint(
                model=MODEL, pool=pool, bot=bot, bot_version=version, pool_matches=end, matches=int(played[number]),
                mu=float(mu[number]), sigma=float(sigma[number]),
            )  # fmt: skip
