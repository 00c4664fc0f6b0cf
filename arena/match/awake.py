"""The time in which this process ran. A gap in which nobody ran is nobody's time.

A machine that is suspended, a container that is paused, a tree of processes that is stopped: afterwards every clock on the wall
has gone on, and every bot would be late. So a thread looks at the clock again and again. Where two looks lie further apart than
they should, and this process has not computed meanwhile, the time between them does not count. Whoever waits for others (for a
seat, a worker, a program on another machine) measures by this clock.
"""

import asyncio
import os
import threading
import time
from collections.abc import Callable

BEAT = 0.1
"""Seconds between two looks; so much of a gap counts."""
LONGEST = 0.3
"""A shorter gap is no gap: a busy machine makes many of them."""


class Beats:
    """A clock that stands still while this process does not run; for whoever looks at it at least every BEAT seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, cpu: Callable[[], float] = time.process_time) -> None:
        self.missed = 0.0
        """The seconds of all gaps so far."""
        self._clock, self._cpu = clock, cpu
        self._last, self._used = clock(), cpu()
        self._lock = threading.Lock()

    def now(self) -> float:
        """Seconds, from any moment on, without those in which this process did not run."""
        with self._lock:
            now, used = self._clock(), self._cpu()
            gap = now - self._last - max(BEAT, used - self._used)
            self.missed += gap if gap > LONGEST else 0.0
            self._last, self._used = now, used
            return now - self.missed


_beats: dict[int, Beats] = {}  # by process: a forked one has no such thread


def beats() -> Beats:
    """The clock of this process, which a thread looks at from now on."""
    found = _beats.get(os.getpid())
    if found is None:
        found = Beats()
        _beats.clear()
        _beats[os.getpid()] = found
        threading.Thread(target=_beat, args=(found,), name="beats", daemon=True).start()
    return found


def now() -> float:
    """Seconds, from any moment on, without those in which this process did not run."""
    return beats().now()


def missed() -> float:
    """The seconds of all gaps that were found so far."""
    return beats().missed


def keep_time(loop: asyncio.AbstractEventLoop) -> None:
    """Have all deadlines of an event loop go by this clock: of sockets, of requests, of processes that it waits for."""
    loop.time = now  # type: ignore[method-assign]


def _beat(found: Beats) -> None:
    while True:
        threading.Event().wait(BEAT)
        found.now()
