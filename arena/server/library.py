"""The results folder as the server reads it: every answer is kept until the files that it was read from have changed.

Nothing is ever written here. A board may be rewritten while it is read: then it is read again.

The submitted bots are there at once, too: the files of a bot are read again only after its folder has changed.
"""

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, cast

from arena.agent.submissions import Submission, Submissions, Withdrawal
from arena.disk import is_there
from arena.errors import StoreError
from arena.results.manifest import MANIFEST_FILE, Manifest, read_manifest
from arena.results.schema import ACTIONS, FAULTS, HISTORY, MATCHES, RATINGS, TOTALS
from arena.server.problems import Problem
from arena.tournament.archive.folder import ARCHIVE, begun, finished_or_stopped, is_archive, parts


@dataclass(frozen=True)
class SubmittedBot:
    """A submitted bot."""

    versions: tuple[Submission, ...]
    """The versions, oldest first."""
    withdrawal: Withdrawal | None
    """Why it plays no new tournaments; None if it does."""
    trouble: str = ""
    """Why its versions cannot be read; empty if they can."""


class SubmittedBots:
    """All submitted bots of a results folder. Threads may share it."""

    def __init__(self, results: Path) -> None:
        self._store = Submissions(results)
        self._known: dict[str, tuple[tuple[int, int], SubmittedBot]] = {}
        self._lock = threading.Lock()

    def all(self) -> Mapping[str, SubmittedBot]:
        """Every submitted bot by its name, sorted. A bot whose files are damaged has no versions, and says why."""
        stamps = self._stamps()
        with self._lock:
            self._known = {
                name: known
                if (known := self._known.get(name)) is not None and known[0] == stamps[name]
                else (stamps[name], self._read(name))
                for name in sorted(stamps)
            }
            return {name: bot for name, (_, bot) in self._known.items() if bot.versions or bot.trouble}

    def withdrawn(self) -> frozenset[str]:
        """The names of the bots that are withdrawn."""
        return frozenset(name for name, bot in self.all().items() if bot.withdrawal is not None)

    def of(self, name: str) -> SubmittedBot | None:
        """One submitted bot; None: there is none of this name. Raises StoreError for damaged files."""
        found = self._read(name)
        if found.trouble:
            raise StoreError(found.trouble)
        return found if found.versions else None

    def _stamps(self) -> dict[str, tuple[int, int]]:
        """Return when the folder of each bot was last changed: every version, and every withdrawal, is a new file there."""
        try:
            with os.scandir(self._store.folder / "versions") as entries:
                found = {entry.name: entry.stat() for entry in entries if entry.is_dir()}
        except OSError:
            return {}
        return {name: (one.st_mtime_ns, one.st_ino) for name, one in found.items()}

    def _read(self, name: str) -> SubmittedBot:
        try:
            versions = tuple(self._store.versions(name))
            return SubmittedBot(versions, self._store.withdrawal(name) if versions else None)
        except (StoreError, OSError) as error:
            return SubmittedBot((), None, str(error))


T = TypeVar("T")
Stamp = tuple[tuple[int, int, int] | None, ...]
"""What tells one state of some files from another: time, size and number of each; None for one that is missing."""

_FILES = (MANIFEST_FILE, *(table.file for table in (MATCHES, ACTIONS, RATINGS, HISTORY, TOTALS, FAULTS)))
_TRIES = 4  # to read a board that is being rewritten


class Library:
    """The tournaments of a results folder."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.submitted = SubmittedBots(out)
        self._small, self._large = _Kept(1024), _Kept(3)
        self._locks: dict[Hashable, threading.Lock] = {}
        self._lock = threading.Lock()

    def folders(self) -> dict[str, Path]:
        """The folders of all tournaments by name, those without a match yet and the parts of tunings included."""
        found = {*begun(self.out), *finished_or_stopped(self.out), *parts(self.out)}
        return {folder.relative_to(self.out).as_posix(): folder for folder in sorted(found)}

    def folder(self, name: str) -> Path:
        """The folder of a tournament, or of the archive. Raises Problem 404, also for a server without a board."""
        server = self.out / ARCHIVE
        if name == ARCHIVE and is_archive(server):
            if not is_there(server / MANIFEST_FILE):
                raise Problem(404, "refusal_no_archive_board")
            return server
        found = self.folders().get(name)
        if found is None:
            raise Problem(404, "refusal_no_tournament", name=repr(name))
        return found

    def manifest(self, name: str, folder: Path) -> Manifest:
        """The manifest of a tournament. Raises as `kept`."""
        return self.kept(("manifest", name), folder, lambda: read_manifest(folder), (MANIFEST_FILE,))

    def kept(
        self, key: Hashable, folder: Path, make: Callable[[], T], files: Iterable[str] = _FILES, *, is_large: bool = False
    ) -> T:
        """Return what `make` reads from a folder, made anew only after one of the files has changed.

        Whoever asks for the same thing meanwhile waits for it. `is_large`: whether it may be hundreds of megabytes, so that
        only a few such answers are kept. Raises Problem 503 while a board is being rewritten, and
        StoreError for files that cannot be read.
        """
        names = tuple(files)
        with self._lock:
            lock = self._locks.setdefault(key, threading.Lock())
        try:
            with lock:
                return self._found(self._large if is_large else self._small, key, folder, make, names)
        finally:
            with self._lock:
                if key not in self._small.answers and key not in self._large.answers:
                    self._locks.pop(key, None)  # there was no answer: nothing is left of who asked for it

    def _found(self, kept: "_Kept", key: Hashable, folder: Path, make: Callable[[], T], names: tuple[str, ...]) -> T:
        for attempt in range(_TRIES):
            stamp = stamp_of(folder, names)
            with self._lock:
                known = kept.answers.get(key)
                if known is not None and known[0] == stamp:
                    kept.answers.move_to_end(key)
                    return cast(T, known[1])
            try:
                value = make()
            except (StoreError, OSError):
                if stamp_of(folder, names) == stamp:
                    raise
                continue
            if stamp_of(folder, names) == stamp or attempt == _TRIES - 1:
                self._keep(kept, key, stamp, value)
                return value
        raise Problem(503, "refusal_being_written", name=folder.name)

    def _keep(self, kept: "_Kept", key: Hashable, stamp: Stamp, value: Any) -> None:
        with self._lock:
            kept.answers[key] = (stamp, value)
            kept.answers.move_to_end(key)
            while len(kept.answers) > kept.most:
                old, _ = kept.answers.popitem(last=False)
                self._locks.pop(old, None)


@dataclass(frozen=True)
class _Kept:
    """Answers by key, the one that was asked for last at the end."""

    most: int
    answers: OrderedDict[Hashable, tuple[Stamp, Any]] = field(default_factory=OrderedDict)


def stamp_of(folder: Path, names: Iterable[str] = _FILES) -> Stamp:
    """The state of some files of a folder."""
    return tuple(_stamp(folder / name) for name in names)


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
