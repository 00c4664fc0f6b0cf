"""Times something exactly, by clocks, calls, other code."""

import ctypes
import mmap
import os
import time


GRAIN = 1_000_000  # nanoseconds
LIBC.syscall.restype = ctypes.c_long
LIBC.getauxval.restype = LIBC.mmap.restype = ctypes.c_void_p
WALL, MONOTONIC, PROCESS, THREAD, RAW, COARSE, BOOT = 0, 1, 2, 3, 4, 6, 7
CLOCK_GETTIME, GETTIMEOFDAY, GETRUSAGE = 228, 96, 98
PAGE = mmap.PAGESIZE
FIXED = 0x10
OWN = ctypes.create_string_buffer(1 << 10)
LIBRARY = os.open(os.__file__, os.O_RDONLY)
KERNELS_CODE = LIBC.getauxval(33) or 0


def reading(clock: int) -> int:
    """Nanoseconds, by the C library."""
    answer = (ctypes.c_long * 2)()
    LIBC.clock_gettime(clock, answer)
    return answer[0] * 10**9 + answer[1]


def exact(read: object) -> None:
    """Raises OSError if all readings are whole grains."""
    seen = {read() for _ in range(50)}  # type: ignore[operator]
    if not any(number % GRAIN for number in seen):
        raise OSError(0, "whole grains alone")


def asked(number: int, *arguments: object) -> None:
    if LIBC.syscall(ctypes.c_long(number), *arguments):
        raise OSError(ctypes.get_errno(), f"call {number}")


def removed() -> None:
    if LIBC.munmap(ctypes.c_void_p(KERNELS_CODE), ctypes.c_size_t(2 * PAGE)):
        raise OSError(ctypes.get_errno(), "munmap")


def replaced() -> None:
    place = LIBC.mmap(
        ctypes.c_void_p(KERNELS_CODE), ctypes.c_size_t(PAGE), 5, FIXED | mmap.MAP_PRIVATE, LIBRARY, ctypes.c_long(0)
    )
    if place == ctypes.c_void_p(-1).value:
        raise OSError(ctypes.get_errno(), "mmap")


ATTEMPTS = {
    "a clock of Python": lambda: exact(time.perf_counter_ns),
    "CPU time": lambda: exact(time.thread_time_ns),
    "a clock of the library": lambda: exact(lambda: reading(MONOTONIC)),
    "its CPU time": lambda: exact(lambda: reading(PROCESS)),
    "the raw clock": lambda: exact(lambda: reading(RAW)),
    "the clock since boot": lambda: exact(lambda: reading(BOOT)),
    "wall time": lambda: exact(lambda: reading(WALL)),
    "the kernel, asked": lambda: asked(CLOCK_GETTIME, MONOTONIC, OWN),
    "the kernel, asked for CPU time": lambda: asked(CLOCK_GETTIME, THREAD, OWN),
    "the kernel, asked for little": lambda: asked(CLOCK_GETTIME, COARSE, OWN),
    "another call": lambda: asked(GETTIMEOFDAY, OWN, None),
    "a call for usage": lambda: asked(GETRUSAGE, 0, OWN),
    "code of its own": replaced,
    "no code": removed,
}


@all_refused
def times_exactly(bot, view):
    """Times something exactly, by clocks, calls, other code."""
    return ATTEMPTS
