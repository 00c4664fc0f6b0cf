"""The line between a child process and the process that started it: JSON lines on what were stdin and stdout at its start."""

import os
import threading
from collections.abc import Callable

import msgspec


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
