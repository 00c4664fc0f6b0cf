"""Where a tournament stands, read from its folder without disturbing a run that is going on."""

import os
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Self

import msgspec

from arena.errors import StoreError
from arena.records import Ending, MatchRecord
from arena.store.journal import JOURNAL_FILE, Journal
from arena.store.lock import running_process
from arena.store.manifest import Manifest, read_manifest


class _Note(msgspec.Struct, frozen=True):
    """What a run writes into its journal about itself, as a named value."""

    def values(self) -> Mapping[str, bytes]:
        """For `Journal.set_meta`."""
        return {type(self).__name__.lower(): msgspec.json.encode(self)}

    @classmethod
    def of(cls, journal: Journal) -> Self | None:
        """What the newest run wrote; None: nothing, or it is damaged."""
        try:
            value = journal.meta(cls.__name__.lower())
        except StoreError:  # no match is lost by it
            return None
        return None if value is None else msgspec.json.decode(value, type=cls)


class Command(_Note, frozen=True, kw_only=True):
    """How to go on."""

    line: str
    """Empty: the run was not started from the command line."""
    folder: str
    """Where that was said."""


class Pace(_Note, frozen=True, kw_only=True):
    """How fast the newest run plays."""

    total: int
    """Matches to play, without those of retired bots."""
    played: int
    """By this run."""
    seconds: float
    """Playing."""


class Score(_Note, frozen=True, kw_only=True):
    """What the journal holds, counted as it was written, so that nobody has to read it all."""

    done: int = 0
    """Matches."""
    void: int = 0
    endings: dict[Ending, int] = {}
    """Seats by how their match ended."""

    def plus(self, records: Iterable[MatchRecord]) -> "Score":
        """With more matches."""
        return self._and(tuple(seat.ending for seat in record.seats) for record in records)

    def _and(self, matches: Iterable[tuple[Ending, ...]]) -> "Score":
        done, void, endings = self.done, self.void, Counter(self.endings)
        for seats in matches:
            done += 1
            void += Ending.HOST in seats
            endings.update(seats)
        return Score(done=done, void=void, endings=dict(endings))

    @classmethod
    def counted(cls, journal: Journal) -> "Score":
        """From all rows."""
        return cls()._and(journal.endings())


def read_score(journal: Journal) -> Score:
    """The score that was written with the rows; counted anew where it is not theirs (rows were damaged and dropped)."""
    known = Score.of(journal)
    return known if known is not None and known.done == journal.count() else Score.counted(journal)


class Trouble(_Note, frozen=True, kw_only=True):
    """What the hall has been through, in all runs of a tournament together."""

    runs: int = 0
    """Starts of the command that left something to play."""
    lost_chunks: int = 0
    """With their workers."""
    overdue_chunks: int = 0
    """Of them those that took too long."""
    failed_attempts: int = 0
    """At matches: lost with a chunk, or failed by the hall one by one."""
    duplicates: int = 0
    """Results that came a second time, the same as before, and were dropped."""


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """Where a tournament stands."""

    name: str
    is_finished: bool
    process: int | None
    """That plays it now."""
    done: int
    """Matches that have a result."""
    total: int
    """Matches to play, without those of retired bots."""
    void: int
    """Matches of `done` that the hall failed."""
    endings: dict[Ending, int]
    """Seats by how their match ended."""
    rate: float | None
    """Matches per second of the newest run; None: not known."""
    command: str | None
    """The shell command that goes on; None: it was not started from the command line, or it is finished."""
    trouble: Trouble = Trouble()

    @property
    def left(self) -> int:
        """Matches without a result."""
        return self.total - self.done

    @property
    def seconds_left(self) -> float | None:
        """At this rate; None where nobody plays."""
        return self.left / self.rate if self.rate and self.process is not None else None


def read_status(folder: Path) -> Status:
    """Where the tournament in `folder` stands. Raises StoreError."""
    manifest = read_manifest(folder)
    process = running_process(folder)
    is_finished = manifest.finished and process is None
    if not (folder / JOURNAL_FILE).exists():  # somebody else's results
        return _from_manifest(folder, manifest, process, is_finished)
    with Journal(folder, is_read_only=True) as journal:
        score, pace, command, trouble = read_score(journal), Pace.of(journal), Command.of(journal), Trouble.of(journal)
    total = manifest.matches if pace is None or is_finished else pace.total
    return Status(
        name=folder.name, is_finished=is_finished, process=process, done=score.done, total=total,
        void=score.void, endings=score.endings, rate=pace.played / pace.seconds if pace is not None and pace.seconds else None,
        command=None if is_finished or command is None or not command.line else _from_here(command),
        trouble=trouble or Trouble(),
    )  # fmt: skip


def _from_manifest(folder: Path, manifest: Manifest, process: int | None, is_finished: bool) -> Status:
    return Status(
        name=folder.name, is_finished=is_finished, process=process, done=manifest.played, total=manifest.matches,
        void=manifest.void, endings={Ending(name): seats for name, seats in manifest.endings.items()}, rate=None,
        command=None,
    )  # fmt: skip


def _from_here(command: Command) -> str:
    """The command, with the way to the folder where its paths are right."""
    is_here = os.path.realpath(command.folder) == os.path.realpath(Path.cwd())
    return command.line if is_here else f"cd {shlex.quote(command.folder)} && {command.line}"
