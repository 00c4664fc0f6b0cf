"""Self-tests of the lock: a child locks itself in as for a bot, then tries to get out."""

import mmap
import os
import signal
import socket
from collections.abc import Callable
from pathlib import Path

import numpy as np

from arena.match.sandbox import kernel
from arena.match.sandbox.lockdown import Cell, lock
from arena.records import Limits

FOLDER = ".canary"
"""An empty folder in the store, in place of a bot's folder."""
LIMITS = Limits(memory=64 << 20)
_TEXT = 2000


def trouble(cell: Cell) -> str:
    """Return what a locked child can do but must not, or cannot do but must, in words; empty if the lock holds."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.dup2(writer, 2)
            where = lock(cell, FOLDER, LIMITS)
            os.write(writer, ("; ".join(findings(where)) or "held").encode())
        except BaseException as error:
            os.write(writer, f"{type(error).__name__}: {error}".encode())
        os._exit(0)
    os.close(writer)
    said = b""
    while data := os.read(reader, _TEXT):
        said += data
    os.close(reader)
    _, status = os.waitpid(pid, 0)
    text = said.decode(errors="replace")
    return "" if text == "held" else text or f"the self-test ended with status {status}"


def findings(where: str) -> list[str]:
    """Each check that went wrong, in words; `where`: the bot's folder."""
    wrong = [f"cannot {what}" for what, check in NEEDED.items() if _failure(check)]
    wrong += [f"can {what}" for what, check in FORBIDDEN.items() if _failure(check) is None]
    return wrong + ([] if _failure(lambda: os.listdir(where)) is None else ["cannot read the bot's folder"])


def _failure(check: Callable[[], object]) -> str | None:
    try:
        check()
    except (OSError, MemoryError, ValueError) as error:
        return str(error)
    return None


def _fork() -> None:
    if os.fork() == 0:
        os._exit(0)


def _read(path: str) -> None:
    os.close(os.open(path, os.O_RDONLY))


def _allocate() -> None:
    mmap.mmap(-1, 4 * LIMITS.memory, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)


NEEDED: dict[str, Callable[[], object]] = {
    "read the standard library": lambda: _read(os.__file__),
    "read numpy": lambda: _read(np.__file__),
    "read arena's own modules": lambda: _read(__file__),
}

FORBIDDEN: dict[str, Callable[[], object]] = {
    "read a file of the system": lambda: _read("/etc/passwd"),
    "list the root folder's neighbours": lambda: os.listdir("/etc"),
    "read another process": lambda: _read(f"/proc/{os.getppid()}/status"),
    "write a file": lambda: Path("/tmp/arena-canary").write_text(""),
    "open a network socket": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
    "open a local socket": lambda: socket.socket(socket.AF_UNIX),
    "start a process": _fork,
    "run a program": lambda: os.execv("/bin/true", ["true"]),
    "signal its parent": lambda: os.kill(os.getppid(), signal.SIGCONT),
    "keep memory in a file of its own": lambda: os.memfd_create("x"),
    "take more memory than it may": _allocate,
    "change its death signal": lambda: kernel.prctl(kernel.PR_SET_PDEATHSIG, 0),
    "make a namespace": lambda: kernel.call("unshare", 0x1000_0000),
}
