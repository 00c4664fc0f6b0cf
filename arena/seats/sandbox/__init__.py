"""Locked seats for strangers' bots. The one door to the jail: nothing outside imports a module of this folder by itself."""

from arena.seats.sandbox.child import Trouble
from arena.seats.sandbox.doctor import Finding, examine
from arena.seats.sandbox.keeper import Keeper, LockError
from arena.seats.sandbox.kernel import is_known as can_have_processes
from arena.seats.sandbox.levels import LOCKED, NAMESPACE, NONE, PROCESS
from arena.seats.sandbox.seat import LockedSeat

__all__ = [
    "LOCKED",
    "NAMESPACE",
    "NONE",
    "PROCESS",
    "Finding",
    "Keeper",
    "LockError",
    "LockedSeat",
    "Trouble",
    "can_have_processes",
    "examine",
]
