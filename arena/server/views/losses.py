"""The worst losses of bots: the matches that an author wants to see first."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from arena.ratings.explain import Loss, worst_losses
from arena.ratings.rows import Bot
from arena.ratings.stored import StoredRows
from arena.reports.table import shown
from arena.reports.tables import Lost
from arena.tournament.archive import boards

MOST_LISTED = 40


class PoolLoss(Lost, frozen=True, kw_only=True):
    """The worst loss of one bot."""

    bot: str
    version: int
    shown: str
    """The bot's name as a page shows it."""


def lost_matches(rows: StoredRows, pool: str, losses: Sequence[Loss], folder: Path) -> tuple[Lost, ...]:
    """The matches of some losses in a pool, in their order. `folder`: where the tournament is stored. Raises StoreError."""
    found, numbers = rows.pool_rows(pool), rows.row_numbers(pool)
    ids = boards.read_match_ids(folder, [int(numbers[loss.row]) for loss in losses])
    return tuple(
        Lost(
            match_id=ids[int(numbers[loss.row])],
            seat=loss.row - int(found.starts[found.starts.searchsorted(loss.row, side="right") - 1]), place=loss.place,
            seats=loss.seats, score=loss.score, best_score=loss.best_score, winners=loss.winners, is_fault=loss.is_fault,
        )
        for loss in losses
    )  # fmt: skip


def pool_losses(rows: StoredRows, pool: str, ranked: Sequence[Bot], folder: Path) -> tuple[PoolLoss, ...]:
    """The worst loss of each bot, in the order of `ranked`; a bot that never lost is left out. Raises StoreError."""
    found = rows.pool_rows(pool)
    known = {bot: number for number, bot in enumerate(found.bots_by_number)}
    worst = [
        (bot, loss) for bot in ranked[:MOST_LISTED] if bot in known for loss in worst_losses(found, known[bot], 1)
    ]  # fmt: skip
    matches = lost_matches(rows, pool, [loss for _, loss in worst], folder)
    return tuple(
        PoolLoss(bot=bot[0], version=bot[1], shown=shown(*bot), **msgspec.structs.asdict(match))
        for (bot, _), match in zip(worst, matches)
    )
