"""The pipe between a child process and the process that started it: JSON lines on what were stdin and stdout at its start."""

import os
import sys
import threading
from collections.abc import Callable
from typing import TypeVar

import msgspec

from arena.errors import ConfigError, printable
from arena.server.contest.messages import Begin, Freeze, LookNow

LAST_SECONDS = 120.0
"""How long the process of a ladder may take to write its results when the server is gone."""
_BEGIN = msgspec.json.Decoder(Begin)
_TO_LADDER: msgspec.json.Decoder[LookNow | Freeze] = msgspec.json.Decoder(LookNow | Freeze)
_SHOWN = 200  # characters of a line that cannot be read

M = TypeVar("M")


class ParentPipe:
    """The only reader of stdin and the only writer of stdout: whatever a bot prints goes to stderr, and it reads nothing."""

    def __init__(self, name: str) -> None:
        """Take stdin and stdout away from everybody else in this process. `name`: what it is, in messages of errors."""
        self._name = name
        self._in = os.fdopen(os.dup(0), "rb")
        self._out = os.dup(1)
        self._lock = threading.Lock()
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)

    def first(self, decoder: msgspec.json.Decoder[M], what: str) -> M | None:
        """Read the first line; None: the parent is gone. Raises ConfigError for a line that is not `what`."""
        line = self._in.readline()
        if not line:
            return None
        try:
            return decoder.decode(line)
        except msgspec.MsgspecError as error:
            raise ConfigError(f"the first line to a {self._name} is {what} as JSON: {error}; got {_shown(line)}") from None

    def listen(self, decoder: msgspec.json.Decoder[M], take: Callable[[M], object], end: Callable[[], object]) -> None:
        """Give every further message to `take`, from a thread of its own. The end of the pipe ends the process at once.

        `end`: called before, to end what this process has started. A line that is no message is reported on stderr.
        """
        threading.Thread(target=self._listen, args=(decoder, take, end), name="parent", daemon=True).start()

    def send(self, message: msgspec.Struct) -> None:
        """Write a message. If nobody reads any more, the process ends."""
        data = memoryview(msgspec.json.encode(message) + b"\n")
        with self._lock:
            try:
                while data:
                    data = data[os.write(self._out, data) :]
            except BrokenPipeError:
                self._hang_up()

    def _listen(self, decoder: msgspec.json.Decoder[M], take: Callable[[M], object], end: Callable[[], object]) -> None:
        for line in self._in:
            try:
                message = decoder.decode(line)
            except (msgspec.MsgspecError, RecursionError) as error:
                print(f"{self._name}: not a message: {error}; got {_shown(line)}", file=sys.stderr, flush=True)
                continue
            take(message)
        end()
        self._hang_up()

    def _hang_up(self) -> None:
        os._exit(0)


class LadderPipe(ParentPipe):
    """The pipe of a ladder's process, which ends as a tournament does at Ctrl-C: all that is played is written first."""

    def __init__(self) -> None:
        """Open the pipe to the server, which started the ladder's process."""
        super().__init__("ladder")
        self.is_over = False
        """Whether the server has gone, or has hung up."""
        self.is_new = False
        """Whether the server said that something has changed; who looks sets it back."""
        self.is_freezing = False
        """Whether the organiser wants the marks frozen now."""
        self._news = threading.Event()

    def begin(self) -> Begin | None:
        """Read the first line, then hear the others. None: the server is gone. Raises ConfigError for one that is no Begin."""
        found = self.first(_BEGIN, "a Begin")
        if found is not None:
            self.listen(_TO_LADDER, self._heard, lambda: None)
        return found

    def wait(self, seconds: float) -> None:
        """Wait until the server says something, or for so long."""
        self._news.wait(seconds)
        self._news.clear()

    def _heard(self, message: LookNow | Freeze) -> None:
        if isinstance(message, Freeze):
            self.is_freezing = True
        self.is_new = True
        self._news.set()

    def _hang_up(self) -> None:
        if not self.is_over:
            self.is_over = True
            self._news.set()
            timer = threading.Timer(LAST_SECONDS, os._exit, [0])  # all that is known is stored already
            timer.daemon = True
            timer.start()


def _shown(line: bytes) -> str:
    return repr(printable(line[: _SHOWN + 1].decode("utf-8", "replace").strip(), _SHOWN))
