"""What a process does while it is waited for: it runs, it stands ready without a CPU, or it sleeps. Sleep is charged.

No bot can make time look better in which it wants nothing of the CPU. It may not lower its priority or choose its cores
(seccomp.py), and to give the CPU away (sched_yield) does nothing. A process that is woken stands ready for a moment, so that
one which naps without end would stand ready nearly always on a busy machine: each nap takes NAP from what it is excused. Its
own threads wait for each other only while one of them runs, which is charged as CPU time.

What the kernel says of a process is read here. A bot chooses its threads' names: they may be any bytes, line ends included.
"""

import contextlib
import os
from pathlib import Path

from arena.match import awake
from arena.match.sandbox import cgroups


def status(folder: Path) -> dict[bytes, bytes]:
    """The fields of the file `status` in /proc/PID or /proc/PID/task/TID; empty if the process or thread is gone."""
    return _fields(folder / "status")  # the kernel escapes line ends of names there, and nowhere else


def has_memory() -> bool:
    """Return whether a quarter of the memory of the machine, and of its container, is free, as far as the kernel tells."""
    fields = _fields(Path("/proc/meminfo"))
    left, all_ = (memory_of(fields, name) for name in ("MemAvailable", "MemTotal"))
    return (left is None or all_ is None or 4 * left >= all_) and cgroups.has_memory()


def stat(folder: Path) -> list[bytes]:
    """The fields of the file `stat` from the state on, which follows the name; empty if the process or thread is gone."""
    try:
        return (folder / "stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return []


def memory_of(fields: dict[bytes, bytes], name: str) -> int | None:
    """An amount of memory among the fields of `status`, in bytes; None if the kernel does not tell."""
    amount = fields.get(name.encode(), b"").split()
    return int(amount[0]) << 10 if amount and amount[0].isdigit() else None


def threads(pid: int) -> list[Path]:
    """The folders of a process's threads in /proc; empty if it is gone."""
    folder = Path(f"/proc/{pid}/task")
    try:
        return [folder / name for name in os.listdir(folder)]
    except OSError:
        return []


def _fields(file: Path) -> dict[bytes, bytes]:
    try:
        lines = file.read_bytes().split(b"\n")
    except OSError:
        return {}
    return {name: value for name, _, value in (line.partition(b":") for line in lines)}


NAP = 0.01
"""Seconds: more than a process that has slept waits for a CPU, as a rule, until it runs again."""
TAKEN = 0.75
"""Others had the cores of a process that stood ready if they used this share of that time. Surely they used nearly all."""
MOST_IDLE = 0.5
"""The share of the time that the cores idled for which a process could run, beyond which nobody lacked a CPU."""


def run_delays(pid: int) -> dict[str, float]:
    """Seconds that each thread of a process waited for a CPU while ready to run; empty if the kernel does not count them."""
    delays = {}
    for thread in threads(pid):
        with contextlib.suppress(OSError, ValueError, IndexError):  # it has ended
            delays[thread.name] = int((thread / "schedstat").read_bytes().split()[1]) / 1e9
    return delays


def _delay_of_this_thread() -> float:
    """Seconds that this thread waited for a CPU while ready to run; 0: not counted."""
    try:
        return int(Path("/proc/thread-self/schedstat").read_bytes().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


def stands_ready(pid: int) -> bool:
    """Return whether any thread of a process runs or is ready to run."""
    return any(stat(thread)[:1] == [b"R"] for thread in threads(pid))


class Spell:
    """What a process does from now on, seen from outside. To be looked at every `awake.BEAT` seconds or so."""

    def __init__(self, pid: int, cpu: float) -> None:
        """`cpu`: the CPU seconds that the process has used so far."""
        self._pid, self._cpu = pid, cpu
        self._began = awake.now()
        self._delays, self._naps = run_delays(pid), _naps(pid)
        self._ours = _delay_of_this_thread()
        try:
            self._cores = os.sched_getaffinity(pid)
        except OSError:  # it has ended
            self._cores = set()
        self._idle, self._held_back = _idle(self._cores), cgroups.held_back()
        self._standing: tuple[float, float] | None = None  # since when, with how much CPU time used
        self.look(cpu)

    @property
    def seconds(self) -> float:
        """Wall seconds up to now in which this machine ran."""
        return awake.now() - self._began

    def look(self, cpu: float) -> None:
        """Look whether the process is ready to run.

        If it does at two looks and has used no CPU time between them, it did so all the while: to sleep and to wake costs
        some. The kernel's own count says nothing of that until the process runs again.
        """
        if not stands_ready(self._pid):
            self._standing = None
        elif self._standing is None or self._standing[1] != cpu:
            self._standing = (awake.now(), cpu)

    def asleep(self, cpu: float) -> float:
        """Seconds in which neither the process nor who looks at it ran or stood ready without a CPU. `cpu`: used by now."""
        rest = self.seconds - (cpu - self._cpu) - (_delay_of_this_thread() - self._ours)
        return max(0.0, rest - self.delay(cpu)) if rest > 0 else 0.0

    def delay(self, cpu: float) -> float:
        """Seconds in which the worst-off thread was ready and wanted a CPU that it did not get (0: not counted)."""
        naps = _naps(self._pid)
        excused = (
            counted - self._delays.get(thread, 0.0) - NAP * max(0, naps.get(thread, 0) - self._naps.get(thread, 0) - 1)
            for thread, counted in run_delays(self._pid).items()
        )
        delay = max(0.0, max(excused, default=0.0))
        if self._standing is not None and self._standing[1] == cpu:
            delay += awake.now() - self._standing[0]
        return delay

    def idle_share(self) -> float:
        """The share of the time for which the cores idled on which the process may run; 0: this machine does not tell.

        Cores that idled because a container has a limit of CPU time were nobody's to have.
        """
        seconds = self.seconds
        room = len(self._cores) * seconds
        idle = (_idle(self._cores) - self._idle) / room - (cgroups.held_back() - self._held_back) / seconds if room > 0 else 0.0
        return min(1.0, max(0.0, idle))

    def taken_share(self, cpu: float) -> float:
        """The share of the time for which other processes, or other machines on the same host, had those cores."""
        room = len(self._cores) * self.seconds
        return max(0.0, 1.0 - self.idle_share() - (cpu - self._cpu) / room) if room > 0 else 1.0


def _naps(pid: int) -> dict[str, int]:
    """Return how often each thread of a process has gone to sleep."""
    found = {thread.name: status(thread).get(b"voluntary_ctxt_switches", b"").strip() for thread in threads(pid)}
    return {thread: int(count) for thread, count in found.items() if count.isdigit()}


def _idle(cores: set[int]) -> float:
    """The seconds that some cores have idled so far, together; 0: the machine does not tell."""
    wanted = {b"cpu%d" % core for core in cores}
    try:
        lines = [line.split() for line in Path("/proc/stat").read_bytes().splitlines()]
        return sum(int(line[4]) + int(line[5]) for line in lines if line[0] in wanted) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return 0.0
