"""Locking this process in, in the order in which it works. After it nothing of the outside can be reached or had again."""

import os
import signal
from dataclasses import dataclass

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


def lock(cell: Cell, folder: str, memory: int) -> str:
    """Lock this single-threaded process in; returns where the bot's folder is now. Raises OSError: then nothing may run."""
    where = os.path.join(cell.store, folder)
    if cell.level == NAMESPACE:
        namespaces.show_only(folder)
        where = namespaces.BOT
    if is_locked(cell.level):
        if cell.drops_user:
            limits.become_nobody(limits.FIRST_UID + os.getpid())
        limits.drop_capabilities()
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)  # now: a change of user clears it
    if os.getppid() != cell.zygote:
        os._exit(1)
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    limits.apply(cell.address_space + memory)
    if is_locked(cell.level):
        landlock.restrict([*cell.libraries, where], cell.devices)
        seccomp.refuse_all_but_allowed()
    return where
