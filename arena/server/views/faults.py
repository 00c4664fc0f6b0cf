"""What went wrong for bots: the faults of a match, and the worst losses. What shows the source or the output of a bot is for
its author and the organisers alone.
"""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from arena.errors import one_line, printable, without_output, without_trace
from arena.ratings.explain import Loss, worst_losses
from arena.ratings.rows import Bot
from arena.ratings.stored import StoredRows
from arena.records import FaultRecord
from arena.reports.table import shown
from arena.reports.tables import Lost
from arena.server.asked import Asked
from arena.server.rights import heard_seats
from arena.server.views.match import checked_id, located
from arena.tournament.archive import boards
from arena.tournament.archive.finding import with_faults

_LETTERS = 4096


class FaultsQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The faults take no parameters."""


class Faults(msgspec.Struct, frozen=True, kw_only=True):
    """The faults of a match; of each seat the first few."""

    faults: list[FaultRecord]
    """Each fault with its reason, how the bot's process ended and, for whom it concerns, the end of what the bot printed."""


def match_faults(asked: Asked[FaultsQuery]) -> Faults:
    """The data of `/api/m/ID/faults`. Raises Problem 404."""
    folder, record, _ = located(asked.library, checked_id(asked))
    heard = heard_seats(asked, record)
    return Faults(faults=[_readable(fault, fault.seat in heard) for fault in with_faults(record, folder).faults])


def _readable(fault: FaultRecord, is_heard: bool) -> FaultRecord:
    """The fault with texts that can be shown: bots wrote parts of them."""
    output = printable(fault.output, _LETTERS) if is_heard else ""
    reason = without_output(fault.reason)
    return FaultRecord(
        seat=fault.seat, decision=fault.decision, ending=fault.ending,
        reason=printable(reason if is_heard else without_trace(reason), _LETTERS), output=output,
        exit=one_line(printable(fault.exit, _LETTERS)),
    )  # fmt: skip


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
