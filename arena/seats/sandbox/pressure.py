"""Was the machine short of CPU? A seat that could not run is not to blame for being late."""

import time
from pathlib import Path

MOST = 0.5
"""Under this share of its CPU limit a late seat may be excused; from this share of its wall time waiting for a CPU it is."""


def run_delay(pid: int) -> float | None:
    """Seconds that a process has stood ready and waited for a CPU; None where the kernel does not count them."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return None


class Watch:
    """A process that is late, from now on."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._began = time.monotonic()
        self._before = run_delay(pid)

    def waited_and_delayed(self) -> tuple[float, float]:
        """Wall seconds since then, and how many of them it stood ready without a CPU (0 where they are not counted)."""
        now = run_delay(self._pid)
        delay = 0.0 if now is None or self._before is None else now - self._before
        return time.monotonic() - self._began, delay


def is_hosts_fault(used: float, limit: float, waited: float, delay: float) -> bool:
    """Whether a wall deadline that was hit is the hall's: little CPU used, and the machine had none to give.

    `used` of the CPU `limit`; `waited`: wall time that it was watched; `delay`: of it ready to run, without a CPU. All in
    seconds.

    >>> is_hosts_fault(used=0.1, limit=1.0, waited=5.0, delay=4.5), is_hosts_fault(used=0.1, limit=1.0, waited=5.0, delay=0.0)
    (True, False)
    >>> is_hosts_fault(used=0.9, limit=1.0, waited=5.0, delay=4.0)
    False
    """
    return used < MOST * limit and delay >= MOST * waited
