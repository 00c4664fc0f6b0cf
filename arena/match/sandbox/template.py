"""The template of a bot: a child of the zygote that has ready what all seats of the bot have in common, and forks them.

No code of the bot runs in it, so that nothing which happens in one seat reaches another one. It reads the bot's files and
compiles its source (which can fail, or take for ever: then the template ends, and the seats do it themselves).
"""

import contextlib
import fcntl
import gc
import os
import resource
import signal
import socket
import warnings
from dataclasses import replace
from functools import partial
from pathlib import Path

import msgspec

from arena.agent import BlankModule
from arena.match.sandbox import clocks, copies, inmate, kernel, landlock, limits, namespaces, wire
from arena.match.sandbox.forking import serve
from arena.match.sandbox.levels import NAMESPACE, is_locked
from arena.match.sandbox.lockdown import Cell

COMPILE_SECONDS = 2  # of CPU time
SOURCE_BYTES = 1 << 20  # a longer source is read and compiled in the seat
_CONTROL = inmate.SOCKET + 1
_PROC = _CONTROL + 1
_ABOVE = 20  # all descriptors that are set here


def run(cell: Cell, proc: int, socket_: int) -> None:
    """Serve the worker at the other end of `socket_` until it is gone. The first message says which bot it is.

    `proc`: an open /proc, which is closed before anything is forked.
    """
    high = [fcntl.fcntl(number, fcntl.F_DUPFD, _ABOVE) for number in (socket_, proc)]
    os.dup2(high[0], _CONTROL)
    os.dup2(high[1], _PROC)
    kernel.call("close_range", _PROC + 1, 0xFFFF_FFFF, 0)
    kernel.call_this_process("arena template")
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != cell.parent:
        os._exit(1)
    control = socket.socket(fileno=_CONTROL)
    bot = msgspec.msgpack.decode(control.recv(wire.ORDER_BYTES), type=wire.Bot)
    prepared = _prepared(cell, bot)
    control.send(wire.READY)
    serve(control, {wire.SPAWN: partial(inmate.from_template, prepared)})
    os._exit(0)


def _prepared(cell: Cell, bot: wire.Bot) -> inmate.Prepared:
    copies.make_own(cell.pieces)
    clocks.seal(cell.clock)
    inmate.forget_environment()
    folder = f"{namespaces.STORE if cell.level == NAMESPACE else cell.store}/{bot.folder}"
    where = namespaces.BOT if cell.level == NAMESPACE else folder
    source = _source(f"{folder}/{bot.main}")
    blank = None
    if source is not None:
        inmate.remember_lines(f"{where}/{bot.main}", source)
        blank = _compiled(source, bot.main, Path(where), bot.limits.memory)
    files = namespaces.take_out(bot.folder) if cell.level == NAMESPACE else None
    inmate.open_output()
    os.dup2(_CONTROL, inmate.SOCKET)  # so that no other descriptor gets the number
    cell = replace(cell, parent=os.getpid(), address_space=limits.address_space(_PROC))
    os.close(_PROC)
    if is_locked(cell.level):
        cell = replace(
            cell,
            libraries=landlock.opened(namespaces.outermost(map(str, cell.libraries))),
            devices=landlock.opened(cell.devices),
        )
    prepared = inmate.prepare(cell, bot, blank, files)
    gc.collect()
    gc.freeze()
    return prepared


def _source(path: str) -> bytes | None:
    """The content of a bot's main file; None if it is left to the seats."""
    with open(path, "rb") as file:
        source = file.read(SOURCE_BYTES + 1)
    return source if len(source) <= SOURCE_BYTES else None


def _compiled(source: bytes, main: str, folder: Path, memory: int) -> BlankModule | None:
    """Compile a bot's source, within limits that its seats do not inherit; None: they find out themselves what is wrong."""
    allowed = {resource.RLIMIT_CPU: COMPILE_SECONDS, resource.RLIMIT_AS: limits.address_space(_PROC) + memory}
    before = {kind: resource.getrlimit(kind) for kind in allowed}
    for kind, most in allowed.items():
        hard = before[kind][1]
        resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
    blank = None
    with contextlib.suppress(Exception), warnings.catch_warnings(action="ignore"):
        blank = BlankModule(main, source, folder)
    for kind, limit in before.items():
        resource.setrlimit(kind, limit)
    return blank
