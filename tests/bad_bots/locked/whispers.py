"""Looks for what a rival of the same table could notice."""

import ctypes
import fcntl
import os
import time


OWN = os.open(__file__, os.O_RDONLY)
WAIT, WAKE, REQUEUE, WAKE_OP, WAIT_BITSET, WAKE_BITSET, REAL_TIME = 0, 1, 3, 5, 9, 10, 256
CALLS = {"futex": 202, "membarrier": 324, "sched_getaffinity": 204} if os.uname().machine == "x86_64" else {
    "futex": 98, "membarrier": 283, "sched_getaffinity": 123
}  # fmt: skip


def call(number: int, *words: object) -> int:
    result = LIBC.syscall(number, *words)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return int(result)


def on_library_page(operation: int) -> object:
    """A futex operation on a page of a library that every seat maps."""
    page = (ctypes.cast(LIBC.getpid, ctypes.c_void_p).value or 0) & ~0xFFF
    word = ctypes.c_uint32.from_address(page).value if operation & 0x7F in (WAIT, WAIT_BITSET) else 1
    try:
        return call(
            CALLS["futex"], ctypes.c_void_p(page), operation, word, (ctypes.c_long * 2)(0, 1000), ctypes.c_void_p(page + 4),
            0xFFFFFFFF,
        )  # fmt: skip
    except TimeoutError:
        return "it waited"


def attempts() -> dict[str, object]:
    parent = os.getppid()
    clock = (~parent << 3) | 2
    tried = {f"futex {kind}": lambda kind=kind: on_library_page(kind) for kind in (WAKE, REQUEUE, WAKE_OP, WAKE_BITSET)}
    tried |= {f"futex {kind}": lambda kind=kind: on_library_page(kind) for kind in (WAIT, WAIT_BITSET | REAL_TIME)}
    tried |= {f"futex call {number}": lambda number=number: call(number, 0, 0, 0, 0, 0, 0) for number in (449, 454, 455, 456)}
    tried |= {f"barrier {kind}": lambda kind=kind: call(CALLS["membarrier"], kind, 0, 0) for kind in (1, 2, 4)}
    locks = (fcntl.F_GETLK, fcntl.F_SETLK, 36, 37, 1024)
    tried |= {f"lock {kind}": lambda kind=kind: fcntl.fcntl(OWN, kind, bytes(32)) for kind in locks}
    return tried | {
        "clock": lambda: time.clock_gettime(clock),
        "clock's resolution": lambda: time.clock_getres(clock),
        "affinity": lambda: call(CALLS["sched_getaffinity"], parent, 128, ctypes.create_string_buffer(128)),
        "flock": lambda: fcntl.flock(OWN, fcntl.LOCK_SH),
        "session": lambda: os.getsid(parent),
        "group": lambda: os.getpgid(parent),
        "priority": lambda: os.getpriority(os.PRIO_PROCESS, parent),
    }


@all_refused
def whispers(bot, view):
    """Looks for what a rival of the same table could notice."""
    return attempts()
