"""Locks this process in, step by step in the order that works. Afterwards nothing outside can be reached or regained."""

import os
import signal
from dataclasses import dataclass
from functools import partial

from arena.match.sandbox import clocks, copies, kernel, landlock, limits, names, namespaces, seccomp
from arena.match.sandbox.levels import NAMESPACE, is_locked
from arena.records import Limits


@dataclass(frozen=True)
class Cell:
    """What the lock of all children of a zygote, or of a template, has in common."""

    level: str
    libraries: tuple[str | int, ...]
    """What a bot may read, as paths or open descriptors."""
    devices: tuple[str | int, ...]
    store: str
    address_space: int
    """The bytes of address space that the parent has mapped; a bot's memory comes on top."""
    drops_user: bool
    """Whether root becomes a user that owns nothing; if not, only its capabilities are given up."""
    has_gates: bool
    """Whether its children ask before calls with a path; see names.py."""
    clock: int
    """The address from which alone children may ask for the time, as `clocks.coarsen` says; 0: any."""
    pieces: tuple[copies.Piece, ...]
    """What of its memory its children copy before a bot's first line."""
    parent: int
    """The process id of the zygote or the template: a child whose parent is gone exits."""


@dataclass(frozen=True)
class Program:
    """The program that a locked command bot runs."""

    loader: str
    """The path of the dynamic loader that the kernel starts for the program; empty: none."""
    is_public: bool
    """Whether a user that owns nothing can reach the program and the files beside it."""


def lock(
    cell: Cell, folder: str, allowed: Limits, program: Program | None = None, *, files: namespaces.Files | None = None,
    channel: int | None = None,
) -> str:  # fmt: skip
    """Lock this single-threaded process in, or record what does that; returns the path of the bot's folder afterwards.

    Raises OSError; then no code of the bot may run.

    `program`: the program that it will run, from the descriptor seccomp.PROGRAM; None: no program, ever. `files`: what is in
    the folder, if that is known. `channel`: the socket to a worker that will take the gate of names.py, and from then on must
    serve it; None: there is none. For a bot in Python all descriptors above it are closed. What locks a bot in Python in can
    be recorded.
    """
    where = os.path.join(cell.store, folder)
    if cell.level == NAMESPACE:
        namespaces.show_only(files or namespaces.take_out(folder), has_code=program is not None)
        where = namespaces.BOT
    elif is_locked(cell.level):
        kernel.do(partial(namespaces.read_all, where))
    is_alone = drops_user = False
    if is_locked(cell.level):
        drops_user = cell.drops_user
        if program is not None:
            drops_user |= os.geteuid() == 0 and program.is_public and cell.level == NAMESPACE
            is_alone = drops_user or (os.geteuid() != 0 and namespaces.become_alone())
            limits.bound_capabilities()  # the zygote has, but a new user namespace brings them back
        if drops_user:
            limits.become_nobody()
        limits.drop_capabilities()
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)  # now: a change of user clears it
    kernel.require(cell.parent, "getppid")
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    if program is None:
        limits.apply(allowed, reserved=cell.address_space)
    else:
        limits.apply_to_program(allowed, counts_threads=is_alone, shares_user=is_locked(cell.level) and not drops_user)
    if is_locked(cell.level):
        programs: list[int | str] = [] if program is None else [seccomp.PROGRAM]
        if program is not None and program.loader:
            programs.append(program.loader)
        landlock.restrict([*cell.libraries, where], cell.devices, programs)
    if channel is not None and program is None:
        kernel.call("close_range", channel + 1, 0xFFFF_FFFF, 0)
    if channel is not None:
        names.watch(channel, is_wanted=cell.has_gates)
    if cell.clock and program is None and allowed.clean_caches:
        clocks.refuse_the_processors()
    if is_locked(cell.level):
        seccomp.refuse_all_but_allowed(runs_program=program is not None, clock=0 if program else cell.clock)
    return where
