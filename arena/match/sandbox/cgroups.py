"""A memory cgroup (version 2) for each command bot's program, where this process may make one.

The kernel then counts all memory of the program, in whatever way it was had, at the moment it is taken. The memory watch
(watch.py) goes on beside it: it says how much was taken. Bots in Python need no cgroup: their address space is limited, and to
move a process takes 10 ms. And what limits the cgroups have, of both versions, in which the host itself runs.
"""

import contextlib
import itertools
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

_PREFIX = "arena-seat-"
_BESIDE = 32 << 20  # bytes for what the watch does not count: pages of files, what the kernel keeps for the program
_NEEDED = b"memory"
_numbers = itertools.count(1_000_000)  # beyond those of programs of the same process


class Group:
    """The cgroup of one program."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def ran_out(self) -> bool:
        """Whether the kernel killed the program because it took more than it may."""
        try:
            lines = (self.folder / "memory.events").read_bytes().splitlines()
        except OSError:
            return False
        return any(line.startswith(b"oom_kill ") and line != b"oom_kill 0" for line in lines)

    def remove(self) -> bool:
        """Remove the cgroup; False as long as a process is in it."""
        try:
            os.rmdir(self.folder)
        except FileNotFoundError:
            return True
        except OSError:
            return False
        return True


def home(process: Path = Path("/proc/self")) -> Path | None:
    """The folder in which this process may make memory cgroups; None if there is none.

    That is its own cgroup, or the one above it: a cgroup that has processes can have no others with a limit below it.
    """
    try:
        mounts = [line.split() for line in (process / "mounts").read_bytes().splitlines()]
        (root,) = [os.fsdecode(fields[1]) for fields in mounts if fields[2] == b"cgroup2"][:1]
        lines = (process / "cgroup").read_bytes().splitlines()
        (own,) = [os.fsdecode(line[3:]) for line in lines if line.startswith(b"0::")]
    except (OSError, ValueError, IndexError):
        return None
    here = Path(root + own)
    for folder in (here, here.parent) if own != "/" else (here,):
        with contextlib.suppress(OSError):
            offers = (folder / "cgroup.subtree_control").read_bytes().split()
            if _NEEDED in offers and os.access(folder, os.W_OK) and os.access(folder / "cgroup.procs", os.W_OK):
                return folder
    return None


def held_back(process: Path = Path("/proc/self")) -> float:
    """For how many seconds limits of CPU time, of the cgroup of a process or of those above it, have kept them from running.

    Of the one that did it longest, on all cores together; 0: there is no limit, or the kernel does not tell.
    """
    return max((_held_back(folder) for folder in _above(process, "cpu")), default=0.0)


def memory_limit(process: Path = Path("/proc/self")) -> int | None:
    """Return how many bytes the cgroup of a process, and those above it, may have; None: as many as the machine has."""
    return min((limit for _, limit in _memory_limits(process)), default=None)


def memory_here() -> int:
    """Return how many bytes this process and all others beside it may have: the machine's, or what its cgroup may."""
    there = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return min(there, memory_limit() or there)


def memory_kills() -> int:
    """Return how many processes the kernel has killed so far because there was no memory left."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/vmstat").read_bytes().splitlines():
            name, _, count = line.partition(b" ")
            if name == b"oom_kill":
                return int(count)
    return 0


def has_memory(process: Path = Path("/proc/self")) -> bool:
    """Return whether a quarter of what each of those cgroups may have could be had now."""
    return all(4 * (limit - _memory_used(folder)) >= limit for folder, limit in _memory_limits(process))


def _memory_limits(process: Path) -> Iterator[tuple[Path, int]]:
    for folder in _above(process, "memory"):
        for name in ("memory.max", "memory.limit_in_bytes"):
            with contextlib.suppress(OSError, ValueError):  # it is not there, or says "max"
                yield folder, int((folder / name).read_bytes())


def _memory_used(folder: Path) -> int:
    """Bytes that a cgroup has, but for pages of files that it could give back."""
    used = given_back = 0
    for name in ("memory.current", "memory.usage_in_bytes"):
        with contextlib.suppress(OSError, ValueError):
            used = int((folder / name).read_bytes())
    with contextlib.suppress(OSError, ValueError):
        fields = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
        given_back = int(fields.get("total_inactive_file", fields.get("inactive_file", 0)))
    return used - given_back


@cache
def _above(process: Path, controller: str) -> list[Path]:
    """The cgroup of a process and those above it, in which a limit may stand; of both versions of cgroups."""
    try:
        own = [line.split(":", 2) for line in (process / "cgroup").read_text().splitlines()]
        mounts = [line.split() for line in (process / "mounts").read_text().splitlines()]
    except OSError:
        return []
    return [
        Path(mount[1], *path.split("/")[1:end])
        for mount in mounts
        for _, controllers, path in own
        if (mount[2], controllers) == ("cgroup2", "")
        or (mount[2] == "cgroup" and controller in controllers.split(",") and controller in mount[3].split(","))
        for end in range(1, 2 + path.count("/"))
    ]


def _held_back(folder: Path) -> float:
    try:
        found = dict(line.split() for line in (folder / "cpu.stat").read_text().splitlines())
    except (OSError, ValueError):
        return 0.0
    return int(found.get("throttled_usec", 0)) / 1e6 + int(found.get("throttled_time", 0)) / 1e9


def enclose(pid: int, memory: int, folder: Path, number: int) -> Group | None:
    """Move a process into a new cgroup that may use `memory` bytes; None where the kernel does not let us.

    `folder`: see `home`; `number`: tells the cgroups of this process apart.
    """
    group = Group(folder / f"{_PREFIX}{os.getpid()}-{number}")
    try:
        group.folder.mkdir()
        (group.folder / "memory.max").write_text(str(memory + _BESIDE))
        with contextlib.suppress(OSError):  # a kernel without swap
            (group.folder / "memory.swap.max").write_text("0")
        (group.folder / "cgroup.procs").write_text(str(pid))
    except OSError:
        group.remove()
        return None
    return group


def enclosed(pid: int, memory: int) -> Group | None:
    """A new cgroup with a process, and with all that it will start, which may use `memory` bytes; None: there can be none."""
    folder = home()
    if folder is None:
        return None
    sweep(folder)
    for left in folder.glob(f"{_PREFIX}{os.getpid()}-1??????"):  # of what has ended; one with a process stays
        Group(left).remove()
    return enclose(pid, memory, folder, next(_numbers))


def sweep(folder: Path) -> None:
    """Remove what processes that were killed have left in `folder`."""
    for left in folder.glob(f"{_PREFIX}*"):
        maker = left.name.removeprefix(_PREFIX).partition("-")[0]
        if not Path("/proc", maker).exists():
            Group(left).remove()
