"""The program of a command bot: found on this machine, with what the kernel needs to load it, and run in a locked child.

The child of the zygote locks itself in like a bot in Python, then runs the program once. The program keeps the lock: user,
limits, namespaces, Landlock and the filter of kernel calls outlast exec. The filter lets a program be run from a single
descriptor, which closes at that moment: so no second program can be run.
"""

import contextlib
import fcntl
import os
import shutil
import signal
import stat
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from arena.agent.command_bot import FILE, CommandBot
from arena.errors import BotError
from arena.match.sandbox import kernel, seccomp, wire
from arena.match.sandbox.lockdown import Cell, Program, lock
from arena.match.sandbox.supervisor import SYSTEM

SOCKET = 3
ENVIRONMENT = {
    "PATH": "/nonexistent",
    "HOME": "/nonexistent",
    "LANG": "C.UTF-8",
    "OPENSSL_CONF": "/dev/null",  # else Node.js looks for one that it may not read, and ends
    "PYTHONHASHSEED": "0",
    "PYTHONUNBUFFERED": "1",
    "OMP_NUM_THREADS": "1",
}
"""The environment of every command bot, beside `LD_ORIGIN_PATH`; the same for all, so that matches can be repeated."""

_ABOVE = 300  # all descriptors that are set below


def number_descriptors(socket: int, output: int, stdin: int, stdout: int, program: int) -> None:
    """Number the descriptors: 0 and 1 the pipes from and to the worker, 2 the bot's stderr; two more until the program runs."""
    high = [fcntl.fcntl(number, fcntl.F_DUPFD, _ABOVE) for number in (stdin, stdout, output, socket, program)]
    for number, target in zip(high, (0, 1, 2)):
        os.dup2(number, target)
    os.dup2(high[3], SOCKET, inheritable=False)
    os.dup2(high[4], seccomp.PROGRAM, inheritable=False)
    kernel.call("close_range", SOCKET + 1, seccomp.PROGRAM - 1, 0)
    kernel.call("close_range", seccomp.PROGRAM + 1, 0xFFFF_FFFF, 0)
    os.setsid()
    for number in (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ):  # what is ignored stays so in a new program
        signal.signal(number, signal.SIG_DFL)


def run_program(cell: Cell, bot: wire.Bot, is_locked: Callable[[], None]) -> None:
    """Lock this process in and run the program; `is_locked` tells the worker. Never returns."""
    folder = lock(cell, bot.folder, bot.limits, Program(bot.loader, bot.is_public), channel=SOCKET)
    os.chdir(folder)
    is_locked()
    try:
        environment = ENVIRONMENT | {"LD_ORIGIN_PATH": _origin(bot, folder)}
        kernel.execute(seccomp.PROGRAM, bot.command, [f"{name}={value}" for name, value in environment.items()])
    except OSError as error:
        os.write(2, f"{bot.command[0]} cannot be run: {error.strerror}\n".encode())
    os._exit(FAILED)


def _origin(bot: wire.Bot, folder: str) -> str:
    """The folder of the program, which glibc takes for `$ORIGIN` where it finds no /proc: Java's programs need it."""
    outside = os.path.dirname(bot.command[0])
    _, is_own, inside = outside.partition(bot.folder)  # a hash, which no folder of the system is called
    return folder + inside if is_own else outside


FAILED = 127  # as a shell says of a command that it cannot run


_ELF = b"\x7fELF"
_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_INTERPRETER = 3
_READ_BYTES = 1 << 16


@dataclass(frozen=True)
class Executable:
    """A program on this machine."""

    path: Path
    """The program's path, with all links resolved."""
    is_native: bool
    """Whether Linux can run the file directly."""
    loader: str
    """The path of the dynamic loader that the file names; empty: it needs none. The file may name anything."""

    @property
    def system_loader(self) -> str:
        """The dynamic loader, if it is one of the system's, which every bot may read; else empty."""
        return self.loader if _is_of_the_system(self.loader) else ""

    @property
    def is_public(self) -> bool:
        """Whether every user can reach and run the program."""
        folders = all(parent.stat().st_mode & stat.S_IXOTH for parent in self.path.parents)
        return folders and self.path.stat().st_mode & 0o005 == 0o005


def find(bot: CommandBot, folder: Path) -> Executable:
    """The program that a bot's command names; `folder`: the bot's folder. Raises BotError."""
    name = bot.command[0]
    path = folder / name if "/" in name else _on_path(name)
    if path is None or not path.is_file():
        where = "is not on this machine's PATH" if path is None else "is not there"
        raise BotError(f"{FILE}: command: the program {name} {where}")
    if "/" in name and not path.resolve().is_relative_to(folder.resolve()):
        raise BotError(f"{FILE}: command: {name} leads out of the bot's folder")
    try:
        found = examine(path.resolve())
    except OSError as error:
        raise BotError(f"{FILE}: command: {name}: {error.strerror}") from None
    if sys.platform == "linux" and not found.is_native:
        raise BotError(f'{FILE}: command: {name} is no program but a script: name its interpreter, as in ["python3", "{name}"]')
    return found


def examine(path: Path) -> Executable:
    """Return what kind of program a file is; `path` without links. Raises OSError."""
    with path.open("rb") as file:
        start = file.read(_READ_BYTES)
    return Executable(path, start.startswith(_ELF), _loader(start))


def _is_of_the_system(loader: str) -> bool:
    """Return whether a path leads to a file among the system's libraries, from whatever folder and through whatever links."""
    if not os.path.isabs(loader):
        return False
    real = os.path.realpath(loader)
    return os.path.isfile(real) and any(real.startswith(os.path.realpath(folder) + "/") for folder in SYSTEM)


def _on_path(name: str) -> Path | None:
    """The first program of that name on the PATH; wrapper scripts of version managers are passed over."""
    first: Path | None = None
    for folder in os.get_exec_path():
        found = shutil.which(name, path=folder)
        if found is None:
            continue
        first = first or Path(found)
        with contextlib.suppress(OSError):  # one that may be run but not read
            if sys.platform != "linux" or examine(Path(found)).is_native:
                return Path(found)
    return first


def _loader(start: bytes) -> str:
    """The interpreter segment of an ELF file of 64 bits, from its first bytes; empty where there is none."""
    try:
        fields = _HEADER.unpack_from(start)
        table, size, count = fields[5], fields[9], fields[10]
        for number in range(count):
            kind, _, offset, _, _, length, _, _ = _SEGMENT.unpack_from(start, table + number * size)
            if kind == _INTERPRETER:
                return start[offset : offset + length].partition(b"\0")[0].decode()  # the kernel reads no further either
    except (struct.error, UnicodeDecodeError):
        return ""
    return ""
