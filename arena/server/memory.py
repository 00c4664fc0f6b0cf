"""How much memory what the hall starts may fill: whatever happens there, the hall and the machine go on."""

import contextlib
import os
import resource
from pathlib import Path

from arena.match.sandbox import MemoryGroup, enclosed, memory_limit

LEAST = 4 << 30
"""Bytes that each process may fill at least: it compiles, and holds the bots of a table, which have limits of their own."""


def of_process() -> int:
    """Bytes that each process may fill: half of the machine's."""
    return max(LEAST, _machine() // 2)


def bound(pid: int) -> MemoryGroup | None:
    """Limit a process that was just started, and all that it will start. Its cgroup, where there can be one.

    Each process may fill `of_process`; where there is a cgroup, all together three quarters of the machine.
    """
    with contextlib.suppress(OSError, ValueError, AttributeError):  # it has ended; or this is no Linux
        most = of_process()
        _, hard = resource.prlimit(pid, resource.RLIMIT_DATA)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.prlimit(pid, resource.RLIMIT_DATA, (most, most))
    return enclosed(pid, max(of_process(), _machine() // 4 * 3))


def kills() -> int:
    """How many processes the kernel has killed so far because there was no memory left."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/vmstat").read_bytes().splitlines():
            name, _, count = line.partition(b" ")
            if name == b"oom_kill":
                return int(count)
    return 0


def _machine() -> int:
    there = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return min(there, memory_limit() or there)  # of a container
