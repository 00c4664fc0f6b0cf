"""The processes below one that a bench has started: each is held by a handle from when it was seen first.

A handle means its process for ever, where a number may come to mean another one; so nothing else is ever killed.
"""

import contextlib
import os
import re
import select
import signal
import time
from pathlib import Path

from arena.tournament.workers.ray.watchdog import descendants

_POLL = 0.02


class Lineage:
    """All processes that were ever seen below the roots, and are still there."""

    def __init__(self) -> None:
        self._handles: dict[int, int] = {}

    def look(self, root: int) -> None:
        """Take note of the processes that there are below a root."""
        for pid in descendants({root}) - set(self._handles):
            with contextlib.suppress(OSError):
                self._handles[pid] = os.pidfd_open(pid)
        for pid, handle in list(self._handles.items()):
            if _has_ended(handle):
                os.close(handle)
                del self._handles[pid]

    def named(self, root: int, command: "re.Pattern[str]") -> list[int]:
        """The numbers of those below a root whose command lines begin so."""
        below = sorted(descendants({root}) & set(self._handles))
        return [pid for pid in below if command.match(_command(pid))]

    def kill(self, pid: int) -> bool:
        """Kill one that was seen; False: it has ended already."""
        try:
            signal.pidfd_send_signal(self._handles[pid], signal.SIGKILL)
        except ProcessLookupError:
            return False
        return True

    def left(self, seconds: float) -> int:
        """How many are still there after so many seconds. Those are killed, and all handles are closed."""
        deadline = time.monotonic() + seconds
        while left := [handle for handle in self._handles.values() if not _has_ended(handle)]:
            if time.monotonic() > deadline:
                break
            time.sleep(_POLL)
        for handle in left:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(handle, signal.SIGKILL)
        for handle in self._handles.values():
            os.close(handle)
        self._handles.clear()
        return len(left)


def _has_ended(handle: int) -> bool:
    return bool(select.select([handle], [], [], 0)[0])


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode("utf-8", "replace").replace("\0", " ")
    except OSError:
        return ""
