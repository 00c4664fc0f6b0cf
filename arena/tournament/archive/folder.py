"""The archive: all finished tournaments beside each other, in `leaderboards/archive/`.

`archive/tournaments/` holds a folder per tournament with its manifest, rows, logs, faults and ratings, as they were at its end:
to add one is to put one more folder there, in one step, and what is there is never written again. Everything else in `archive/`
follows from these folders, whatever the order in which they came: they are read in the order of their start, then their name.
"""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from arena.disk import is_there
from arena.errors import StoreError
from arena.results.journal import JOURNAL_FILE
from arena.results.manifest import MANIFEST_FILE, Manifest, read_manifest
from arena.results.schema import HISTORY, MATCHES, RATINGS, TOTALS

ARCHIVE = "archive"
"""The archive's folder, beside those of the tournaments, and so no tournament's name."""
ENTRIES = "tournaments"
"""The folder in the archive that holds a folder per tournament."""
FINAL = "final"
"""The last comparison of a tuning, in its folder."""
BEING_ADDED = ".new-"
"""How the name of a folder begins while a tournament is added."""


def is_archive(folder: Path) -> bool:
    """Return whether a folder is the archive and no tournament's."""
    return (folder / ENTRIES).is_dir()


def finished_or_stopped(out: Path) -> list[Path]:
    """The folders in `out` of all tournaments that have ended or were stopped, by name: those with a manifest."""
    return _with(MANIFEST_FILE, out)


def tournaments(out: Path) -> list[Path]:
    """The folders in `out` of all tournaments, by name, also of one that has only just begun, and of the parts of tunings.

    Raises StoreError without any.
    """
    folders = sorted({*begun(out), *finished_or_stopped(out), *parts(out)})
    if not folders:
        raise StoreError(f"{out}: no tournament there; play one with: arena tournament CONFIG")
    return folders


def begun(out: Path) -> list[Path]:
    """The folders in `out` of all tournaments that have a journal, by name."""
    return _with(JOURNAL_FILE, out)


def _with(file: str, out: Path) -> list[Path]:
    found = sorted(path.parent for path in out.glob(f"*/{file}") if file != MANIFEST_FILE or is_there(path))
    return [folder for folder in found if not is_archive(folder)]


def parts(out: Path) -> list[Path]:
    """The folders of tournaments that are parts of a whole, as the rounds of a tuning are: they lie in its folder."""
    found = {path.parent for name in (MANIFEST_FILE, JOURNAL_FILE) for path in out.glob(f"*/*/{name}")}
    return sorted(folder for folder in found if not is_archive(folder.parent))


def chosen(name: str, known: Mapping[str, Path]) -> list[Path]:
    """The folders that a name means: of one tournament, or of all parts of a tuning or steps of a chain."""
    if name in known:
        return [known[name]]
    return [folder for other, folder in known.items() if other.startswith((f"{name}/", f"{name}-"))]


@dataclass(frozen=True)
class Entry:
    """A tournament in the archive."""

    folder: Path
    manifest: Manifest

    @cached_property
    def started(self) -> datetime.datetime:
        """When the tournament started, with a time zone. Raises StoreError if the manifest does not say."""
        return _start(self.folder, self.manifest)

    @property
    def order(self) -> tuple[datetime.datetime, str, str]:
        """What the tournaments of the archive are sorted by: the start, then the name, then the folder."""
        return self.started, self.manifest.name, self.folder.name


def entries(archive: Path) -> list[Entry]:
    """The tournaments in the archive, in order. Raises StoreError."""
    folders = [path.parent for path in (archive / ENTRIES).glob(f"*/{MANIFEST_FILE}") if is_there(path)]
    added = [Entry(folder, read_manifest(folder)) for folder in folders if not folder.name.startswith(BEING_ADDED)]
    return sorted(added, key=lambda entry: entry.order)


def rated_entries(archive: Path) -> list[Entry]:
    """The tournaments that the stored board covers, in order, even while others are being added. Raises StoreError."""
    folders = [archive / ENTRIES / name for name in read_manifest(archive).tournaments]
    return [Entry(folder, read_manifest(folder)) for folder in folders]


def is_rated(archive: Path) -> bool:
    """Return whether the stored board covers exactly the tournaments that are in the archive now."""
    files = (MANIFEST_FILE, RATINGS.file, HISTORY.file, TOTALS.file)
    if not all(is_there(archive / file) for file in files):
        return False
    try:
        manifest = read_manifest(archive)
    except StoreError:  # it can be written anew
        return False
    return manifest.tournaments == tuple(entry.folder.name for entry in entries(archive))


def check_place(archive: Path) -> None:
    """Raise StoreError if a tournament occupies the archive's folder: one from before that name was taken."""
    if archive.exists() and not is_archive(archive) and any(is_there(archive / file) for file in (MANIFEST_FILE, MATCHES.file)):
        raise StoreError(f"{archive}: a tournament of that name is where the archive has its place; rename its folder")


def _start(folder: Path, manifest: Manifest) -> datetime.datetime:
    try:
        start = datetime.datetime.fromisoformat(manifest.started)
    except ValueError:
        raise StoreError(f"{folder / MANIFEST_FILE}: damaged: started: {manifest.started!r} is no ISO 8601 time") from None
    if start.year in (datetime.MINYEAR, datetime.MAXYEAR):  # no clock says so, and it has no time in other zones
        raise StoreError(f"{folder / MANIFEST_FILE}: damaged: started: {manifest.started!r}")
    return start if start.tzinfo is not None else start.replace(tzinfo=datetime.UTC)
