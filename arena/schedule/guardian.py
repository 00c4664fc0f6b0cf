"""Ends the processes of a local Ray instance when the driver is gone in whatever way, kill -9 included.

Without it two of Ray's helper processes outlive a killed driver by a minute. Run as its own process with the pids of Ray's
processes on standard input, one line per batch; end of input means that the driver is gone (or has shut Ray down itself).
Then Ray's session folder is removed too.
"""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO


class Guardian:
    """The driver's side; a context manager around the life of a local Ray instance."""

    def __init__(self, folder: Path) -> None:
        """`folder`: removed at the end."""
        command = [sys.executable, "-I", "-S", str(Path(__file__)), str(folder)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, env={}, start_new_session=True)

    def watch(self, pids: set[int]) -> None:
        """Have these processes killed when this one ends."""
        self._input.write((" ".join(str(pid) for pid in sorted(pids)) + "\n").encode())
        self._input.flush()

    def close(self) -> None:
        """Kill what is left of the watched processes now."""
        self._input.close()
        self._process.wait()

    @property
    def _input(self) -> IO[bytes]:
        assert self._process.stdin is not None
        return self._process.stdin


def descendants(root: int) -> set[int]:
    """The processes below `root` (Linux; empty elsewhere)."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # ended meanwhile
            continue
        children.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    found: set[int] = set()
    waiting = [root]
    while waiting:
        for child in children.get(waiting.pop(), []):
            found.add(child)
            waiting.append(child)
    return found


def _guard(folder: str) -> None:
    handles = []
    for line in sys.stdin.buffer:
        for pid in line.split():
            try:
                handles.append(os.pidfd_open(int(pid)))  # at once: a pid may be used again later, a handle not
            except OSError:
                continue
    for handle in handles:
        try:
            signal.pidfd_send_signal(handle, signal.SIGKILL)
        except OSError:
            continue
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _guard(sys.argv[1])
