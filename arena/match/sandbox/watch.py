"""Watches from outside how much memory command bots' programs fill; they may reserve as much as they like.

A limit of address space, which holds bots in Python, would stop every runtime that compiles as it runs. RLIMIT_DATA stops the
plain ways to more memory at once; this thread sees the others within its period. Where it can be had, each program is also in
a memory cgroup (cgroups.py).
"""

import contextlib
import threading
from pathlib import Path

from arena.match.sandbox import cgroups, pressure
from arena.match.sandbox.child import Child
from arena.match.sandbox.lockdown import THREADS
from arena.records import Limits

PERIOD = 0.02  # seconds; what a program can fill meanwhile is its memory's overshoot
_COUNTED = ("RssAnon", "RssShmem", "VmSwap", "VmPTE", "HugetlbPages")  # its own memory; pages of files on disk are not


class MemoryWatch:
    """A thread that looks at the watched children, and kills those that take too much."""

    def __init__(self) -> None:
        self._limits: dict[Child, Limits] = {}
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._home: Path | None = None
        self._groups: dict[Child, cgroups.Group] = {}
        self._left: list[cgroups.Group] = []  # to be removed as soon as their processes have ended
        self._made = 0

    def add(self, child: Child, limits: Limits) -> None:
        """Watch a child from now on."""
        with self._changed:
            if self._thread is None:
                self._home = cgroups.home()
                if self._home is not None:
                    cgroups.sweep(self._home)
            self._enclose(child, limits)
            self._limits[child] = limits
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="memory watch", daemon=True)
                self._thread.start()
            self._changed.notify()

    def remove(self, child: Child) -> None:
        """Stop watching a child, before its pid and its descriptor can become another's."""
        with self._changed:
            self._limits.pop(child, None)
            if (group := self._groups.pop(child, None)) is not None:
                self._left.append(group)
                self._changed.notify()

    def ran_out(self, child: Child) -> bool:
        """Return whether the kernel killed a watched child for the memory that it took."""
        with self._changed:
            return child in self._groups and self._groups[child].ran_out

    def _enclose(self, child: Child, limits: Limits) -> None:
        if self._home is None:
            return
        self._made += 1
        if (group := cgroups.enclose(child.pid, limits.memory, self._home, self._made)) is not None:
            self._groups[child] = group

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._limits and not self._left:
                    self._changed.wait()
                self._left = [group for group in self._left if not group.remove()]
                for child, limits in list(self._limits.items()):
                    self._look(child, limits)
            threading.Event().wait(PERIOD)

    def _look(self, child: Child, limits: Limits) -> None:
        """Kill a child that takes too much. One that cannot be looked at is killed too, and the watch goes on without it."""
        try:
            if not (reason := excess(child.pid, limits)):
                return
            child.kill_for(reason)
        except Exception:  # ours: the match is played again, as after every kill from outside
            with contextlib.suppress(Exception):
                child.kill()
        del self._limits[child]


def excess(pid: int, limits: Limits) -> str:
    """Return which limit the process exceeds, in words; empty if none.

    Raises OSError if it is there but cannot be looked at.
    """
    folder = Path(f"/proc/{pid}")
    status = pressure.status(folder)
    if not status and folder.exists() and not (status := pressure.status(folder)) and folder.exists():
        raise OSError(f"{folder} cannot be read")
    if not _tells(status):  # its first thread has ended, and no longer tells; the others do
        status = next(filter(_tells, map(pressure.status, pressure.threads(pid))), status)
    used = sum(pressure.memory_of(status, name) or 0 for name in _COUNTED)
    if used > limits.memory:
        return f"took {used / 1e6:,.0f} MB of memory, {limits.memory / 1e6:,.0f} MB are allowed"
    threads = int(status.get(b"Threads", b"0"))
    return f"started {threads} threads, {THREADS} are allowed" if threads > THREADS else ""


def _tells(status: dict[bytes, bytes]) -> bool:
    return any(pressure.memory_of(status, name) is not None for name in _COUNTED)
