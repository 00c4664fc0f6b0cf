"""Whom a match waits for: a note that each worker keeps in memory that outlives it.

A worker that is killed because its match is overdue cannot say which seat kept it waiting; its note still does.
"""

import mmap
import struct
from collections.abc import Collection, Iterable
from pathlib import Path

from arena.match import NOBODY

_NOTE = struct.Struct("<qq")  # the index of the match, the seat
NOTE_BYTES = _NOTE.size


class Waiting:
    """Which seat of which match a worker waits for."""

    def __init__(self, shared: memoryview | None = None) -> None:
        """`shared`: NOTE_BYTES that others can read when this process is gone; None: nobody will."""
        self.seat = NOBODY
        """The seat that has to act now, or NOBODY."""
        self._match = NOBODY
        self._shared = shared
        self.waits_for(NOBODY)

    def begin(self, match: int) -> None:
        """A match with this index begins."""
        self._match = match
        self.waits_for(NOBODY)

    def waits_for(self, seat: int) -> None:
        """The seat has to act now."""
        self.seat = seat
        if self._shared is not None:
            _NOTE.pack_into(self._shared, 0, self._match, seat)


def waited_for(notes: Iterable[bytes], matches: Collection[int]) -> dict[int, int]:
    """The seats that some matches waited for when their workers ended, by index of the match, from the workers' notes."""
    found = [_NOTE.unpack(note) for note in notes if len(note) == _NOTE.size]
    return {match: seat for match, seat in found if match in matches and seat != NOBODY}


def shared_file(file: Path) -> memoryview:
    """A new file for a note, as memory that is shared with all who read it."""
    file.write_bytes(bytes(NOTE_BYTES))
    with file.open("r+b") as opened:
        return memoryview(mmap.mmap(opened.fileno(), NOTE_BYTES))


def take_notes(folder: Path, matches: Collection[int]) -> dict[int, int]:
    """What `waited_for` finds in the files of a folder. A note about one of these matches is read once."""
    found: dict[int, int] = {}
    for file in list(folder.iterdir()):
        note = file.read_bytes()
        found |= waited_for([note], matches)
        if len(note) == NOTE_BYTES and _NOTE.unpack(note)[0] in matches:
            file.unlink()
    return found
