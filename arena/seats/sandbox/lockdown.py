"""Locking this process in, in the order in which it works. After it nothing of the outside can be reached or had again."""

import os
import signal
from dataclasses import dataclass

from arena.records import Limits
from arena.seats.sandbox import kernel, landlock, limits, namespaces, seccomp
from arena.seats.sandbox.levels import NAMESPACE, is_locked


@dataclass(frozen=True)
class Cell:
    """What every child of a zygote is locked into."""

    level: str
    libraries: tuple[str, ...]
    devices: tuple[str, ...]
    store: str
    address_space: int
    """Bytes that the zygote itself has mapped: a bot's memory comes on top."""
    drops_user: bool
    """Whether root is given up for a user of nobody (else its capabilities are)."""
    zygote: int
    """Its pid: a child whose parent is gone does not go on."""


@dataclass(frozen=True)
class Program:
    """What a command bot runs in its cell."""

    loader: str
    """Path of the dynamic loader that the kernel starts for it; empty: none."""
    is_public: bool
    """Whether a user that owns nothing can reach it and what stands beside it."""


def lock(cell: Cell, folder: str, allowed: Limits, program: Program | None = None) -> str:
    """Lock this single-threaded process in; returns where the bot's folder is now. Raises OSError: then nothing may run.

    `program`: what it will run, from the descriptor seccomp.PROGRAM; None: nothing, ever.
    """
    where = os.path.join(cell.store, folder)
    if cell.level == NAMESPACE:
        namespaces.show_only(folder)
        where = namespaces.BOT
    is_alone = False
    if is_locked(cell.level):
        drops_user = cell.drops_user
        if program is not None:
            drops_user |= os.geteuid() == 0 and program.is_public and cell.level == NAMESPACE
            is_alone = drops_user or (os.geteuid() != 0 and namespaces.become_alone())
        if drops_user:
            limits.become_nobody(limits.FIRST_UID + os.getpid())
        limits.drop_capabilities()
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)  # now: a change of user clears it
    if os.getppid() != cell.zygote:
        os._exit(1)
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    if program is None:
        limits.apply(allowed, reserved=cell.address_space)
    else:
        limits.apply_to_program(allowed, counts_threads=is_alone)
    if is_locked(cell.level):
        programs: list[int | str] = [] if program is None else [seccomp.PROGRAM]
        if program is not None and program.loader:
            programs.append(program.loader)
        landlock.restrict([*cell.libraries, where], cell.devices, programs)
        seccomp.refuse_all_but_allowed(runs_program=program is not None)
    return where
