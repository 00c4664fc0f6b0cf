"""What computing costs whom: CPU seconds an hour for each account, counted from outside of the processes that work for it."""

import contextlib
import math
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from arena.results.account_rows import Account
from arena.server.buckets import Buckets, Rate
from arena.server.problems import Problem

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
        """Whether an account has used all that it may; organisers have no limit."""
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
        """What charges an account."""
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
