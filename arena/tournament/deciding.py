"""What the rows of a tournament say: who is rated how, how that came about, and how sure it is."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from arena.ratings.order import MOST_MATCHES, history, largest_shifts
from arena.ratings.overall import pool_weights
from arena.ratings.rows import PoolRows
from arena.ratings.settings import RatingSettings
from arena.ratings.standings import Savings, rate_and_compare
from arena.ratings.stored import COLUMNS, measured_entries, stored_pools
from arena.records import HistoryPoint, Rating
from arena.results import parquet
from arena.results.manifest import OrderShifts
from arena.tournament.formats.plan import Plan


@dataclass(frozen=True)
class Decided:
    """What some rows say of the bots that played them."""

    ratings: list[Rating]
    """The ratings by model and pool, best first, then overall."""
    saved: Savings
    """What rotations, and luck taken out, were worth."""
    history: list[HistoryPoint]
    order_shifts: OrderShifts
    """How far ranks move when the same matches come in other orders."""


def decide(
    pools: Mapping[str, PoolRows], settings: RatingSettings, weights: Mapping[str, float], plan_sha256: str
) -> Decided:  # fmt: skip
    """Rate the rows of all pools: a pure function of them. `weights`: of the pools; `plan_sha256`: fixes the other orders."""
    ratings, saved = rate_and_compare(pools, settings, weights=weights)
    shifts = largest_shifts(pools, settings, plan_sha256, most=MOST_MATCHES)
    return Decided(ratings, saved, history(pools, settings), shifts)


def rated_rows(
    folder: Path, plan: Plan, settings: RatingSettings, *, without: Collection[str], with_luck: bool
) -> dict[str, PoolRows]:  # fmt: skip
    """The rows of matches.parquet that are rated, by pool with its whole field.

    `without`: names of bots whose matches are not; `with_luck`: whether each row comes with its luck, which is then taken out.
    """
    columns = parquet.read_columns(folder, COLUMNS)
    return stored_pools(
        columns, plan.pools(with_measured=settings.measured), without=without,
        unrated=() if settings.measured else measured_entries(plan.document["entries"]),
        luck=parquet.read_luck_column(folder, columns.numbers["index"]) if with_luck else None,
    )  # fmt: skip


def weights_of(plan: Plan, settings: RatingSettings) -> dict[str, float]:
    """Return how much each pool counts in the overall ranking."""
    return pool_weights(((entry.pool, entry.game) for entry in plan.entries), settings)
