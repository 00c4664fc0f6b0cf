"""The process of a table: a child of the hall that plays one match."""

import sys
from collections.abc import Sequence

import msgspec

from arena.server.child_process import ChildProcess
from arena.server.table_process.messages import Broken, Compiling, Forward, Ready, Stored

COMMAND = (sys.executable, "-P", "-m", "arena.server.table_process")
"""What plays a match that the hall describes."""


class Passed(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="envelope"):
    """An Envelope whose message is handed on as it is."""

    seat: int
    message: msgspec.Raw


Heard = Passed | Compiling | Ready | Stored | Broken | Forward


class TableProcess(ChildProcess[Heard]):
    """One match, played in a process of its own."""

    def __init__(self, command: Sequence[str] = COMMAND) -> None:
        super().__init__(command, msgspec.json.Decoder(Heard))
