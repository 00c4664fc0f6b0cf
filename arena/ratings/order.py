"""What the order of the matches has to do with the ratings: how they came about, and what another order would give.

History: what was believed at some points of the plan. By models that know an order as it was played, match after match; by
the others from the matches up to there, all at once.

Shifts: what the order does to the ratings that depend on it: the same matches, shuffled and rated again. Pure: no files, no
clock.
"""

import hashlib
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from arena.engine.rng import derive
from arena.ratings import trueskill
from arena.ratings.beliefs import believe_along
from arena.ratings.models import is_order_free
from arena.ratings.patterns import patterns_of
from arena.ratings.rows import Beliefs, PoolRows
from arena.ratings.settings import RatingSettings, headline_first
from arena.ratings.standings import RATING_SIGMAS
from arena.records import HistoryPoint
from arena.results.manifest import OrderShifts

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
            ends = _ends(rows, at_once if is_order_free(model) else points)
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


ORDERS = 20
MOST_MATCHES = 50_000  # of a pool that a tournament shuffles when it ends: some seconds for all orders


def largest_shifts(
    pools: Mapping[str, PoolRows], settings: RatingSettings, purpose: str, *, orders: int = ORDERS, most: int | None = None
) -> OrderShifts:
    """Return how far the ranks of the model `trueskill` move when the matches come in other orders.

    `purpose`: what fixes the orders, so that they are the same whenever one looks; `most`: larger pools are left out.
    """
    key = hashlib.sha256(purpose.encode()).digest()
    ranks = {
        pool: largest_shift(rows, settings, np.random.default_rng(derive(key, "orders", pool)), orders)
        for pool, rows in pools.items()
        if rows.matches and (most is None or rows.matches <= most)
    }
    return OrderShifts(orders, ranks)


def largest_shift(rows: PoolRows, settings: RatingSettings, rng: np.random.Generator, orders: int = ORDERS) -> int:
    """Return how far a rank moves at most in `orders` random orders of the matches, from that in plan order."""
    planned = online_ranks(rows, settings)
    shifts = [
        int(np.max(np.abs(online_ranks(in_order(rows, rng.permutation(rows.matches)), settings) - planned), initial=0))
        for _ in range(orders)
    ]
    return max(shifts, default=0)


def online_ranks(rows: PoolRows, settings: RatingSettings) -> NDArray[np.int64]:
    """[bots]: the ranks by the model `trueskill`; equal ratings share one."""
    found = trueskill.rate(rows, settings)
    ratings = found.mu - RATING_SIGMAS * found.sigma
    ranks: NDArray[np.int64] = 1 + (ratings[None, :] > ratings[:, None]).sum(axis=1)
    return ranks


def in_order(rows: PoolRows, order: NDArray[np.int64]) -> PoolRows:
    """The same matches in another order. `order` [matches]: which match comes at each place."""
    sizes = np.diff(rows.starts)[order]
    ends = np.cumsum(sizes)
    seats = np.arange(len(rows.bots)) + np.repeat(rows.starts[:-1][order] - (ends - sizes), sizes)
    return PoolRows(
        rows.bots_by_number, np.concatenate([np.zeros(1, np.int64), ends]), rows.deals[order], rows.bots[seats],
        rows.units[seats], rows.places[seats], rows.scores[seats], rows.faults[seats],
        named_losers=rows.names_loser[order],
    )  # fmt: skip
