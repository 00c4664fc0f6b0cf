"""The zygote, a fresh process that has loaded the compiled games, and the template of a bot, which it forks.

A template forks the locked children of its bot, one for each seat; the zygote forks those of seats that have none. The zygote
knows no key, no bot and no match: it hands descriptors on, and each child is told by its worker who it is. It ends when its
worker ends, in whatever way, and its children end with it.

A template has ready what all seats of the bot have in common. No code of the bot runs in it, so that nothing which happens in
one seat reaches another one. It reads the bot's files and compiles its source (which can fail, or take for ever: then the
template ends, and the seats do it themselves).
"""

import contextlib
import fcntl
import gc
import os
import resource
import signal
import socket
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import msgspec

from arena import games, search
from arena.agent import BlankModule
from arena.engine import jit
from arena.engine.game import Game
from arena.engine.readiness import require
from arena.errors import ConfigError
from arena.match.sandbox import canary, clocks, kernel, lockdown, namespaces, own_memory, wire, worker
from arena.match.sandbox.forker import serve
from arena.match.sandbox.levels import LOCKED, NAMESPACE, PROCESS, is_locked
from arena.match.sandbox.lockdown import Cell
from arena.match.sandbox.own_memory import make_own

COMPILE_SECONDS = 2  # of CPU time
SOURCE_BYTES = 1 << 20  # a longer source is read and compiled in the seat
_CONTROL = worker.SOCKET + 1
_PROC = _CONTROL + 1
_ABOVE = 20  # all descriptors that are set here


def run_template(cell: Cell, proc: int, socket_: int) -> None:
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
    prepared = _prepared_bot(cell, bot)
    control.send(wire.READY)
    serve(control, {wire.SPAWN: partial(worker.from_template, prepared)})
    os._exit(0)


def _prepared_bot(cell: Cell, bot: wire.Bot) -> worker.Prepared:
    make_own(cell.pieces)
    clocks.seal(cell.clock)
    worker.forget_environment()
    folder = f"{namespaces.STORE if cell.level == NAMESPACE else cell.store}/{bot.folder}"
    where = namespaces.BOT if cell.level == NAMESPACE else folder
    source = _source(f"{folder}/{bot.main}")
    blank = None
    if source is not None:
        worker.remember_lines(f"{where}/{bot.main}", source)
        blank = _compiled(source, bot.main, Path(where), bot.limits.memory)
    files = namespaces.take_out(bot.folder) if cell.level == NAMESPACE else None
    worker.open_output()
    os.dup2(_CONTROL, worker.SOCKET)  # so that no other descriptor gets the number
    cell = replace(cell, parent=os.getpid(), address_space=lockdown.address_space(_PROC))
    os.close(_PROC)
    if is_locked(cell.level):
        cell = replace(
            cell,
            libraries=lockdown.opened_paths(namespaces.outermost(map(str, cell.libraries))),
            devices=lockdown.opened_paths(cell.devices),
        )
    prepared = worker.prepare(cell, bot, blank, files)
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
    allowed = {resource.RLIMIT_CPU: COMPILE_SECONDS, resource.RLIMIT_AS: lockdown.address_space(_PROC) + memory}
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


def main(descriptor: int) -> None:
    """Serve the worker at the other end of the socket `descriptor` until it is gone."""
    kernel.call_this_process("arena zygote")
    signal.pthread_sigmask(signal.SIG_SETMASK, [])  # workers block some, and a new program inherits that
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.umask(0o022)  # the host's keeps others out of all it writes, but a locked bot is another user, and has to reach its view
    control = socket.socket(fileno=descriptor)
    order = msgspec.msgpack.decode(control.recv(wire.ORDER_BYTES), type=wire.Order)
    if order.dies_with_thread:
        kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != order.parent:
        os._exit(1)
    try:
        proc = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY)
        cell, reason = _prepared(order, proc)
        up = wire.Up(cell.level, reason)
    except BaseException:
        up = wire.Up(PROCESS, error=traceback.format_exc(limit=-2))
    control.send(msgspec.msgpack.encode(up))
    if up.error is None:
        serve(control, {wire.SPAWN: partial(worker.from_zygote, cell), wire.TEMPLATE: partial(run_template, cell, proc)})
    os._exit(0)


def _prepared(order: wire.Order, proc: int) -> tuple[Cell, str]:
    """Load the games, enter namespaces if that works, and test the lock; returns what all children have in common."""
    for game, parts in ((games.load(name), parts) for name, parts in order.games.items()):
        games.compile_rules(game)
        for part in parts:
            require(games.part(game, part))
    all_games = list(_loaded())
    jit.forbid_all_compiling(game.package for game in all_games)
    for game in all_games:
        for entry in [*games.compiled_entries(game), *search.compiled_searches(game)]:
            jit.forbid_compiling(entry)
    for name in order.games:
        worker.rehearse(games.load(name))
    gc.collect()
    gc.freeze()
    own_memory.simplify(proc)
    clock = clocks.coarsen(proc) if is_locked(order.level) else 0
    cell = Cell(
        level=order.level,
        libraries=order.libraries,
        devices=order.devices,
        store=order.store,
        address_space=lockdown.address_space(proc),
        drops_user=os.geteuid() == 0,
        has_gates=is_locked(order.level) and lockdown.can_have_gates(),
        clock=clock,
        pieces=(),
        parent=os.getpid(),
    )
    reasons: list[str] = []
    if cell.level == NAMESPACE:
        try:
            namespaces.enter(order.libraries, order.devices, order.store, order.mount_point)
        except OSError as error:
            reasons.append(f"no namespaces: {error.strerror or error}")
            cell = replace(cell, level=LOCKED)
    lockdown.bound_capabilities()
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
    if cell.level == PROCESS:
        return cell, ""
    trouble = canary.trouble(cell)
    if trouble and cell.drops_user:
        cell = replace(cell, drops_user=False)
        trouble = canary.trouble(cell)
    if trouble:
        raise OSError(trouble)
    kernel.prctl(kernel.PR_SET_DUMPABLE, 1)  # else an ordinary user may not look at the own memory; no bot runs yet
    found = own_memory.pieces(proc)
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
    return replace(cell, pieces=found), "; ".join(reasons)


def _loaded() -> Iterator[Game]:
    """All games that load: a bot may import the views of several games, and nobody plays in a game that does not load."""
    for name in games.names():
        with contextlib.suppress(ConfigError):
            yield games.load(name)
