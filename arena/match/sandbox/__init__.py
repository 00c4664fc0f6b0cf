"""Locked seats for untrusted bots. Code outside this folder imports only what this module exports."""

from arena.match.sandbox.builds.builder import Lost as BuildLost
from arena.match.sandbox.builds.builder import Outcome as BuildOutcome
from arena.match.sandbox.builds.builder import build as run_build
from arena.match.sandbox.builds.builder import program as build_program
from arena.match.sandbox.builds.toolchains import present as present_toolchains
from arena.match.sandbox.cgroups import Group as MemoryGroup
from arena.match.sandbox.cgroups import enclosed, memory_here, memory_kills
from arena.match.sandbox.child import Trouble
from arena.match.sandbox.command_seat import CommandSeat, OpenCommandSeat
from arena.match.sandbox.doctor import Finding, examine
from arena.match.sandbox.held import AROUND_SECONDS, HeldSeat
from arena.match.sandbox.kernel import is_known as can_have_processes
from arena.match.sandbox.levels import LOCKED, NAMESPACE, NONE, PROCESS
from arena.match.sandbox.processor import forget_caches
from arena.match.sandbox.program import find as find_program
from arena.match.sandbox.seat import LockedSeat
from arena.match.sandbox.supervisor import LockError, Supervisor

__all__ = [
    "AROUND_SECONDS",
    "LOCKED",
    "NAMESPACE",
    "NONE",
    "PROCESS",
    "BuildLost",
    "BuildOutcome",
    "CommandSeat",
    "Finding",
    "HeldSeat",
    "LockError",
    "LockedSeat",
    "MemoryGroup",
    "OpenCommandSeat",
    "Supervisor",
    "Trouble",
    "build_program",
    "can_have_processes",
    "enclosed",
    "examine",
    "find_program",
    "forget_caches",
    "memory_here",
    "memory_kills",
    "present_toolchains",
    "run_build",
]
