"""Locked seats for untrusted bots. Code outside this folder imports only what this module exports."""

from arena.seats.sandbox.cgroups import Group as MemoryGroup
from arena.seats.sandbox.cgroups import enclosed
from arena.seats.sandbox.child import Trouble
from arena.seats.sandbox.command_seat import CommandSeat
from arena.seats.sandbox.doctor import Finding, examine
from arena.seats.sandbox.held import AROUND_SECONDS, HeldSeat
from arena.seats.sandbox.keeper import Keeper, LockError
from arena.seats.sandbox.kernel import is_known as can_have_processes
from arena.seats.sandbox.levels import LOCKED, NAMESPACE, NONE, PROCESS
from arena.seats.sandbox.open_seat import OpenCommandSeat
from arena.seats.sandbox.program import find as find_program
from arena.seats.sandbox.seat import LockedSeat

__all__ = [
    "AROUND_SECONDS",
    "LOCKED",
    "NAMESPACE",
    "NONE",
    "PROCESS",
    "CommandSeat",
    "Finding",
    "HeldSeat",
    "Keeper",
    "LockError",
    "LockedSeat",
    "MemoryGroup",
    "OpenCommandSeat",
    "Trouble",
    "can_have_processes",
    "enclosed",
    "examine",
    "find_program",
]
