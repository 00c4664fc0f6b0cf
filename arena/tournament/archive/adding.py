"""Adding a finished tournament to the hall, in one step: a crash leaves the hall with it or without it."""

import datetime
import shutil
import tempfile
from pathlib import Path

from arena.disk import is_there, link, set_mode, sync
from arena.errors import StoreError
from arena.foreign_files import check_plain
from arena.ratings.stored import COLUMNS, StoredRows
from arena.results import parquet
from arena.results.hashing import ResultsHash
from arena.results.manifest import MANIFEST_FILE, Manifest, read_manifest
from arena.results.schema import ACTIONS, FAULTS, MATCHES, RATINGS
from arena.tournament.archive.folder import BEING_ADDED, ENTRIES, Entry, check_place

DIGITS = 12  # of the results hash, in the name of an entry

_NEEDED = (MANIFEST_FILE, MATCHES.file, ACTIONS.file, RATINGS.file)  # what an audit reads


def add_to_hall(hall: Path, folder: Path, *, is_ours: bool = False) -> Entry | None:
    """Add a finished tournament's folder; None when it is there already. Raises StoreError.

    Boards of the hall cover all that is in it, so one folder that cannot be rated would take them all. `is_ours`: this process
    has just written the files, and worked out their hash.

    The files are linked, not copied, where the file system can: they cost no space, and stay when the folder goes.
    """
    manifest = read_manifest(folder)
    if not manifest.finished or manifest.results_sha256 is None:
        raise StoreError(f"{folder}: not finished; only what is over enters the hall")
    start = Entry(folder, manifest).started.astimezone(datetime.UTC)
    target = hall / ENTRIES / f"{start:%Y%m%dT%H%M%SZ}-{manifest.name}-{manifest.results_sha256[:DIGITS]}"
    if _is_whole(target):
        return None
    check_place(hall)
    files = _files(folder)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=BEING_ADDED, dir=target.parent))
        try:
            set_mode(temporary, 0o755)
            for file in files:
                link(folder / file, temporary / file)
            _check(folder, manifest, temporary)
            if not is_ours:
                _check_rows(folder, manifest, temporary)
            sync(temporary)
            if not _is_whole(target):
                shutil.rmtree(target, ignore_errors=True)  # a folder was made there and never its files, or they were lost
            try:
                temporary.rename(target)
            except OSError:
                if target.exists():  # somebody was faster with the same
                    return None
                raise
            sync(target.parent)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    except OSError as error:
        raise StoreError(f"{target.parent}: cannot be written: {error.strerror}") from None
    return Entry(target, manifest)


def _files(folder: Path) -> list[str]:
    """The files of a tournament that enter the hall. Raises StoreError for what is missing, and for what is no file."""
    found = [*_NEEDED]
    if is_there(folder / FAULTS.file):  # what authors of bots read; older results have none
        found.append(FAULTS.file)
    for file in found:
        try:
            check_plain(folder / file)
        except OSError as error:
            raise StoreError(f"{folder / file}: cannot be read: {error.strerror}") from None
    return found


def _check_rows(folder: Path, manifest: Manifest, linked: Path) -> None:
    """Raise StoreError for files that are not those whose hash the manifest has, or that cannot be rated beside others."""
    known = {(bot.name, bot.version, bot.sha256) for bot in manifest.bots}
    found = ResultsHash()
    for record in parquet.read_matches(linked):
        found.add(record)
        for seat in record.seats:
            if (seat.bot, seat.bot_version, seat.bot_sha256) not in known:
                raise StoreError(f"{folder}: match {record.match_id}: {MANIFEST_FILE} has no such bot: {seat.bot!r}")
        if record.pool not in manifest.pools or record.game not in manifest.rules_versions:
            raise StoreError(f"{folder}: match {record.match_id}: {MANIFEST_FILE} has no such pool or game: {record.pool!r}")
    if (found.results_sha256, found.reproducible_sha256) != (manifest.results_sha256, manifest.reproducible_sha256):
        raise StoreError(f"{folder}: the rows are not those whose results_sha256 {MANIFEST_FILE} names; `arena verify-results`")
    StoredRows(parquet.read_columns(linked, COLUMNS))
    parquet.read_totals(linked)
    parquet.read_ratings(linked)
    parquet.read_faults(linked)


def _is_whole(entry: Path) -> bool:
    return all(is_there(entry / file) for file in _NEEDED)


def _check(folder: Path, manifest: Manifest, linked: Path) -> None:
    """Raise StoreError if the files are not of the tournament that the manifest describes: a run may be writing there."""
    _, matches = parquet.check_matches(linked)
    if read_manifest(linked) != manifest or matches != manifest.played:
        raise StoreError(f"{folder}: {MANIFEST_FILE} tells of {manifest.played} matches, {MATCHES.file} has {matches}")
