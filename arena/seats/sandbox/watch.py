"""Watches from outside how much memory command bots' programs fill; they may reserve as much as they like.

A limit of address space, which holds bots in Python, would stop every runtime that compiles as it runs. RLIMIT_DATA stops the
plain ways to more memory at once; this thread sees the others within its period.
"""

import threading
from pathlib import Path

from arena.records import Limits
from arena.seats.sandbox import proc
from arena.seats.sandbox.child import Child
from arena.seats.sandbox.limits import THREADS

PERIOD = 0.02  # seconds; what a program can fill meanwhile is its memory's overshoot
_COUNTED = ("RssAnon", "RssShmem", "VmSwap", "VmPTE")  # its own memory; pages of files on disk are not


class MemoryWatch:
    """A thread that looks at the watched children, and kills those that take too much."""

    def __init__(self) -> None:
        self._limits: dict[Child, Limits] = {}
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def add(self, child: Child, limits: Limits) -> None:
        """Watch a child from now on."""
        with self._changed:
            self._limits[child] = limits
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="memory watch", daemon=True)
                self._thread.start()
            self._changed.notify()

    def remove(self, child: Child) -> None:
        """Stop watching a child, before its pid and its descriptor can become another's."""
        with self._changed:
            self._limits.pop(child, None)

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._limits:
                    self._changed.wait()
                for child, limits in list(self._limits.items()):
                    reason = excess(child.pid, limits)
                    if reason:
                        child.kill_for(reason)
                        del self._limits[child]
            threading.Event().wait(PERIOD)


def excess(pid: int, limits: Limits) -> str:
    """Which limit the process exceeds, in words; empty if none."""
    status = _status(Path(f"/proc/{pid}"))
    if not any(name in status for name in _COUNTED):  # its first thread has ended, and no longer tells; the others do
        others = (_status(path) for path in Path(f"/proc/{pid}/task").glob("*"))
        status = next((other for other in others if any(name in other for name in _COUNTED)), status)
    used = sum(int(status[name].split()[0]) << 10 for name in _COUNTED if name in status)
    if used > limits.memory:
        return f"took {used / 1e6:,.0f} MB of memory, {limits.memory / 1e6:,.0f} MB are allowed"
    threads = int(status.get("Threads", "0"))
    return f"started {threads} threads, {THREADS} are allowed" if threads > THREADS else ""


def _status(folder: Path) -> dict[str, str]:
    """The fields of /proc/PID/status of a process or a thread; empty if it is gone."""
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in proc.status(folder).items()}
