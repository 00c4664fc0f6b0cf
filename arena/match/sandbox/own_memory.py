"""The memory of a process that forks seats: in few, large pieces, and none of it shared with a rival.

A fork copies the list of a process's mappings and of its pages: the fewer, the faster.

What two processes share they can also see each other use: who has the processor's caches forget a line of shared memory, and
later times how long it takes to load, knows whether somebody loaded it meanwhile. A fork shares all memory that neither side
writes, and libraries are shared by all. So before a template forks seats it makes copies of all that play may touch: Python's
objects, tables, compiled rules, and the code of the libraries.
"""

import contextlib
import ctypes
import errno
import mmap
import os
import resource
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

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


MOST_CODE = 16 << 20
"""Bytes of a library's code that are copied. The compiler, which no seat can run, and OpenBLAS have more, and stay shared."""
_POPULATE_WRITE = 23  # MADV_POPULATE_WRITE, since Linux 5.14
_FIXED = 16  # MAP_FIXED
_PRESENT = np.uint64(63)  # the bit of an entry that says so
_ENTRY = 8  # bytes of /proc/self/pagemap for each page


@dataclass(frozen=True)
class Piece:
    """A part of memory that is copied."""

    start: int
    size: int
    rights: int
    """The rights of the mapping as the kernel numbers them; one that cannot be written is replaced by a copy."""


def pieces(proc: int) -> tuple[Piece, ...]:
    """Return what of this process's memory its children have to copy. `proc`: an open /proc."""
    tuple(_pieces(proc))  # looking takes memory itself, which is then there
    return tuple(_pieces(proc))


def make_own(found: Iterable[Piece]) -> None:
    """Copy what this process has of its parent's memory. Raises OSError."""
    file, end = os.memfd_create("own"), 0
    for piece in found:
        if piece.rights & WRITE:
            _write(piece)
        else:
            _map(piece, file, end, content_of(piece))
            end += piece.size
    os.close(file)


def content_of(piece: Piece) -> memoryview:
    """The bytes of a part of memory, where they lie."""
    return memoryview((ctypes.c_char * piece.size).from_address(piece.start))


def replace_code(piece: Piece, code: bytes) -> None:
    """Put other bytes in the place of memory that cannot be written: in one step, as `make_own` does. Raises OSError."""
    file = os.memfd_create("own")
    _map(piece, file, 0, code)
    os.close(file)


def _pieces(proc: int) -> Iterator[Piece]:
    with open(os.open("self/pagemap", os.O_RDONLY, dir_fd=proc), "rb", buffering=0) as pages:
        for start, end, rights, file in mappings(proc):
            if file.startswith(b"[v") or not rights.startswith(b"r"):  # [vdso], [vvar]: the kernel's own
                continue
            allowed = sum(right for letter, right in zip(b"rwx", (READ, WRITE, EXECUTE)) if letter in rights)
            if allowed & WRITE:
                for first, last in _present(pages.fileno(), start, end):
                    yield Piece(first, last - first, allowed)
            elif not file or end - start <= MOST_CODE:
                yield Piece(start, end - start, allowed)


def _present(pages: int, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The first and last addresses of what this process has in memory: runs of blocks of LARGE bytes, and of other pages."""
    page = mmap.PAGESIZE
    entries = np.frombuffer(os.pread(pages, (end - start) // page * _ENTRY, start // page * _ENTRY), np.uint64) >> _PRESENT
    first = min(-start % LARGE // page, len(entries))
    blocks = entries[first : first + (len(entries) - first) // (LARGE // page) * (LARGE // page)].reshape(-1, LARGE // page)
    is_block = blocks.sum(axis=1) > LARGE // page // 2  # others would take much more memory as blocks
    blocks[is_block] = 0
    yield from _runs(is_block, start + first * page, LARGE)
    yield from _runs(entries, start, page)


def _runs(is_one: NDArray[Any], start: int, size: int) -> Iterator[tuple[int, int]]:
    """The first and last addresses of runs of ones: each number stands for `size` bytes, the first at `start`."""
    edges = np.flatnonzero(np.diff(is_one.astype(np.int8), prepend=0, append=0))
    yield from ((start + size * first, start + size * last) for first, last in edges.reshape(-1, 2).tolist())


def _write(piece: Piece) -> None:
    """Have the kernel do what a write to each page would; make large pages of blocks, which cost a fork less."""
    if piece.start % LARGE == piece.size % LARGE == 0:
        for block in range(piece.start, piece.start + piece.size, LARGE):
            ctypes.memmove(block, block, 1)  # else a large page that is shared would do
        with contextlib.suppress(OSError):  # an older kernel, or no large page is free
            kernel.call("madvise", piece.start, piece.size, COLLAPSE)
    try:
        kernel.call("madvise", piece.start, piece.size, _POPULATE_WRITE)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        for place in range(piece.start, piece.start + piece.size, mmap.PAGESIZE):  # an older kernel
            ctypes.memmove(place, place, 1)


def _map(piece: Piece, file: int, place: int, code: bytes | memoryview) -> None:
    """Put bytes in the place of memory that cannot be written: in one step, as it may be the code that runs here.

    They are those of a file that nobody else can have, at offset `place`: of files a fork copies no list of pages.
    """
    os.pwrite(file, code, place)
    kernel.call("mmap", piece.start, piece.size, piece.rights, mmap.MAP_PRIVATE | _FIXED, file, place)
