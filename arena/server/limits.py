"""What visitors may cost the server: requests and messages, CPU seconds, memory.

*Token buckets*: how many requests an address may make, and how many messages a socket may send. The package `limits` has
windows only, and its storage starts a thread whenever something in it expires; a bucket is what both uses here need, and is
two numbers. Frames of a socket are counted here, which uvicorn does not: the shortest has six bytes and counts for nothing,
and to read a megabyte of them takes seconds, in which nobody has an answer.

*Computing*: CPU seconds an hour for each account, counted from outside of the processes that work for it. *Memory*: how much
of it what the server starts may fill; whatever happens there, the server and the machine go on.
"""

import contextlib
import math
import os
import resource
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from pathlib import Path

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from arena.match.sandbox import MemoryGroup, enclosed, memory_here
from arena.results.site_file import Account
from arena.server.problems import Problem

MOST_BUCKETS = 10_000
"""Buckets that are kept; the one that was used longest ago makes room, as full ones may."""


@dataclass(frozen=True)
class Rate:
    """How much a bucket lets through."""

    a_second: float
    """Tokens that flow in per second."""
    burst: int
    """Tokens that it holds at most."""


class Buckets:
    """A bucket for each key, such as an address."""

    def __init__(self, rate: Rate, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._clock = rate, clock
        self._known: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()  # tokens, and when they were counted

    def take(self, key: Hashable, count: float = 1.0) -> bool:
        """Take a token, or so many; False if there are not as many, or the bucket is not full where it can never hold them."""
        is_there = self.left(key) >= min(count, self._rate.burst)
        self.charge(key, count if is_there else 0.0)
        return is_there

    def left(self, key: Hashable) -> float:
        """The tokens that are there; below 0 after more was charged."""
        now = self._clock()
        tokens, before = self._known.get(key, (float(self._rate.burst), now))
        return min(float(self._rate.burst), tokens + (now - before) * self._rate.a_second)

    def charge(self, key: Hashable, count: float) -> None:
        """Take tokens that were used already, whether they are there or not."""
        self._known[key] = (self.left(key) - count, self._clock())
        self._known.move_to_end(key)
        if len(self._known) > MOST_BUCKETS:
            self._known.popitem(last=False)


FRAMES = Rate(a_second=500.0, burst=2000)
"""How many frames a socket may send, of any kind: a remote bot sends one for each decision."""
OF_VISITOR = Rate(a_second=1000.0, burst=4000)
"""How many all sockets of a visitor may send together, one after the other, too."""
_SLICE = 4096
"""Bytes that are read at a time, after which it is looked how many frames they were."""
_visitors = Buckets(OF_VISITOR)


class CountingSocket(WebSocketsSansIOProtocol):
    """A socket that is cut off when it sends too many frames."""

    _left: Buckets | None = None

    def data_received(self, data: bytes) -> None:
        """Read what came, as long as there are not too many frames in it."""
        for start in range(0, len(data), _SLICE):
            if self.transport.is_closing():
                return
            super().data_received(data[start : start + _SLICE])

    def handle_events(self) -> None:
        """Count what was read."""
        self._left, count = self._left or Buckets(FRAMES), len(self.conn.events)
        if self._left.take(None, count) and _visitors.take(self._visitor(), count):
            super().handle_events()
        else:
            self.transport.abort()

    def _visitor(self) -> Hashable:
        """Whom the frames are counted for: whoever the guard has found to come; before that the address."""
        state: dict[str, Hashable] = getattr(self, "scope", {}).get("state", {})
        return state.get("visitor", self.client and self.client[0])


HOUR = 3600.0
GUESTS = "guests"
"""What stands for all guests of tables together, as an account: none has this id."""
_TICKS = os.sysconf("SC_CLK_TCK")


class Computing:
    """How much each account has left. Threads may share it."""

    def __init__(self, seconds: int) -> None:
        """`seconds`: of CPU time that an account has in an hour."""
        self.seconds = seconds
        self._left = Buckets(Rate(seconds / HOUR, seconds))
        self._lock = threading.Lock()

    def charge(self, account: str, seconds: float) -> None:
        """Take note that processes of an account, by its id, have used so many CPU seconds."""
        with self._lock:
            self._left.charge(account, seconds)

    def check(self, account: Account | None) -> None:
        """Raise Problem 429 if an account has used all that it may, and nothing new begins for it; organisers have no limit.

        None stands for all guests here and below.
        """
        if self.is_used_up(account):
            left = self._left.left(_payer(account))
            wait = math.ceil((1.0 - left) * HOUR / self.seconds)
            raise Problem(429, "refusal_computing", most=f"{self.seconds:,}", wait=wait)

    def is_used_up(self, account: Account | None) -> bool:
        """Return whether an account has used all that it may; organisers have no limit."""
        return not (account is not None and account.is_organiser) and self._left.left(_payer(account)) <= 0.0

    @contextlib.contextmanager
    def paid(self, account: Account | None) -> Iterator[None]:
        """Have an account pay for what this thread computes meanwhile. Raises Problem 429 as `check`."""
        self.check(account)
        began = time.thread_time()
        try:
            yield
        finally:
            self.payer(account)(time.thread_time() - began)

    def payer(self, account: Account | None) -> Callable[[float], object]:
        """Return what charges an account."""
        return lambda seconds: self.charge(_payer(account), seconds)


def _payer(account: Account | None) -> str:
    return GUESTS if account is None else account.id


def cpu_seconds(pid: int) -> float:
    """The CPU seconds of a process, of all below it, and of those that these have outlived."""
    found, total = [pid], 0.0
    for process in found:  # it grows
        folder = Path(f"/proc/{process}")
        try:
            fields = (folder / "stat").read_bytes().rpartition(b")")[2].split()
            total += sum(map(int, fields[11:15])) / _TICKS
            for thread in (folder / "task").iterdir():
                found += map(int, (thread / "children").read_bytes().split())
        except OSError:  # it has ended meanwhile, or this is no Linux
            continue
    return total


LEAST = 4 << 30
"""Bytes that each process may fill at least: it compiles, and holds the bots of a table, which have limits of their own."""


def memory_of_process() -> int:
    """Bytes that each process may fill: half of the machine's."""
    return max(LEAST, memory_here() // 2)


def bound_memory(pid: int) -> MemoryGroup | None:
    """Limit a process that was just started, and all that it will start. Its cgroup, where there can be one.

    Each process may fill `memory_of_process`; where there is a cgroup, all together three quarters of the machine.
    """
    with contextlib.suppress(OSError, ValueError, AttributeError):  # it has ended; or this is no Linux
        most = memory_of_process()
        _, hard = resource.prlimit(pid, resource.RLIMIT_DATA)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.prlimit(pid, resource.RLIMIT_DATA, (most, most))
    return enclosed(pid, max(memory_of_process(), memory_here() // 4 * 3))
