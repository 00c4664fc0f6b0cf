"""The line between a table's process and the hall."""

import os
import sys
from collections.abc import Callable

import msgspec

from arena.errors import ConfigError, printable
from arena.server.contest.parent_line import ParentLine
from arena.server.table_process.messages import Setup, Stop, Stored, ToTable

_SETUP = msgspec.json.Decoder(Setup)
_MESSAGE: msgspec.json.Decoder[ToTable] = msgspec.json.Decoder(ToTable)
_SHOWN = 200  # characters of a line that cannot be read


class HallLine(ParentLine):
    """The line of a table's process."""

    def setup(self) -> Setup | None:
        """The first line; None: the hall is gone. Raises ConfigError for a line that is no Setup."""
        line = self.readline()
        if not line:
            return None
        try:
            return _SETUP.decode(line)
        except msgspec.MsgspecError as error:
            raise ConfigError(f"the first line to a table is its Setup as JSON: {error}; got {_shown(line)}") from None

    def listen(self, take: Callable[[ToTable], object], end: Callable[[], object]) -> None:
        """Give every message to `take`, from a thread of its own. A Stop, and the end of the line, end the process at once.

        `end`: called before, to end what this process has started. A line that is no message is reported on stderr.
        """

        def heard(line: bytes) -> None:
            try:
                message = _MESSAGE.decode(line)
            except (msgspec.MsgspecError, RecursionError) as error:
                print(f"table: not a message: {error}; got {_shown(line)}", file=sys.stderr, flush=True)
                return
            if isinstance(message, Stop):
                end()
                self.send(Stored(match_id=None))
                os._exit(0)
            take(message)

        self.watch(heard, end)


def _shown(line: bytes) -> str:
    return repr(printable(line[: _SHOWN + 1].decode("utf-8", "replace").strip(), _SHOWN))
