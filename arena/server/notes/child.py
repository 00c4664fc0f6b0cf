"""The process that plays a match again for its notes: started here, read line by line, killed when it takes too long."""

import contextlib
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import msgspec

from arena.audit.notes import Begun, DecisionNotes, Ended, Heard
from arena.audit.notes_process import Failed, Line
from arena.match import awake
from arena.server import memory
from arena.server.computing import cpu_seconds

COMMAND = (sys.executable, "-P", "-m", "arena.audit.notes_process")
"""What plays a match again; results, match and seat follow."""
MOST_BYTES = 32 << 20
"""The most bytes that are read of a process; what it collects is far less."""
LEFT = Failed(why="nobody waited for it")
"""What a hearing failed by if nobody asked how far it was."""
_LOOK_SECONDS = 0.5
_decode = msgspec.json.Decoder(Line).decode


@dataclass
class Hearing:
    """What was heard of a match so far. One thread writes; others may read at any time."""

    visitor: str
    """The visitor who asked first."""
    asked: float
    """When somebody asked how far it is, on the clock of arena/match/awake.py."""
    decisions: int = 0
    """How many decisions the seat had; 0: the match has not begun."""
    answered: int = 0
    """How many the bot has answered."""
    said: list[DecisionNotes] = field(default_factory=list)
    ended: Ended | None = None
    """What there is to know at the end; None: it goes on."""
    is_late: bool = False
    """Whether it was ended because it took too long."""
    failed: Failed | None = None
    """Why there is nothing to hear."""

    @property
    def is_over(self) -> bool:
        """Whether nothing more comes."""
        return self.ended is not None or self.failed is not None

    def take(self, line: Line) -> None:
        """Take what the process says."""
        if isinstance(line, Begun):
            self.decisions, self.answered, self.said = line.decisions, 0, []
        elif isinstance(line, Heard):
            self.answered = line.asked
            if line.said is not None:
                self.said = [*self.said, line.said]  # a new list: others read
        elif isinstance(line, Ended):
            self.ended = line
        else:
            self.failed = line


class NotesChild:
    """A process that writes to a hearing, and the thread that reads it. Nothing is left of it when it is over."""

    def __init__(
        self, command: Sequence[str], hearing: Hearing, *, seconds: float, lonely: float, when_over: Callable[[], object],
        pay: Callable[[float], object] = lambda seconds: None,
    ) -> None:  # fmt: skip
        """`seconds`: when it is too late; `lonely`: when nobody has asked for so long, it ends. Raises OSError.

        `pay`: is told how many CPU seconds it and all that it has started have used since it was told.
        """
        self._pay, self._counted = pay, 0.0
        self._hearing, self._seconds, self._lonely, self._when_over = hearing, seconds, lonely, when_over
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
        )
        memory.bound(self._process.pid)
        threading.Thread(target=self._listen, name="notes", daemon=True).start()

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def close(self) -> None:
        """End it at once."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def _listen(self) -> None:
        hearing = self._hearing
        try:
            self._read()
        except (msgspec.DecodeError, ValueError):
            hearing.failed = Failed(why="it said what the hall does not understand")
        finally:
            self._count()
            self.close()
            self._process.wait()
            assert self._process.stdout is not None
            self._process.stdout.close()
            if not hearing.is_over:
                hearing.failed = Failed(why="its process was killed")
            self._when_over()

    def _count(self) -> None:
        if (now := cpu_seconds(self.pid)) > self._counted:
            self._pay(now - self._counted)
            self._counted = now

    def _read(self) -> None:
        """Read until there is no more, or nobody wants more."""
        assert self._process.stdout is not None
        pipe, deadline, read, rest = self._process.stdout.fileno(), awake.now() + self._seconds, 0, b""
        while not self._hearing.is_over:
            self._count()
            now = awake.now()
            if now > deadline:
                self._hearing.is_late = True
                self._hearing.ended = Ended()
                return
            if now > self._hearing.asked + self._lonely:
                self._hearing.failed = LEFT
                return
            if not select.select([pipe], [], [], _LOOK_SECONDS)[0]:
                continue
            data = os.read(pipe, 1 << 16)
            read += len(data)
            if not data or read > MOST_BYTES:
                return
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                self._hearing.take(_decode(line))
