"""The faults of a match; what shows the source or the output of a bot is for its author and the organisers alone."""

import msgspec

from arena.errors import one_line, printable, without_trace
from arena.records import FaultRecord
from arena.server.asked import Asked
from arena.server.views.hearers import heard_seats
from arena.server.views.match import checked_id, located
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
    reason = fault.reason.partition("\nit printed: ")[0]
    return FaultRecord(
        seat=fault.seat, decision=fault.decision, ending=fault.ending,
        reason=printable(reason if is_heard else without_trace(reason), _LETTERS), output=output,
        exit=one_line(printable(fault.exit, _LETTERS)),
    )  # fmt: skip
