"""Processes, for tests that kill them: what runs below another one, what it costs, what is left of it."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from arena.tournament.workers.ray.watchdog import descendants

_LISTS = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
SECONDS = 20.0  # after which nothing of ours is left, however busy the machine is


def survivors(pids: set[int], since: float | None = None) -> set[int]:
    """Which of them still run SECONDS after `since` (a monotonic time; default: now)."""
    deadline = (time.monotonic() if since is None else since) + SECONDS
    while left := {pid for pid in pids if runs(pid)}:
        if time.monotonic() > deadline:
            return left
        time.sleep(0.02)
    return set()


def runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] != b"Z"
    except OSError:
        return False


def until(found: Callable[[], Any], process: "subprocess.Popen[str] | None" = None, seconds: float = 240.0) -> Any:
    """The first true value of `found`; fails when `process` ends before, or after a time that is no test of speed."""
    deadline = time.monotonic() + seconds
    while not (value := found()):
        assert process is None or process.poll() is None, process.communicate()
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)  # all of /proc may have been read
    return value


def command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").replace("\0", " ")
    except OSError:
        return ""


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def cpu_seconds(pid: int) -> float:
    try:
        return time.clock_gettime((~pid << 3) | 2)
    except OSError:
        return 0.0


def processes_below(roots: set[int]) -> set[int]:
    """As `descendants`, by the kernel's lists of children where it has them: to read all of /proc takes ten times as long.

    A list may lack a child while another one ends; who waits for something looks again.
    """
    if not _LISTS.exists():
        return descendants(roots)
    found: set[int] = set()
    waiting = list(roots)
    while waiting:
        children = _children(waiting.pop()) - found
        found |= children
        waiting.extend(children)
    return found


def _children(pid: int) -> set[int]:
    found: set[int] = set()
    with contextlib.suppress(OSError):  # ended meanwhile
        for thread in Path(f"/proc/{pid}/task").iterdir():
            found.update(map(int, (thread / "children").read_bytes().split()))
    return found


def zygotes(below: int) -> set[int]:
    """Its own, and those of its workers; the seats forked by them have the same command line."""
    found = {pid for pid in processes_below({below}) if "sandbox.zygote" in command(pid)}
    return found - processes_below(found)


def live_tables(below: int) -> set[int]:
    """The processes of the live tables of a server; a child of theirs looks the same until it becomes what it is for."""
    found = {pid for pid in processes_below({below}) if "arena.server.table_process" in command(pid)}
    return {pid for pid in found - processes_below(found) if runs(pid)}


def seats(below: int) -> set[int]:
    """Locked children in which bots in Python run: neither zygotes nor templates, which outlast them."""
    return {pid for pid in processes_below(zygotes(below)) if _name(pid) == "arena seat"}


def busy_seats(below: int, cpu: float) -> set[int]:
    """Locked children that have used `cpu` seconds: those whose bots compute without end."""
    return {pid for pid in processes_below(zygotes(below)) if cpu_seconds(pid) > cpu}


def waiting_seats(below: int) -> set[int]:
    """Locked children whose bots wait for SIGUSR1 (tests/bots/waiting_bot.py)."""
    return {pid for pid in processes_below(zygotes(below)) if waits_for_signal(pid)}


def waits_for_signal(pid: int) -> bool:
    """Whether a process has a handler of SIGUSR1."""
    try:
        caught = int(Path(f"/proc/{pid}/status").read_bytes().partition(b"SigCgt:")[2].split()[0], 16)
    except (OSError, IndexError):
        return False
    return bool(caught >> (signal.SIGUSR1 - 1) & 1)


CROWD = 50  # processes that take a CPU
TAKING = """
import os, signal, sys
os.sched_setaffinity(0, [int(sys.argv[1])])
parent = os.getpid()
for _ in range(int(sys.argv[2])):
    if os.fork() == 0:
        os.setsid()
        while os.getppid() == parent:
            pass
        os._exit(0)
signal.pause()
"""


@contextmanager
def taken_cpu() -> Iterator[int]:
    """The number of a CPU on which a crowd computes meanwhile, in a session each: kernels may share CPUs out by session."""
    cpu = max(os.sched_getaffinity(0))
    crowd = subprocess.Popen([sys.executable, "-I", "-S", "-c", TAKING, str(cpu), str(CROWD)])
    try:
        until(lambda: len(descendants({crowd.pid})) == CROWD, crowd)
        yield cpu
    finally:
        crowd.kill()
        crowd.wait()
