"""The zygote: a fresh process that has loaded the compiled rooms and forks a template for each bot, and a locked child for
each seat that has none.

It knows no key, no bot and no match: it hands descriptors on, and each child is told by its worker who it is. It ends when its
worker ends, in whatever way, and its children end with it.
"""

import contextlib
import gc
import os
import signal
import socket
import traceback
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import msgspec

from arena import games, search
from arena.engine import jit
from arena.engine.readiness import require
from arena.engine.room import Game
from arena.errors import ConfigError
from arena.match.sandbox import canary, clocks, copies, inmate, kernel, limits, mappings, names, namespaces, template, wire
from arena.match.sandbox.forking import serve
from arena.match.sandbox.levels import LOCKED, NAMESPACE, PROCESS, is_locked
from arena.match.sandbox.lockdown import Cell


def main(descriptor: int) -> None:
    """Serve the worker at the other end of the socket `descriptor` until it is gone."""
    kernel.call_this_process("arena zygote")
    signal.pthread_sigmask(signal.SIG_SETMASK, [])  # workers block some, and a new program inherits that
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.umask(0o022)  # the hall's keeps others out of all it writes, but a locked bot is another user, and has to reach its view
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
        serve(control, {wire.SPAWN: partial(inmate.from_zygote, cell), wire.TEMPLATE: partial(template.run, cell, proc)})
    os._exit(0)


def _prepared(order: wire.Order, proc: int) -> tuple[Cell, str]:
    """Load the rooms, enter namespaces if that works, and test the lock; returns what all children have in common."""
    for room, parts in ((games.load(name), parts) for name, parts in order.rooms.items()):
        with jit.compiling(room.package):
            games.warm(room)
        for part in parts:
            require(games.part(room, part))
    rooms = list(_loaded())
    jit.forbid_all_compiling(room.package for room in rooms)
    for room in rooms:
        for entry in [*games.compiled_entries(room), *search.compiled_searches(room)]:
            jit.forbid_compiling(entry)
    for name in order.rooms:
        inmate.rehearse(games.load(name))
    gc.collect()
    gc.freeze()
    mappings.simplify(proc)
    clock = clocks.coarsen(proc) if is_locked(order.level) else 0
    cell = Cell(
        level=order.level,
        libraries=order.libraries,
        devices=order.devices,
        store=order.store,
        address_space=limits.address_space(proc),
        drops_user=os.geteuid() == 0,
        has_gates=is_locked(order.level) and names.is_offered(),
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
    limits.bound_capabilities()
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
    found = copies.pieces(proc)
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
    return replace(cell, pieces=found), "; ".join(reasons)


def _loaded() -> Iterator[Game]:
    """All rooms that load: a bot may import the views of several games, and nobody plays in a room that does not load."""
    for name in games.names():
        with contextlib.suppress(ConfigError):
            yield games.load(name)
