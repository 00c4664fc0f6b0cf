"""What computing costs whom: CPU seconds an hour for each account, counted from outside of the processes that work for it."""

import math
import os
from collections.abc import Callable
from pathlib import Path

from arena.site.buckets import Buckets, Rate
from arena.site.problems import Problem
from arena.store.account_rows import Account

HOUR = 3600.0
_TICKS = os.sysconf("SC_CLK_TCK")


class Computing:
    """How much each account has left. Lives in the event loop."""

    def __init__(self, seconds: int) -> None:
        """`seconds`: of CPU time that an account has in an hour."""
        self._seconds = seconds
        self._left = Buckets(Rate(seconds / HOUR, seconds))
        self.charge = self._left.charge
        """Take note that processes of an account, by its id, have used so many CPU seconds."""

    def check(self, account: Account | None) -> None:
        """Raise Problem 429 if an account has used all that it may, and nothing new begins for it; organisers have no limit."""
        if account is None or account.is_organiser:
            return
        left = self._left.left(account.id)
        if left <= 0.0:
            wait = math.ceil((1.0 - left) * HOUR / self._seconds)
            raise Problem(429, "refusal_computing", most=f"{self._seconds:,}", wait=wait)

    def payer(self, account: Account | None) -> Callable[[float], object]:
        """What charges an account."""
        return lambda seconds: None if account is None else self.charge(account.id, seconds)


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
