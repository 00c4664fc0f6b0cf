"""A child of the zygote that becomes a command bot's program: it locks itself in like a bot in Python, then runs it once.

The program keeps the lock: user, limits, namespaces, Landlock and the filter of kernel calls outlast exec. The filter lets a
program be run from a single descriptor, which closes at that moment: so no second program can be run.
"""

import fcntl
import os
import signal
from collections.abc import Callable

from arena.match.sandbox import kernel, seccomp, wire
from arena.match.sandbox.lockdown import Cell, Program, lock

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
"""The environment of every command bot; it is the same for all, so that matches can be repeated."""

_ABOVE = 300  # all descriptors that are set below


def arrange(socket: int, output: int, stdin: int, stdout: int, program: int) -> None:
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


def run(cell: Cell, bot: wire.Bot, is_locked: Callable[[], None]) -> None:
    """Lock this process in and run the program; `is_locked` tells the worker. Never returns."""
    folder = lock(cell, bot.folder, bot.limits, Program(bot.loader, bot.is_public), channel=SOCKET)
    os.chdir(folder)
    is_locked()
    try:
        kernel.execute(seccomp.PROGRAM, bot.command, [f"{name}={value}" for name, value in ENVIRONMENT.items()])
    except OSError as error:
        os.write(2, f"{bot.command[0]} cannot be run: {error.strerror}\n".encode())
    os._exit(FAILED)


FAILED = 127  # as a shell says of a command that it cannot run
