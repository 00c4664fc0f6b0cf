"""The line between a child process and the process that started it: JSON lines on what were stdin and stdout at its start.

The line between the ladder's process and the hall: JSON lines on what were stdin and stdout when the process began.
"""

import os
import sys
import threading
from collections.abc import Callable

import msgspec

from arena.errors import ConfigError, printable
from arena.server.contest.messages import Begin, Freeze, FromLadder, LookNow


class ParentLine:
    """The only reader of stdin and the only writer of stdout: whatever a bot prints goes to stderr, and it reads nothing."""

    def __init__(self) -> None:
        """Take stdin and stdout away from everybody else in this process."""
        self._in = os.fdopen(os.dup(0), "rb")
        self._out = os.dup(1)
        self._lock = threading.Lock()
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)

    def readline(self) -> bytes:
        """The next line; empty: the parent is gone."""
        return self._in.readline()

    def watch(self, take: Callable[[bytes], object], end: Callable[[], object]) -> None:
        """Give every further line to `take`, from a thread of its own. The end of the line ends the process at once.

        `end`: called before, to end what this process has started.
        """
        threading.Thread(target=self._listen, args=(take, end), name="parent", daemon=True).start()

    def send(self, message: msgspec.Struct) -> None:
        """Write a message. If nobody reads any more, the process ends."""
        data = memoryview(msgspec.json.encode(message) + b"\n")
        with self._lock:
            try:
                while data:
                    data = data[os.write(self._out, data) :]
            except BrokenPipeError:
                os._exit(0)

    def _listen(self, take: Callable[[bytes], object], end: Callable[[], object]) -> None:
        for line in self._in:
            take(line)
        end()
        os._exit(0)


LAST_SECONDS = 120.0
"""How long the process may take to write its results when the hall is gone."""
_BEGIN = msgspec.json.Decoder(Begin)
_MESSAGE: msgspec.json.Decoder[LookNow | Freeze] = msgspec.json.Decoder(LookNow | Freeze)
_SHOWN = 200  # characters of a line that cannot be read


class HallLine:
    """The only reader of stdin and the only writer of stdout: whatever else is printed goes to stderr."""

    def __init__(self) -> None:
        """Take stdin and stdout away from everybody else in this process."""
        self._in = os.fdopen(os.dup(0), "rb")
        self._out = os.dup(1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        self.is_over = False
        """Whether the hall has gone, or has hung up."""
        self.is_new = False
        """Whether the hall said that something has changed; who looks sets it back."""
        self.is_freezing = False
        """Whether the organiser wants the marks frozen now."""
        self._news = threading.Event()

    def begin(self) -> Begin | None:
        """The first line; then the others are heard. None: the hall is gone. Raises ConfigError for a line that is no Begin."""
        line = self._in.readline()
        if not line:
            return None
        try:
            found = _BEGIN.decode(line)
        except msgspec.MsgspecError as error:
            raise ConfigError(f"the first line to a ladder is a Begin as JSON: {error}; got {_shown(line)}") from None
        threading.Thread(target=self._listen, name="hall", daemon=True).start()
        return found

    def wait(self, seconds: float) -> None:
        """Wait until the hall says something, or for so long."""
        self._news.wait(seconds)
        self._news.clear()

    def send(self, message: FromLadder) -> None:
        """Write a message. If nobody reads any more, the ladder ends as when the hall hangs up."""
        data = memoryview(msgspec.json.encode(message) + b"\n")
        try:
            while data:
                data = data[os.write(self._out, data) :]
        except BrokenPipeError:
            self._hang_up()

    def _listen(self) -> None:
        for line in self._in:
            try:
                message = _MESSAGE.decode(line)
            except (msgspec.MsgspecError, RecursionError) as error:
                print(f"ladder: not a message: {error}; got {_shown(line)}", file=sys.stderr, flush=True)
                continue
            if isinstance(message, Freeze):
                self.is_freezing = True
            self.is_new = True
            self._news.set()
        self._hang_up()

    def _hang_up(self) -> None:
        if not self.is_over:
            self.is_over = True
            self._news.set()
            timer = threading.Timer(LAST_SECONDS, os._exit, [0])  # all that is known is stored already
            timer.daemon = True
            timer.start()


def _shown(line: bytes) -> str:
    return repr(printable(line[: _SHOWN + 1].decode("utf-8", "replace").strip(), _SHOWN))
