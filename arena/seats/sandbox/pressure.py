"""Finds out whether the machine was short of CPU. A seat that could not run is not to blame for being late."""

import contextlib
import time

from arena.seats.sandbox import proc

MOST = 0.5
"""A late seat is excused if it used less than this share of its CPU limit and waited this share of its wall time for a CPU."""


def run_delays(pid: int) -> dict[str, float]:
    """Seconds that each thread of a process waited for a CPU while ready to run; empty if the kernel does not count them."""
    delays = {}
    for thread in proc.threads(pid):
        with contextlib.suppress(OSError, ValueError, IndexError):  # it has ended
            delays[thread.name] = int((thread / "schedstat").read_bytes().split()[1]) / 1e9
    return delays


def stands_ready(pid: int) -> bool:
    """Whether any thread of a process runs or is ready to run."""
    return any(proc.stat(thread)[:1] == [b"R"] for thread in proc.threads(pid))


class Watch:
    """Watches a late process from now on."""

    def __init__(self, pid: int, cpu: float) -> None:
        """`cpu`: the CPU seconds that the process has used so far."""
        self._pid = pid
        self._began = time.monotonic()
        self._before = run_delays(pid)
        self._standing: tuple[float, float] | None = None  # since when, with how much CPU time used
        self.look(cpu)

    def look(self, cpu: float) -> None:
        """Look whether the process is ready to run.

        If it does at two looks and has used no CPU time between them, it did so all the while: to sleep and to wake costs
        some. The kernel's own count says nothing of that until the process runs again.
        """
        if not stands_ready(self._pid):
            self._standing = None
        elif self._standing is None or self._standing[1] != cpu:
            self._standing = (time.monotonic(), cpu)

    def waited_and_delayed(self, cpu: float) -> tuple[float, float]:
        """Wall seconds since then; of them those that its worst-off thread stood ready without a CPU (0: not counted).

        `cpu`: the CPU seconds that the process has used by now.
        """
        now = time.monotonic()
        delay = max((counted - self._before.get(thread, 0.0) for thread, counted in run_delays(self._pid).items()), default=0.0)
        if self._standing is not None and self._standing[1] == cpu:
            delay += now - self._standing[0]
        return now - self._began, delay


def is_hosts_fault(used: float, limit: float, waited: float, delay: float) -> bool:
    """Whether a missed wall deadline is a host fault: little CPU was used, and the machine had none to give.

    `used` of the CPU `limit`; `waited`: wall time that it was watched; `delay`: of it ready to run, without a CPU. All in
    seconds.

    >>> is_hosts_fault(used=0.1, limit=1.0, waited=5.0, delay=4.5), is_hosts_fault(used=0.1, limit=1.0, waited=5.0, delay=0.0)
    (True, False)
    >>> is_hosts_fault(used=0.9, limit=1.0, waited=5.0, delay=4.0)
    False
    """
    return used < MOST * limit and delay >= MOST * waited
