"""Notes of bots for who may read them: a child process plays a match again, is read line by line and killed when it takes too
long; what came of it is kept a while.
"""

import contextlib
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from arena.audit.notes import Begun, DecisionNotes, Ended, Heard
from arena.audit.notes_process import Failed, Line
from arena.match import awake
from arena.server import limits
from arena.server.limits import cpu_seconds
from arena.server.problems import Problem

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
        limits.bound_memory(self._process.pid)
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
            hearing.failed = Failed(why="it said what the server does not understand")
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


SECONDS = 180.0
"""Wall time for a match to be played again; what was heard by then is shown."""
LONELY_SECONDS = 20.0
"""When nobody has asked how far it is for so long, nobody waits for it any more."""
MOST_AT_ONCE = 2
"""Matches that are played again at the same time, of all visitors together; of each visitor one."""
KEPT = 32
"""Matches whose notes are kept."""

Key = tuple[str, int, str]
"""Match, seat, and content hash of the bot."""


class NotesDesk:
    """Plays matches again for their notes, a few at once. Threads may share it."""

    def __init__(
        self, results: Path, *, seconds: float = SECONDS, lonely: float = LONELY_SECONDS, command: Sequence[str] = COMMAND
    ) -> None:
        self._results, self._seconds, self._lonely, self._command = results, seconds, lonely, tuple(command)
        self._hearings: dict[Key, Hearing] = {}  # the one that was asked for last at the end
        self._children: dict[Key, NotesChild] = {}
        self._lock = threading.Lock()
        self._is_closed = False

    def ask(
        self, key: Key, visitor: str, *, may_begin: Callable[[], object] = lambda: None,
        pay: Callable[[float], object] = lambda seconds: None,
    ) -> Hearing:  # fmt: skip
        """Return what was heard of a match, which is played again if nothing was. Raises Problem 429 and 503.

        `may_begin`: raises Problem for who has no computing time left; `pay`: is told how many CPU seconds it takes. A failure
        is told once: who asks after that tries again.
        """
        with self._lock:
            hearing = self._hearings.pop(key, None)
            is_told = hearing is not None and hearing.failed not in (None, LEFT)
            if hearing is None or hearing.failed is LEFT:
                may_begin()
                hearing = self._begun(key, visitor, pay)
            hearing.asked = awake.now()
            if not is_told:
                self._hearings[key] = hearing
            over = [key for key, one in self._hearings.items() if one.is_over]
            for oldest in over[: max(0, len(self._hearings) - KEPT)]:
                del self._hearings[oldest]
            return hearing

    def close(self) -> None:
        """End all that is played."""
        with self._lock:
            self._is_closed = True
            children = list(self._children.values())
        for child in children:
            child.close()

    def _begun(self, key: Key, visitor: str, pay: Callable[[float], object]) -> Hearing:
        """Begin to play a match again; the lock is held."""
        if self._is_closed:
            raise Problem(503, "notes_refusal_closed")
        if key in self._children or any(
            (one := self._hearings.get(other)) is not None and one.visitor == visitor for other in self._children
        ):
            raise Problem(429, "notes_refusal_one_at_a_time")
        if len(self._children) >= MOST_AT_ONCE:
            raise Problem(429, "notes_refusal_busy")
        hearing = Hearing(visitor, awake.now())
        self._children[key] = NotesChild(
            (*self._command, str(self._results), key[0], str(key[1])), hearing, seconds=self._seconds, lonely=self._lonely,
            when_over=lambda: self._forget(key), pay=pay,
        )  # fmt: skip
        return hearing

    def _forget(self, key: Key) -> None:
        with self._lock:
            self._children.pop(key, None)
