"""What the order of the matches does to the ratings that depend on it: the same matches, shuffled and rated again."""

import hashlib
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from arena.engine.rng import derive
from arena.ratings import trueskill
from arena.ratings.rows import PoolRows
from arena.ratings.settings import RatingSettings
from arena.ratings.standings import RATING_SIGMAS
from arena.results.manifest import OrderShifts

ORDERS = 20
MOST_MATCHES = 50_000  # of a pool that a tournament shuffles when it ends: some seconds for all orders


def largest_shifts(
    pools: Mapping[str, PoolRows], settings: RatingSettings, purpose: str, *, orders: int = ORDERS, most: int | None = None
) -> OrderShifts:
    """How far the ranks of the model `trueskill` move when the matches come in other orders.

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
    """How far a rank moves at most in `orders` random orders of the matches, from that in plan order."""
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
    )  # fmt: skip
