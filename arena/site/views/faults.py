"""The faults of a match with all that is stored of them: what a bot printed is for its author and the organiser."""

import msgspec

from arena.errors import one_line, printable
from arena.hall.finding import with_faults
from arena.records import FaultRecord
from arena.site.asked import Asked
from arena.site.views.match import check_id, located

_LETTERS = 4096


class FaultsQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The faults take no parameters."""


class Faults(msgspec.Struct, frozen=True, kw_only=True):
    """The faults of a match; of each seat the first few."""

    faults: list[FaultRecord]
    """Each fault with its reason, with how the bot's process ended and with the end of what the bot printed."""


def match_faults(asked: Asked[FaultsQuery]) -> Faults:
    """The data of `/api/m/ID/faults`. Raises Problem 404."""
    check_id(asked.place["id"])
    folder, record, _ = located(asked.library, asked.place["id"])
    return Faults(faults=[_readable(fault) for fault in with_faults(record, folder).faults])


def _readable(fault: FaultRecord) -> FaultRecord:
    """The fault with texts that can be shown: bots wrote parts of them."""
    return FaultRecord(
        seat=fault.seat, decision=fault.decision, ending=fault.ending,
        reason=printable(fault.reason.partition("\nit printed: ")[0], _LETTERS), output=printable(fault.output, _LETTERS),
        exit=one_line(printable(fault.exit, _LETTERS)),
    )  # fmt: skip
