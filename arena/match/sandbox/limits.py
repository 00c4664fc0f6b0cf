"""The limits and privileges of a bot's process: memory, files, its user."""

import os
import resource
import struct

from arena.match.sandbox import kernel
from arena.records import Limits

OPEN_FILES = 64
STACK_BYTES = 64 << 20
THREADS = 64  # of a command bot's program; runtimes with a compiler and a collector of their own start about ten
PROGRAM_RESERVES = 256 << 20  # bytes that a runtime may set aside beyond its memory and not touch: stacks of its threads
PROGRAM_ADDRESS_SPACE = 64 << 30  # room for runtimes that reserve gigabytes; bounds what page tables can take
PROGRAM_STACK_BYTES = 8 << 20  # of each of its threads
FIRST_UID = 0x6A00_0000  # beyond every real account; the pid is added, so that no two seats share one
_CAPABILITY_HEADER = struct.pack("=Ii", 0x2008_0522, 0)


def address_space(proc: int) -> int:
    """Bytes of address space that this process has mapped. `proc`: an open /proc, which namespaces hide."""
    handle = os.open("self/statm", os.O_RDONLY, dir_fd=proc)
    pages = int(os.read(handle, 200).split()[0])
    os.close(handle)
    return pages * resource.getpagesize()


def apply(allowed: Limits, *, reserved: int) -> None:
    """Set the hard limits of this process; they cannot be raised again.

    `reserved`: bytes of address space that are the zygote's own, on top of what the bot may use.
    """
    address_space_bytes = reserved + allowed.memory
    _apply(
        {
            resource.RLIMIT_AS: address_space_bytes,
            resource.RLIMIT_DATA: address_space_bytes,
            resource.RLIMIT_NPROC: 0,
            resource.RLIMIT_STACK: STACK_BYTES,
        }
    )


def apply_to_program(allowed: Limits, *, counts_threads: bool, shares_user: bool = False) -> None:
    """Set the hard limits of a command bot's program, which this process will run. The memory it fills is also watched.

    `counts_threads`: whether its user has no other processes, so that the kernel can count its threads. `shares_user`: whether
    other bots have the same user: then none may queue signals, which the kernel counts for all of them together.
    """
    wanted = {
        resource.RLIMIT_AS: PROGRAM_ADDRESS_SPACE,
        resource.RLIMIT_DATA: allowed.memory + PROGRAM_RESERVES,
        resource.RLIMIT_STACK: PROGRAM_STACK_BYTES,
    }
    if counts_threads:
        wanted[resource.RLIMIT_NPROC] = THREADS
    if shares_user and hasattr(resource, "RLIMIT_SIGPENDING"):
        wanted[resource.RLIMIT_SIGPENDING] = 0
    _apply(wanted)


def _apply(limits: dict[int, int]) -> None:
    wanted = limits | {resource.RLIMIT_NOFILE: OPEN_FILES, resource.RLIMIT_FSIZE: 0, resource.RLIMIT_CORE: 0}
    if hasattr(resource, "RLIMIT_MSGQUEUE"):
        wanted |= {resource.RLIMIT_MEMLOCK: 0, resource.RLIMIT_MSGQUEUE: 0}
    for kind, value in wanted.items():
        _, hard = resource.getrlimit(kind)
        allowed = value if hard == resource.RLIM_INFINITY else min(value, hard)
        kernel.call("prlimit64", 0, kind, struct.pack("=QQ", allowed, allowed), None)


def become_nobody() -> None:
    """Change from root to a user that owns nothing and is no other process's. Raises OSError."""
    uid = kernel.of_own_number(addend=FIRST_UID)
    kernel.call("setgroups", 0, None)
    kernel.call("setresgid", uid, uid, uid)
    kernel.call("setresuid", uid, uid, uid)


def bound_capabilities() -> None:
    """Let no program that this process or its children will run have any capability."""
    for capability in range(64):
        try:
            kernel.prctl(kernel.PR_CAPBSET_DROP, capability)
        except OSError:  # past the last one, or not ours to drop
            break


def drop_capabilities() -> None:
    """Give up every capability that this process has."""
    kernel.call("capset", _CAPABILITY_HEADER, bytes(24))
