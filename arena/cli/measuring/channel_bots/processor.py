"""What attacks need of the processor: how long a line of memory takes to load, lines flushed, caches filled with others."""

import contextlib
import ctypes
import mmap
import platform
import time
from collections.abc import Callable, Sequence
from functools import cache
from statistics import median

import numpy as np

LINE = 64  # bytes
SWEEP_BYTES = 64 << 20  # more than the caches hold
# For x86-64: times the load of each of `count` addresses in cycles, in order, and flushes each line if asked to.
_CODE = bytes.fromhex(
    "534989d04531c94e8b14cf0faef00faee80f310faee889c3450fb61a0faee80f310faee829d84389048885c97404410fae3a49ffc14939f172cd"
    "0faef05bc3"
)
_COARSE = 1e-5  # seconds from step to step
_CLOCK = time.thread_time if time.get_clock_info("perf_counter").resolution > _COARSE else time.perf_counter
"""What shows least of what else the machine does."""
_STEPS = 20  # that are counted out
_EXECUTABLE = 7  # readable, writable, executable


class Processor:
    """Loads and times lines by machine code of its own or, without, by numpy and Python's clock."""

    def __init__(self, *, has_code: bool) -> None:
        """Raises OSError where memory of its own cannot be executed."""
        self._call = _own_code() if has_code else None
        self._sweep = np.zeros(0 if has_code else SWEEP_BYTES, np.uint8)

    def times(self, addresses: Sequence[int], *, flushes: bool = False) -> list[float]:
        """Return how long each line took to load, in cycles or seconds."""
        if self._call is None:
            return [self._seconds([address]) for address in addresses]
        count = len(addresses)
        took = (ctypes.c_uint32 * count)()
        self._call((ctypes.c_uint64 * count)(*addresses), count, took, int(flushes))
        return list(took)

    def total(self, addresses: Sequence[int]) -> float:
        """Return how long all these lines took together."""
        return self._seconds(addresses) if self._call is None else sum(self.times(addresses))

    def forget(self, addresses: Sequence[int]) -> None:
        """Have the caches hold these lines no longer."""
        if self._call is not None:
            self.times(addresses, flushes=True)
        else:
            for _ in range(2):
                self._sweep[::LINE] += 1

    def load(self, addresses: Sequence[int]) -> None:
        """Have the caches hold these lines."""
        for _ in range(2):
            if self._call is not None:
                self.times(addresses)
            else:
                _taken(addresses)()

    @staticmethod
    def _seconds(addresses: Sequence[int]) -> float:
        return seconds(_taken(addresses), _CLOCK)


def _taken(addresses: Sequence[int]) -> Callable[[], object]:
    """Return what loads lines, and does little else."""
    first = min(addresses)
    memory = np.ctypeslib.as_array((ctypes.c_uint8 * (max(addresses) - first + 1)).from_address(first))
    places = np.array(addresses) - first
    return lambda: memory.take(places)


def seconds(call: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """Return how long a call takes, whatever comes of it.

    Where clocks go in steps: from one step to a later one, less the time in which the clock was read after the call.
    """
    is_coarse = time.get_clock_info("perf_counter").resolution > _COARSE
    reading, began = (_reading(clock), _step(clock)) if is_coarse else (0.0, clock())
    with contextlib.suppress(OSError):
        call()
    now, count = clock(), 0
    while is_coarse and (later := clock()) == now:
        count += 1
    return (later if is_coarse else now) - began - count * reading


@cache
def _reading(clock: Callable[[], float]) -> float:
    """Seconds in which a clock that goes in steps is read once."""
    counts = []
    for _ in range(_STEPS):
        now, count = _step(clock), 0
        while clock() == now:
            count += 1
        counts.append(count)
    return time.get_clock_info("perf_counter").resolution / median(counts)


def _step(clock: Callable[[], float]) -> float:
    """The time at the next step of a clock."""
    before = clock()
    while (now := clock()) == before:
        pass
    return now


def _own_code() -> Callable[..., None]:
    if platform.machine() != "x86_64":
        raise OSError(0, "the attack is written for x86-64")
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    size = ctypes.c_size_t(mmap.PAGESIZE)
    place = libc.mmap(None, size, _EXECUTABLE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, ctypes.c_long(0))
    if place in (None, ctypes.c_void_p(-1).value):
        raise OSError(ctypes.get_errno(), "executable memory is refused")
    ctypes.memmove(place, _CODE, len(_CODE))
    return ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_long, ctypes.c_void_p, ctypes.c_int)(place)
