"""What the driver and its workers have in common: chunks go out, results come back, and a note tells whom a match waits for.

The two backends are local.py and ray/backend.py. A worker that is killed because its match is overdue cannot say which seat
kept it waiting: the note, in memory that outlives it, still does.
"""

import mmap
import struct
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeAlias

import msgspec

from arena.match import NOBODY
from arena.records import Ending, MatchLuck, MatchRecord
from arena.results.journal import Finished
from arena.tournament.formats.tables import Stage

FAILURES_UNTIL_BLAME = 3
"""How many failures of the host in one match, all at the same seat, put the blame on its bot."""
BLAMED = 1_000
"""Stands for the number of a seat's failures where its bot is to blame already, and is not run again in this match."""
Ticket: TypeAlias = Hashable
_NOTE = struct.Struct("<qq")  # the index of the match, the seat
NOTE_BYTES = _NOTE.size


class Failure(msgspec.Struct, frozen=True):
    """A host fault: a match that failed through no bot, as far as is known, and is tried again."""

    reason: str
    """Why it failed: words or a traceback."""
    seat: int | None = None
    """The seat whose isolation failed, or for which the host waited; None: something else failed."""
    was_killed: bool = False
    """Whether that seat was killed from outside, such as by a kernel that is short of memory."""
    blame: Ending | None = None
    """How the match ends for the seat's bot if this happens FAILURES_UNTIL_BLAME times, and to no other seat; None: the bot
    cannot be the cause."""
    was_overdue: bool = False
    """Whether the match took longer than its seats may take together, and the host waited for this one."""
    stops: int = 0
    """How much it counts towards stopping the run: a language model could not be asked (tournament/models.py)."""


class Past(msgspec.Struct, frozen=True):
    """What earlier attempts at a match leave to the next one."""

    kills: dict[int, int] = {}
    """How often each seat was killed from outside, or failed its host in another way that counts, by seat."""
    played: tuple[tuple[int, int], ...] = ()
    """What was played before the match had to begin anew; see match.play."""


FIRST = Past()


class Asked(msgspec.Struct, frozen=True):
    """What a bot asked for that is not compiled: its match begins anew when it is."""

    game: str
    part: str
    played: tuple[tuple[int, int], ...] = ()
    """What was played before, as in `Past`."""


class Chunk(msgspec.Struct, frozen=True):
    """The results of a chunk of matches."""

    finished: Finished
    failures: dict[int, Failure]
    """The failures by index of the match."""
    seconds: float
    """The wall time of the chunk."""
    match_cpu: float
    """CPU seconds spent inside matches, locked seats and the matches' luck included."""
    worker_cpu: float
    """CPU seconds of the worker process since its last chunk ended; 0 for its first chunk, which imports and loads."""
    lacking: dict[int, Asked] = {}
    """The matches, by index, in which a bot asked for what is not compiled."""
    slept: dict[int, float] = {}
    """For how many seconds each locked bot slept while it was waited for, by its place in the field; most slept for none."""
    lucks: list[MatchLuck] = []
    """The luck of finished matches where the job asks for it, as far as what works it out is compiled."""

    @property
    def records(self) -> list[MatchRecord]:
        """The matches that were played to their end, decoded."""
        return self.finished.records


@dataclass(frozen=True)
class Lost:
    """A chunk whose worker was lost before it answered. Nobody knows which of its matches is to blame, if any."""

    reason: str
    waited_for: Mapping[int, int] = field(default_factory=dict)
    """The seats that its matches waited for when the worker ended, by index of the match, where that is known."""


class Backend(Protocol):
    """A pool of workers for one job; a context manager that leaves no process behind."""

    falls_together: bool
    """Whether the loss of one worker loses the chunks of all others too."""

    stage: Stage | None
    """The stage that the next chunks belong to; None: the job's plan is complete without stages."""

    @property
    def slots(self) -> int:
        """How many chunks run at the same time."""
        ...

    def submit(self, indices: Sequence[int], past: Past = FIRST) -> Ticket:
        """Start a chunk as soon as a worker is free.

        `past`: what earlier attempts at these matches left.
        """
        ...

    def wait(self, seconds: float) -> list[tuple[Ticket, Chunk | Lost]]:
        """The chunks that have ended, after at most `seconds`."""
        ...

    def compile(self, game: str, part: str) -> bool:
        """Have a part of a game compiled on the workers' machines before they play on; false: they are this machine."""
        ...

    def cancel(self, ticket: Ticket) -> None:
        """Kill the worker of a chunk that takes too long; the chunk is then reported as lost."""
        ...

    def close(self) -> None:
        """End all workers of this backend."""
        ...


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
    """Return what `waited_for` finds in the files of a folder. A note about one of these matches is read once."""
    found: dict[int, int] = {}
    for file in list(folder.iterdir()):
        note = file.read_bytes()
        found |= waited_for([note], matches)
        if len(note) == NOTE_BYTES and _NOTE.unpack(note)[0] in matches:
            file.unlink()
    return found
