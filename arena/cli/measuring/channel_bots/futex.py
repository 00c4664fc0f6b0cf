"""Waits at a page of a shared library for as long as the other seat of the table takes to notice."""

import ctypes
import errno
import mmap
import os
import platform
import random
import time
from pathlib import Path

from arena.agent import Agent, View
from arena.cli.measuring.channel_bots.attack import BITS, PLACES, Attack, Place

SECONDS = 2.0  # to listen
WAIT = (0, 100_000_000)  # seconds and nanoseconds at each place
_NUMBER = {"x86_64": 202, "aarch64": 98}.get(platform.machine(), -1)
_WAIT, _WAKE = 0, 1
_SHARED, _READ = 1, 1


class Futex(Attack, Agent[View]):
    """Uses a page of the interpreter's own library, which all seats have."""

    def write(self, place: Place) -> None:
        """Wait at the place of a bit until the other seat wakes this one."""
        if self._call(place, _WAIT, None) < 0 and ctypes.get_errno() in (errno.EPERM, errno.ENOSYS):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

    def hear(self) -> list[int]:
        """Wake whoever waits, at all places again and again."""
        found: dict[int, int] = {}
        until = time.monotonic() + SECONDS
        while len(found) < BITS and time.monotonic() < until:
            found |= {number: bit for number, bit in PLACES if number not in found and self._call((number, bit), _WAKE, 1) > 0}
        return [found.get(number, random.getrandbits(1)) for number in range(BITS)]

    def _call(self, place: Place, operation: int, value: int | None) -> int:
        address = _PAGE + 4 * (2 * place[0] + place[1])
        if value is None:
            value = ctypes.c_uint32.from_address(address).value
        wait = ctypes.byref((ctypes.c_long * 2)(*WAIT))
        return int(_LIBC.syscall(_NUMBER, ctypes.c_void_p(address), operation, ctypes.c_uint32(value), wait, None, 0))


def _shared_page() -> int:
    """The address of a page of a library, shared with whoever else has it."""
    with Path(random.__file__).open("rb") as file:
        address = _LIBC.mmap(None, ctypes.c_size_t(mmap.PAGESIZE), _READ, _SHARED, file.fileno(), ctypes.c_long(0))
    return int(address)


_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.mmap.restype = ctypes.c_void_p
_PAGE = _shared_page()
