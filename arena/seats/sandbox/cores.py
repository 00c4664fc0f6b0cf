"""Keeps a worker and its locked seats on one core as long as all bots are quick.

A decision of a quick bot is two changes of process and some microseconds. To wake another core for it, and to move what lies in
its caches, takes longer than that, also where that core has nothing better to do. Bots that think for long are better off where
the kernel puts them: then nobody stays.
"""

import contextlib
import os
import socket
import threading
from collections.abc import Iterable


class Core:
    """The core of one worker."""

    def __init__(self) -> None:
        self._all: set[int] = set()  # the cores that may be used otherwise
        self._own: int | None = None
        self._claim: socket.socket | None = None
        self._thread = 0  # that plays
        self._is_held = False

    def hold(self, pids: Iterable[int]) -> None:
        """Put the calling thread and these processes on a core that no other worker has; nothing happens if there is none."""
        if self._is_held or not hasattr(os, "sched_setaffinity"):
            return
        if self._own is None:
            self._all = os.sched_getaffinity(0)
            self._own = self._claimed()
        if self._own is not None:
            self._is_held = True
            self._thread = threading.get_native_id()
            _put((self._thread, *pids), {self._own})

    def leave(self, pids: Iterable[int]) -> None:
        """Let that thread and these processes run on every core again."""
        if self._is_held:
            self._is_held = False
            _put((self._thread, *pids), self._all)

    def admit(self, pid: int) -> None:
        """Put a process that was forked some time ago where the others are."""
        if self._own is not None and not self._is_held:
            _put((pid,), self._all)

    def close(self, pids: Iterable[int]) -> None:
        """Leave the core to others."""
        self.leave(pids)
        self._own = None
        if self._claim is not None:
            self._claim.close()
            self._claim = None

    def _claimed(self) -> int | None:
        """A core that no other worker on this machine has; None: there is none, or only one that may be used at all.

        A name of an abstract socket is nobody else's until the process that has it ends, in whatever way.
        """
        for number in sorted(self._all) if len(self._all) > 1 else ():
            claim = socket.socket(socket.AF_UNIX)
            try:
                claim.bind(f"\0arena core {number}")
            except OSError:
                claim.close()
            else:
                self._claim = claim
                return number
        return None


def _put(pids: Iterable[int], cores: set[int]) -> None:
    for pid in pids:
        with contextlib.suppress(OSError):  # it has ended
            os.sched_setaffinity(pid, cores)
