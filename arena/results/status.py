"""Where a tournament stands, read from its folder without disturbing a run that is going on."""

import os
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Self

import msgspec

from arena.disk import is_there
from arena.errors import StoreError
from arena.records import Ending
from arena.results.journal import JOURNAL_FILE, Endings, Journal
from arena.results.lock import running_process
from arena.results.manifest import MANIFEST_FILE, Manifest, read_manifest


class _Note(msgspec.Struct, frozen=True):
    """A note that a run writes into its journal about itself, as a named value."""

    def values(self) -> Mapping[str, bytes]:
        """The note as the named value that `Journal.set_meta` stores."""
        shown = {name: _storable(value) for name, value in msgspec.structs.asdict(self).items()}
        return {type(self).__name__.lower(): msgspec.json.encode(shown)}

    @classmethod
    def of(cls, journal: Journal) -> Self | None:
        """The note that the newest run wrote; None if there is none or it is damaged."""
        try:
            value = journal.meta(cls.__name__.lower())
        except StoreError:  # no match is lost by it
            return None
        try:
            return None if value is None else msgspec.json.decode(value, type=cls)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            return None


def _storable(value: Any) -> Any:
    """A value as JSON takes it: the name of a file may hold bytes that are no text, which are written as escapes."""
    return value.encode(errors="backslashreplace").decode() if isinstance(value, str) else value


class Command(_Note, frozen=True, kw_only=True):
    """The command line that resumes the tournament."""

    line: str
    """The shell command; empty if the run was not started from the command line."""
    folder: str
    """The working folder in which the command was given."""


class Pace(_Note, frozen=True, kw_only=True):
    """How fast the newest run plays."""

    total: int
    """The number of matches to play, without those of retired bots."""
    played: int
    """How many matches this run has played."""
    seconds: float
    """How long this run has been playing."""


class Score(_Note, frozen=True, kw_only=True):
    """How many matches the journal holds and how they ended, counted as they were written, so that nobody reads it all."""

    done: int = 0
    """The number of finished matches."""
    void: int = 0
    endings: dict[Ending, int] = {}
    """How many seats ended in each way."""

    def plus(self, matches: Iterable[Endings]) -> "Score":
        """The counts with more matches added: how each of them ended."""
        done, void, endings = self.done, self.void, Counter(self.endings)
        for seats, count in Counter(matches).items():
            done += count
            void += count * (Ending.HOST in seats)
            for ending in seats:
                endings[ending] += count
        return Score(done=done, void=void, endings=dict(endings))

    @classmethod
    def counted(cls, journal: Journal) -> "Score":
        """The counts of all matches in the journal."""
        return cls().plus(journal.endings())


def read_score(journal: Journal) -> Score:
    """The stored counts; counted anew if they do not fit the rows, because damaged rows were dropped."""
    known = Score.of(journal)
    return known if known is not None and known.done == journal.count() else Score.counted(journal)


class Trouble(_Note, frozen=True, kw_only=True):
    """What went wrong with the host, in all runs of a tournament together."""

    runs: int = 0
    """How often the command was started while matches were left to play."""
    lost_chunks: int = 0
    """Chunks of matches that were lost with their workers."""
    overdue_chunks: int = 0
    """Lost chunks whose workers took too long."""
    failed_attempts: int = 0
    """Attempts at matches that were lost with a chunk or failed through the host one by one."""
    duplicates: int = 0
    """Results that arrived a second time, the same as before, and were dropped."""


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """How far a tournament is."""

    name: str
    is_finished: bool
    process: int | None
    """The process that is playing the tournament now; None if nobody is."""
    done: int
    """The number of matches that have a result."""
    total: int
    """The number of matches to play, without those of retired bots; 0: it has not begun to play."""
    void: int
    """How many of the `done` matches are void, because the host failed."""
    endings: dict[Ending, int]
    """How many seats ended in each way."""
    rate: float | None
    """Matches per second of the newest run; None if it is not known."""
    command: str | None
    """The shell command that resumes; None if the tournament is finished or was not started from the command line."""
    trouble: Trouble = Trouble()

    @property
    def left(self) -> int:
        """The number of matches without a result."""
        return self.total - self.done

    @property
    def seconds_left(self) -> float | None:
        """The seconds that the rest takes at the present rate; None if nobody is playing."""
        return self.left / self.rate if self.rate and self.process is not None else None


def read_status(folder: Path) -> Status:
    """Return how far the tournament in `folder` is. Raises StoreError."""
    process = running_process(folder)
    if not is_there(folder / MANIFEST_FILE) and (folder / JOURNAL_FILE).exists():
        return _before_its_first_match(folder, process)
    manifest = read_manifest(folder)
    is_finished = manifest.finished and process is None
    if not (folder / JOURNAL_FILE).exists():  # somebody else's results
        return _from_manifest(folder, manifest, process, is_finished)
    with Journal(folder, is_read_only=True) as journal:
        if journal.is_blank:
            return _from_manifest(folder, manifest, process, is_finished)
        score, pace, command, trouble = read_score(journal), Pace.of(journal), Command.of(journal), Trouble.of(journal)
    total = manifest.matches if pace is None or is_finished else pace.total
    return Status(
        name=folder.name, is_finished=is_finished, process=process, done=score.done, total=total,
        void=score.void, endings=score.endings, rate=pace.played / pace.seconds if pace is not None and pace.seconds else None,
        command=None if is_finished or command is None or not command.line else _from_here(command),
        trouble=trouble or Trouble(),
    )  # fmt: skip


def _before_its_first_match(folder: Path, process: int | None) -> Status:
    """The status of a run that is starting, or ended while it did: it has no manifest, and perhaps no whole journal."""
    try:
        with Journal(folder, is_read_only=True) as journal:
            command = Command.of(journal)
    except StoreError:
        command = None
    return Status(
        name=folder.name, is_finished=False, process=process, done=0, total=0, void=0, endings={}, rate=None,
        command=None if command is None or not command.line else _from_here(command),
    )  # fmt: skip


def _from_manifest(folder: Path, manifest: Manifest, process: int | None, is_finished: bool) -> Status:
    return Status(
        name=folder.name, is_finished=is_finished, process=process, done=manifest.played, total=manifest.matches,
        void=manifest.void, endings=manifest.endings, rate=None,
        command=None,
    )  # fmt: skip


def _from_here(command: Command) -> str:
    """The command line, after a `cd` to the folder in which its paths are right."""
    is_here = os.path.realpath(command.folder) == os.path.realpath(Path.cwd())
    return command.line if is_here else f"cd {shlex.quote(command.folder)} && {command.line}"
