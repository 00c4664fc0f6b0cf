"""Moves pages of a file into memory or out of it, and asks, or times, which are there."""

import contextlib
import ctypes
import mmap
import os
import random
from functools import partial
from pathlib import Path

from arena.agent import Agent, View
from arena.cli.measuring.channel_bots.attack import LIBRARY, PLACES, Attack, Place, faster
from arena.cli.measuring.channel_bots.processor import seconds

STRIDE = 32 * mmap.PAGESIZE  # what the kernel reads at a time
SIZE = len(PLACES) * STRIDE
DATA = "data.bin"
_PRIVATE, _READ = 2, 1


class Pages(Attack, Agent[View]):
    """Uses its own data file, or the largest library of pyarrow, which no seat has loaded."""

    _file = -1

    def prepare(self) -> None:
        """Open the file, and have the kernel read no more of it than is asked for."""
        own = Path(__file__).parent / DATA
        path = own if self.params["is_own"] else max((LIBRARY / "pyarrow").glob("lib*"), key=lambda path: path.stat().st_size)
        self._file = os.open(path, os.O_RDONLY)
        with contextlib.suppress(OSError):
            os.posix_fadvise(self._file, 0, 0, os.POSIX_FADV_RANDOM)

    def write(self, place: Place) -> None:
        """Have one page read, and the other one dropped."""
        number, bit = place
        os.pread(self._file, 1, _offset(place))
        os.posix_fadvise(self._file, _offset((number, 1 - bit)), STRIDE, os.POSIX_FADV_DONTNEED)

    def read(self) -> list[int] | None:
        """Ask which pages are there; if that is refused, time how long it takes to read them."""
        if not self.params["reads"]:
            return None
        there = {place: self._is_there(place) for place in PLACES}
        if None not in there.values():
            return faster({place: [float(not is_there)] for place, is_there in there.items()})
        places = list(PLACES)
        random.shuffle(places)
        return faster({place: [seconds(partial(os.pread, self._file, 1, _offset(place)))] for place in places})

    def _is_there(self, place: Place) -> bool | None:
        """Return whether a page is in memory; None: the kernel does not tell."""
        libc = ctypes.CDLL(None)
        libc.mmap.restype = ctypes.c_void_p
        size = ctypes.c_size_t(mmap.PAGESIZE)
        address = libc.mmap(None, size, _READ, _PRIVATE, self._file, ctypes.c_long(_offset(place)))
        said = ctypes.create_string_buffer(1)
        return None if libc.mincore(ctypes.c_void_p(address), size, said) else bool(said.raw[0] & 1)


def _offset(place: Place) -> int:
    return (2 * place[0] + place[1]) * STRIDE
