"""The memory of a process that forks, in fewer and larger pieces: a fork copies the list of its mappings and of its pages."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from arena.seats.sandbox import kernel

_COLLAPSE = 25  # MADV_COLLAPSE, since Linux 6.1
_READ, _WRITE, _EXECUTE = 1, 2, 4
_HUGE = 2 << 20  # bytes


def simplify() -> None:
    """Make this process's forks less than half as dear. Does what the kernel lets it do.

    Its own memory is gathered in large pages. Each compiled function has a mapping of its code and another of its constants,
    side by side, and so has each library, which has two of data besides; with the same rights, those that touch become one.
    That gives a bot nothing: it may give its own memory any rights.
    """
    mappings = list(_mappings())
    for start, end, rights, file in mappings:
        first, last = -(-start // _HUGE) * _HUGE, end // _HUGE * _HUGE
        if rights == b"rw-p" and file in (b"", b"[heap]") and first < last:
            with contextlib.suppress(OSError):  # an older kernel, or no large page is free
                kernel.call("madvise", first, last - first, _COLLAPSE)
    ends = {
        kept: {(place, file) for start, end, rights, file in mappings if rights == kept for place in (start, end)}
        for kept in (b"r-xp", b"rw-p")
    }
    for start, end, rights, file in mappings:
        if rights != b"r--p":
            continue
        with contextlib.suppress(OSError):
            if not file or {(start, file), (end, file)} & ends[b"r-xp"]:
                kernel.call("mprotect", start, end - start, _READ | _EXECUTE)
            elif (end, file) in ends[b"rw-p"]:
                kernel.call("mprotect", start, end - start, _READ | _WRITE)


def _mappings() -> Iterator[tuple[int, int, bytes, bytes]]:
    """The first and last addresses of this process's mappings, their rights and files."""
    for line in Path("/proc/self/maps").read_bytes().splitlines():
        ends, rights, _, _, _, *file = line.split(None, 5)
        start, end = (int(number, 16) for number in ends.split(b"-"))
        yield start, end, rights, file[0] if file else b""
