"""Reads what the kernel says of a process. A bot chooses its threads' names: they may be any bytes, line ends included."""

import os
from pathlib import Path

from arena.match.sandbox import cgroups


def status(folder: Path) -> dict[bytes, bytes]:
    """The fields of the file `status` in /proc/PID or /proc/PID/task/TID; empty if the process or thread is gone."""
    return _fields(folder / "status")  # the kernel escapes line ends of names there, and nowhere else


def has_memory() -> bool:
    """Whether a quarter of the memory of the machine, and of its container, could be had now, as far as the kernel tells."""
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
