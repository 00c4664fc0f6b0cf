"""The zygote: a fresh process that has loaded the compiled rooms and forks a locked child for each seat.

It knows no key, no bot and no match: it hands descriptors on, and each child is told by its worker who it is. It ends when its
worker ends, in whatever way, and its children end with it.
"""

import contextlib
import gc
import os
import select
import signal
import socket
import traceback
from collections.abc import Iterator
from dataclasses import replace

import msgspec

from arena import games, search
from arena.engine import jit
from arena.engine.room import Game
from arena.errors import ConfigError
from arena.readiness import require
from arena.seats.sandbox import canary, inmate, kernel, limits, namespaces, wire
from arena.seats.sandbox.levels import LOCKED, NAMESPACE, PROCESS
from arena.seats.sandbox.lockdown import Cell

SPAWN, STATUS, DROP = b"spawn", b"status ", b"drop "
_REAP_SECONDS = 0.02  # between looks at children that nobody asks after
_ORDER_BYTES = 1 << 16
_MOST_DESCRIPTORS = 5  # of a seat: its socket and output; of a command bot also its two pipes and its program


def main(descriptor: int) -> None:
    """Serve the worker at the other end of the socket `descriptor` until it is gone."""
    signal.pthread_sigmask(signal.SIG_SETMASK, [])  # workers block some, and a new program inherits that
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    control = socket.socket(fileno=descriptor)
    order = msgspec.msgpack.decode(control.recv(_ORDER_BYTES), type=wire.Order)
    if order.dies_with_thread:
        kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != order.parent:
        os._exit(1)
    try:
        cell, reason = _prepared(order)
        up = wire.Up(cell.level, reason)
    except BaseException:
        up = wire.Up(PROCESS, error=traceback.format_exc(limit=-2))
    control.send(msgspec.msgpack.encode(up))
    if up.error is None:
        _serve(control, cell)
    os._exit(0)


def _prepared(order: wire.Order) -> tuple[Cell, str]:
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
    cell = Cell(
        level=order.level,
        libraries=order.libraries,
        devices=order.devices,
        store=order.store,
        address_space=limits.address_space(),
        drops_user=os.geteuid() == 0,
        zygote=os.getpid(),
    )
    reasons: list[str] = []
    if cell.level == NAMESPACE:
        try:
            namespaces.enter(order.libraries, order.devices, order.store, order.mount_point)
        except OSError as error:
            reasons.append(f"no namespaces: {error.strerror or error}")
            cell = replace(cell, level=LOCKED)
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
    gc.collect()
    gc.freeze()
    if cell.level == PROCESS:
        return cell, ""
    trouble = canary.trouble(cell)
    if trouble and cell.drops_user:
        cell = replace(cell, drops_user=False)
        trouble = canary.trouble(cell)
    if trouble:
        raise OSError(trouble)
    return cell, "; ".join(reasons)


def _loaded() -> Iterator[Game]:
    """All rooms that load: a bot may import the views of several games, and nobody plays in a room that does not load."""
    for name in games.names():
        with contextlib.suppress(ConfigError):
            yield games.load(name)


def _serve(control: socket.socket, cell: Cell) -> None:
    poll = select.poll()
    poll.register(control, select.POLLIN)
    dropped: set[int] = set()
    while True:
        while not poll.poll(1000 * _REAP_SECONDS if dropped else None):
            _reap(dropped)
        word, descriptors, _, _ = socket.recv_fds(control, 256, _MOST_DESCRIPTORS)
        _reap(dropped)
        if not word:
            return
        if word == SPAWN:
            _spawn(control, cell, descriptors)
        elif word.startswith(STATUS):
            _, status = os.waitpid(int(word.removeprefix(STATUS)), 0)
            control.send(b"%d" % status)
        elif word.startswith(DROP):
            dropped.add(int(word.removeprefix(DROP)))


def _spawn(control: socket.socket, cell: Cell, descriptors: list[int]) -> None:
    pid = os.fork()
    if pid == 0:
        try:
            inmate.run(cell, *descriptors)
        except BaseException:
            os.write(2, b"the cell: " + traceback.format_exc(limit=-3).encode("ascii", "backslashreplace"))
        os._exit(CELL_FAILED)
    handle = os.pidfd_open(pid)
    socket.send_fds(control, [b"%d" % pid], [handle])
    for descriptor in (*descriptors, handle):
        os.close(descriptor)


def _reap(dropped: set[int]) -> None:
    for pid in list(dropped):
        if os.waitpid(pid, os.WNOHANG)[0]:
            dropped.discard(pid)


CELL_FAILED = 98  # exit code of a child whose lock or loop failed: ours, unless a bot says so itself

__all__ = ["CELL_FAILED", "DROP", "SPAWN", "STATUS", "main"]
