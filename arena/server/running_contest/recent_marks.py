"""The marks of a contest as its page shows them: the frozen ones, or those of some seconds ago. All rows are read for them."""

import threading
import time
from collections.abc import Callable
from pathlib import Path

from arena.server.contest.marks import Marks, frozen_marks, marks_of
from arena.server.contest.settings import Contest

FRESH_SECONDS = 15.0
"""How long marks are shown before they are computed again."""
SHARE = 10.0
"""How many times as long as it took, if that is longer: reading a long ladder shall not keep a core busy."""


class RecentMarks:
    """The marks of one contest. Threads may share it: one computes, the others wait for it."""

    def __init__(self, contest: Contest, folder: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._contest, self._folder, self._clock = contest, folder, clock
        self._lock = threading.Lock()
        self._known: Marks | None = None
        self._until = float("-inf")

    def now(self) -> Marks:
        """The marks, frozen or provisional. Raises StoreError."""
        with self._lock:
            if self._known is not None and (self._known.is_frozen or self._clock() < self._until):
                if self._known.is_frozen or (frozen := frozen_marks(self._folder)) is None:
                    return self._known
                self._known = frozen
                return frozen
            began = self._clock()
            self._known = frozen_marks(self._folder) or marks_of(self._contest, self._folder)
            now = self._clock()
            self._until = now + max(FRESH_SECONDS, SHARE * (now - began))
            return self._known
