"""Ends the processes of a local Ray instance when the driver is gone, however it ended, even by kill -9.

Without it two of Ray's helper processes outlive a killed driver by a minute. Run as its own process, from before Ray is
started: end of its standard input means that the driver is gone, or has shut Ray down itself. Then what is left is killed,
and Ray's session folder is removed. (Linux; elsewhere Ray's own cleaning up must do.)
"""

import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

STARTING_SECONDS = 30.0  # while Ray starts, its processes are looked for often, later seldom
POLL_SECONDS = (0.2, 2.0)
LAST_SECONDS = 3.0  # a process that was just being started may need this long to show itself
CLEAN = b"shut down"


class Watchdog:
    """The driver's side: a context manager around a local Ray instance, entered before Ray is started."""

    def __init__(self, folder: Path) -> None:
        """`folder`: Ray's session folder, named in the command lines of its processes; removed at the end."""
        command = [sys.executable, "-I", "-S", str(Path(__file__)), str(folder)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, env={}, start_new_session=True)

    def close(self) -> None:
        """Kill what is left of Ray, after it was shut down."""
        self._process.communicate(CLEAN)


def descendants(roots: set[int]) -> set[int]:
    """The processes below `roots` (Linux; empty elsewhere)."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").iterdir() if Path("/proc").is_dir() else ():
        with contextlib.suppress(OSError, IndexError):  # ended meanwhile
            if folder.name.isdigit():
                parent = int((folder / "stat").read_bytes().rpartition(b")")[2].split()[1])
                children.setdefault(parent, []).append(int(folder.name))
    found: set[int] = set()
    waiting = list(roots)
    while waiting:
        for child in children.get(waiting.pop(), []):
            if child not in found:
                found.add(child)
                waiting.append(child)
    return found


class _Instance:
    """The processes of one Ray instance that were seen."""

    def __init__(self, folder: str) -> None:
        self._folder = folder.encode()
        self._handles: dict[int, int] = {}  # pid -> pidfd, opened at once: a pid may be used again later, a handle not

    def look(self) -> int:
        """Find the processes that name the folder and all below them; returns how many are new."""
        named = {int(path.parent.name) for path in Path("/proc").glob("[0-9]*/cmdline") if self._folder in _content(path)}
        family = (named | descendants(named | set(self._handles))) - {os.getpid()}
        fresh = family - set(self._handles)
        for pid in fresh:
            with contextlib.suppress(OSError):
                self._handles[pid] = os.pidfd_open(pid)
        return len(fresh)

    def kill(self) -> None:
        """Kill all that were seen."""
        for handle in self._handles.values():
            with contextlib.suppress(OSError):
                signal.pidfd_send_signal(handle, signal.SIGKILL)


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _guard(folder: str) -> None:
    instance, began = _Instance(folder), time.monotonic()
    while not select.select([sys.stdin], [], [], POLL_SECONDS[time.monotonic() - began > STARTING_SECONDS])[0]:
        instance.look()
    end = time.monotonic() + (0.0 if sys.stdin.buffer.read() == CLEAN else LAST_SECONDS)
    while instance.look() or time.monotonic() < end:
        instance.kill()
        time.sleep(POLL_SECONDS[0] / 4)
    instance.kill()
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _guard(sys.argv[1])
