"""What a process and all that it has started use together, seen from outside: CPU time, memory, bytes written.

A process can hide from its parent what its children used (by not waiting for them). So what each was seen to use is kept, too,
and the larger sum counts.
"""

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from arena.match.sandbox import pressure

_MEMORY = ("RssAnon", "RssShmem", "VmSwap", "VmPTE")  # a page that several processes share counts in each of them
_OWN_TIMES, _WAITED_TIMES, _BEGAN = slice(11, 13), slice(13, 15), 19  # fields of `stat`, from the state on
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Usage:
    """What is used now; the CPU time and the bytes written: since the beginning."""

    cpu: float
    memory: int
    written: int
    """Bytes that went to disks; files in memory do not count."""


class Tree:
    """The processes below one, without those that are ours."""

    def __init__(self, root: int, *, ours: int) -> None:
        """`root`: the process at the top; `ours`: how many processes from the top downwards are not the build's."""
        self._root, self._ours = root, ours
        self._cpu: dict[tuple[int, int], int] = {}
        self._written: dict[tuple[int, int], int] = {}

    def look(self) -> Usage:
        """What is used, as far as the kernel tells; to be called again and again while they run."""
        waited = memory = 0
        for pid, depth in _below(self._root):
            folder = Path(f"/proc/{pid}")
            fields = pressure.stat(folder)
            if len(fields) <= _BEGAN:  # it has ended
                continue
            waited += sum(map(int, fields[_WAITED_TIMES])) if depth + 1 >= self._ours else 0
            if depth < self._ours:
                continue
            key, own = (pid, int(fields[_BEGAN])), sum(map(int, fields[_OWN_TIMES]))
            self._cpu[key] = max(own, self._cpu.get(key, 0))
            waited += own
            status = pressure.status(folder)
            memory += sum(pressure.memory_of(status, name) or 0 for name in _MEMORY)
            self._written[key] = _written(folder)
        return Usage(max(waited, sum(self._cpu.values())) / _TICKS, memory, sum(self._written.values()))


def size_of(folder: Path) -> tuple[int, int]:
    """The bytes that the files below a folder take, and how many entries it has; what changes meanwhile may be missed."""
    size = count = 0
    for parent, folders, names in os.walk(folder):
        count += len(folders) + len(names)
        for name in names:
            with contextlib.suppress(OSError):
                size += os.lstat(f"{parent}/{name}").st_blocks * 512
    return size, count


def _below(root: int) -> Iterator[tuple[int, int]]:
    """A process and all below it, each with its depth."""
    waiting = [(root, 0)]
    while waiting:
        pid, depth = waiting.pop()
        yield pid, depth
        waiting += [(child, depth + 1) for child in _children(pid)]


def _children(pid: int) -> list[int]:
    found: list[int] = []
    for thread in pressure.threads(pid):
        with contextlib.suppress(OSError):
            found += map(int, (thread / "children").read_bytes().split())
    return found


def _written(folder: Path) -> int:
    """Bytes that a process, and those it has waited for, have sent to disks; 0: not told."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        for line in (folder / "io").read_bytes().splitlines():
            name, _, count = line.partition(b":")
            if name == b"write_bytes":
                return int(count)
    return 0
