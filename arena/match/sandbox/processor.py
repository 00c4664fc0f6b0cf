"""What a worker does about the processor: caches emptied between matches, bots stopped that nobody asks, one core.

*Caches* forget what was played. A bot's seats in one match after the other share the memory of their template, and all seats
the libraries' files. Which lines of those are in the caches, a bot can choose in one match and time in the next, and hand on
in that. Nothing less than several times the caches' own size of other memory drives them out. Where there is much cache and
little memory, that is too much to ask for: all workers together take no more than a share of the memory.

*Turns*: bots that nobody asks anything must not take the CPU from the one that is asked. A program may have many threads, and
a bot in Python may send its reply and compute on. Both are charged for it at their next decision. That does not help a rival
who is late meanwhile, so they are stopped as soon as a rival's decision takes long. Where people think between the decisions,
nobody is late and nothing is charged for hours: there they are stopped at once.

*One core* for a worker and its locked seats as long as all bots are quick: a decision of a quick bot is two changes of
process and some microseconds. To wake another core for it, and to move what lies in its caches, takes longer than that, also
where that core has nothing better to do. Bots that think for long are better off where the kernel puts them: then nobody
stays. Nor does who gets too little of a core that others use too, while other cores idle.
"""

import contextlib
import os
import random
import socket
import threading
import time
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from arena.match.sandbox import cgroups
from arena.match.sandbox.child import Child

_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
_USUAL_BYTES = 32 << 20  # of the largest cache, where the kernel does not tell
_TIMES = 3  # its size: after twice as much 5 % of the lines were still there, and with three times 0.03 %
_SHARE = 8  # all workers together fill an eighth of the memory at most
_CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1  # asked before one is held
_LINE = 8  # numbers


def forget_caches() -> None:
    """Fill the caches of this core, and those that it shares with others, with memory that no bot has: some milliseconds."""
    _others()[::_LINE].sum()


@cache
def _others() -> NDArray[np.uint64]:
    return np.ones(filling() // 8, np.uint64)  # written, else all of it would be one page


def filling() -> int:
    """The bytes that a worker fills the caches with."""
    return min(wanted_filling(), cgroups.memory_here() // _SHARE // _CORES)


def wanted_filling() -> int:
    """The bytes that it takes to drive all of the largest cache out, whatever memory there is."""
    return _TIMES * _largest()


def _largest() -> int:
    """The bytes of the largest cache of the first core."""
    try:
        sizes = [path.read_text().strip() for path in _CACHES.glob("index*/size")]
        return max(int(size.removesuffix("K")) for size in sizes) << 10
    except (OSError, ValueError):
        return _USUAL_BYTES


class Turns:
    """The children of a worker that wait to be asked."""

    def __init__(self, *, stops_at_once: bool = False) -> None:
        """`stops_at_once`: whether a child is stopped as soon as it has replied."""
        self._stops_at_once = stops_at_once
        self._resting: set[Child] = set()

    def rest(self, child: Child) -> None:
        """The child has replied: until `ask` it has nothing to do."""
        self._resting.add(child)
        if self._stops_at_once:
            child.pause()

    def ask(self, child: Child) -> None:
        """The child is asked again: let it run."""
        self._resting.discard(child)
        child.resume()

    def remove(self, child: Child) -> None:
        """Forget a child that is ended."""
        self._resting.discard(child)

    def pause_others(self) -> None:
        """Stop all children that have nothing to do, until they are asked."""
        for child in self._resting:
            child.pause()


LEAST = 0.6
"""The share of its core that a worker has to get. With less it leaves, for AWAY_SECONDS, if as much is free elsewhere."""
JUDGED_SECONDS = 1.0  # of wall time, before that is looked at
AWAY_SECONDS = 30.0
CLAIM = "arena core"  # and a number: the name of the socket that whoever has that core holds


class Core:
    """The core of one worker."""

    def __init__(self) -> None:
        self._all: set[int] = set()  # the cores that may be used otherwise
        self._own: int | None = None
        self._claim: socket.socket | None = None
        self._thread = 0  # that plays
        self._is_held = False
        self._away_until = 0.0
        self._cpu = self._wall = 0.0  # since it was looked at how much of the core we get
        self._idle = 0.0

    def hold(self, pids: Iterable[int]) -> None:
        """Put the calling thread and these processes on a core that no other worker has; nothing happens if there is none."""
        if self._is_held or time.monotonic() < self._away_until or not hasattr(os, "sched_setaffinity"):
            return
        if self._own is None:
            self._all = os.sched_getaffinity(0)
            self._own = self._claimed()
        if self._own is not None:
            self._is_held = True
            self._cpu, self._wall, self._idle = 0.0, 0.0, idle_seconds()
            self._thread = threading.get_native_id()
            _put((self._thread, *pids), {self._own})

    def leave(self, pids: Iterable[int]) -> None:
        """Let that thread and these processes run on every core again."""
        if self._is_held:
            self._is_held = False
            _put((self._thread, *pids), self._all)

    def judge(self, pids: Iterable[int], cpu: float, wall: float) -> None:
        """Leave the core if others use it and not all cores are busy: we had `cpu` in `wall` seconds, with enough to do."""
        if not self._is_held:
            return
        self._cpu += cpu
        self._wall += wall
        if self._wall >= JUDGED_SECONDS:
            idle = idle_seconds()
            if self._cpu < LEAST * self._wall and idle - self._idle > (1 - LEAST) * self._wall:
                self.leave(pids)
                self._away_until = time.monotonic() + AWAY_SECONDS
            self._cpu, self._wall, self._idle = 0.0, 0.0, idle

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

        A name of an abstract socket is nobody else's until the process that has it ends, in whatever way. Workers in other
        containers on the machine do not see it: so the order is another one each time.
        """
        cores = random.SystemRandom().sample(sorted(self._all), len(self._all))
        for number in cores if len(cores) > 1 else ():
            claim = socket.socket(socket.AF_UNIX)
            try:
                claim.bind(f"\0{CLAIM} {number}")
            except OSError:
                claim.close()
            else:
                self._claim = claim
                return number
        return None


def idle_seconds() -> float:
    """The seconds that all cores of the machine together have idled so far; 0: it does not tell."""
    try:
        _, _, _, _, idle, waiting, *_ = Path("/proc/stat").read_bytes().splitlines()[0].split()
    except (OSError, ValueError, IndexError):
        return 0.0
    return (int(idle) + int(waiting)) / os.sysconf("SC_CLK_TCK")


def _put(pids: Iterable[int], cores: set[int]) -> None:
    for pid in pids:
        with contextlib.suppress(OSError):  # it has ended
            os.sched_setaffinity(pid, cores)
