"""Notes of bots for who may read them: each match is played again in a child process, and what came of it is kept a while."""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from arena.match import awake
from arena.server.notes.child import COMMAND, LEFT, Hearing, NotesChild
from arena.server.problems import Problem

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
        """What was heard of a match, which is played again if nothing was. Raises Problem 429 and 503.

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
