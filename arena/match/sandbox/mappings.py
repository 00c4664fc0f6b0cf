"""The memory of a process that forks, in fewer and larger pieces: a fork copies the list of its mappings and of its pages."""

import contextlib
import ctypes
import mmap
import os
import resource
from collections.abc import Iterator
from typing import Any

from arena.match.sandbox import kernel

COLLAPSE = 25  # MADV_COLLAPSE, since Linux 6.1
READ, WRITE, EXECUTE = 1, 2, 4
LARGE = 2 << 20  # bytes of a large page


def mappings(proc: int) -> Iterator[tuple[int, int, bytes, bytes]]:
    """The first and last addresses of this process's mappings, their rights and files. `proc`: an open /proc."""
    with open(os.open("self/maps", os.O_RDONLY, dir_fd=proc), "rb") as text:
        lines = text.read().splitlines()
    for line in lines:
        ends, rights, _, _, _, *file = line.split(None, 5)
        start, end = (int(number, 16) for number in ends.split(b"-"))
        yield start, end, rights, file[0] if file else b""


def simplify(proc: int) -> None:
    """Make this process's forks less than half as dear. Does what the kernel lets it do. `proc`: an open /proc.

    Its own memory is gathered in large pages. Each compiled function has a mapping of its code and another of its constants,
    side by side, and so has each library, which has two of data besides; with the same rights, those that touch become one.
    Executable memory that could be written, which a callback of the compiler has, no longer can.
    """
    _use_up_callbacks()
    found = list(mappings(proc))
    for start, end, rights, file in found:
        first, last = -(-start // LARGE) * LARGE, end // LARGE * LARGE
        if rights == b"rw-p" and file in (b"", b"[heap]") and first < last:
            with contextlib.suppress(OSError):  # an older kernel, or no large page is free
                kernel.call("madvise", first, last - first, COLLAPSE)
        if rights == b"rwxp":
            kernel.call("mprotect", start, end - start, READ | EXECUTE)
    ends = {
        kept: {(place, file) for start, end, rights, file in found if rights == kept for place in (start, end)}
        for kept in (b"r-xp", b"rw-p")
    }
    for start, end, rights, file in found:
        if rights != b"r--p":
            continue
        with contextlib.suppress(OSError):
            if not file or {(start, file), (end, file)} & ends[b"r-xp"]:
                kernel.call("mprotect", start, end - start, READ | EXECUTE)
            elif (end, file) in ends[b"rw-p"]:
                kernel.call("mprotect", start, end - start, READ | WRITE)


def _use_up_callbacks() -> None:
    """Take all the room for callbacks of C code that is there: no more is needed, and it is no longer writable afterwards."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    kind = ctypes.CFUNCTYPE(None)
    resource.setrlimit(resource.RLIMIT_AS, (mmap.PAGESIZE, before[1]))  # no memory for more
    try:
        while len(_CALLBACKS) < _MOST_CALLBACKS:
            _CALLBACKS.append(kind(_use_up_callbacks))
    except MemoryError:
        pass
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


_CALLBACKS: list[Any] = []
_MOST_CALLBACKS = 1000
