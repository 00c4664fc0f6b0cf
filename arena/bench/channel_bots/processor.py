"""What attacks need of the processor: how long a line of memory takes to load, lines flushed, caches filled with others."""

import ctypes
import mmap
import platform
import time
from collections.abc import Callable, Sequence

import numpy as np

LINE = 64  # bytes
SWEEP_BYTES = 64 << 20  # more than the caches hold
# For x86-64: times the load of each of `count` addresses in cycles, in order, and flushes each line if asked to.
_CODE = bytes.fromhex(
    "534989d04531c94e8b14cf0faef00faee80f310faee889c3450fb61a0faee80f310faee829d84389048885c97404410fae3a49ffc14939f172cd"
    "0faef05bc3"
)
_EXECUTABLE = 7  # readable, writable, executable


class Processor:
    """Loads and times lines by machine code of its own or, without, by numpy and Python's clock."""

    def __init__(self, *, has_code: bool) -> None:
        """Raises OSError where memory of its own cannot be executed."""
        self._call = _own_code() if has_code else None
        self._sweep = np.zeros(0 if has_code else SWEEP_BYTES, np.uint8)

    def times(self, addresses: Sequence[int], *, flushes: bool = False) -> list[float]:
        """How long each line took to load, in cycles or seconds."""
        if self._call is None:
            return [self._seconds([address]) for address in addresses]
        count = len(addresses)
        took = (ctypes.c_uint32 * count)()
        self._call((ctypes.c_uint64 * count)(*addresses), count, took, int(flushes))
        return list(took)

    def total(self, addresses: Sequence[int]) -> float:
        """How long all these lines took together."""
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
            self.total(addresses)

    @staticmethod
    def _seconds(addresses: Sequence[int]) -> float:
        first = min(addresses)
        size = max(addresses) - first + 1
        memory = np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(first))
        places = np.array(addresses) - first
        began = time.perf_counter()
        memory.take(places)
        return time.perf_counter() - began


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
