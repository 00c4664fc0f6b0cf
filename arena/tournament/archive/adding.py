"""A finished tournament is added to the archive, in one step, and then the archive is rated anew.

A crash leaves the archive with the tournament or without it. Ratings, history and totals are a pure function of its tournaments
(folder.py), so whoever looks first after one was added works them out: ending a tournament costs no more beside a
large archive than beside an empty one.
"""

import contextlib
import datetime
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from arena.disk import is_there, link, lock, lock_file, set_mode, sync
from arena.errors import StoreError
from arena.ratings.overall import pool_weights
from arena.ratings.settings import RatingSettings
from arena.ratings.stored import COLUMNS, StoredRows, stored_pools, unrated_entries
from arena.records import Ending, json_object
from arena.results import columns, parquet
from arena.results.hashing import ResultsHash
from arena.results.manifest import MANIFEST_FILE, Manifest, read_manifest, write_manifest
from arena.results.schema import ACTIONS, FAULTS, MATCHES, RATINGS
from arena.tournament.archive.folder import BEING_ADDED, ENTRIES, Entry, check_place, entries, is_rated
from arena.tournament.archive.names import Pool, archive_bots
from arena.tournament.archive.rows import ArchiveRows, read_rows
from arena.tournament.deciding import decide
from arena.userfiles import check_plain

DIGITS = 12  # of the results hash, in the name of an entry

_NEEDED = (MANIFEST_FILE, MATCHES.file, ACTIONS.file, RATINGS.file)  # what an audit reads
LOCK_FILE = "lock"

Say = Callable[[str], None]


def add_to_archive(archive: Path, folder: Path, *, is_ours: bool = False) -> Entry | None:
    """Add a finished tournament's folder; None when it is there already. Raises StoreError.

    Its boards cover all that is in it, so one folder that cannot be rated would take them all. `is_ours`: this process
    has just written the files, and worked out their hash.

    The files are linked, not copied, where the file system can: they cost no space, and stay when the folder goes.
    """
    manifest = read_manifest(folder)
    if not manifest.finished or manifest.results_sha256 is None:
        raise StoreError(f"{folder}: not finished; only what is over enters the archive")
    start = Entry(folder, manifest).started.astimezone(datetime.UTC)
    target = archive / ENTRIES / f"{start:%Y%m%dT%H%M%SZ}-{manifest.name}-{manifest.results_sha256[:DIGITS]}"
    if _is_whole(target):
        return None
    check_place(archive)
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
    """The files of a tournament that enter the archive. Raises StoreError for what is missing, and for what is no file."""
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


def rate_archive(archive: Path, say: Say) -> None:
    """Work out the board of the archive, unless another process has done so meanwhile. Raises StoreError."""
    with _locked(archive, say):
        if not is_rated(archive):
            _rate(archive, say)


def _rate(archive: Path, say: Say) -> None:
    everything = entries(archive)  # once: others may be added meanwhile
    costs = columns.sum_up(read_rows(everything, columns.SUMMED).columns)
    rows = read_rows(everything, COLUMNS)
    matches = _matches(rows)
    say(f"rating the archive anew: {matches:,} matches, tournaments: {len(rows.parts)} ...")
    settings = RatingSettings()
    endings: Counter[Ending] = Counter()
    for total in costs:
        endings[total.ending] += total.seats
    chosen = [part.entry for part in rows.parts]
    config = {"entries": [_entry(pool) for pool in rows.pools], "ratings": msgspec.to_builtins(settings)}
    manifest = Manifest(
        name=archive.name, finished=True, started=chosen[0].manifest.started if chosen else "", plan_sha256="", commitment="",
        config=config, packages={}, rules_versions={}, bots=archive_bots(chosen),
        pools=(), matches=matches, played=matches, void=_void(rows), endings=dict(endings),
        tournaments=tuple(entry.folder.name for entry in chosen),
    )  # fmt: skip
    pools = dict(sorted(stored_pools(rows.columns, {}, unrated=unrated_entries(manifest)).items()))
    weights = pool_weights(((pool.name, pool.game) for pool in rows.pools), settings)
    decided = decide(pools, settings, weights, manifest.plan_sha256)
    parquet.write_ratings(archive, decided.ratings)
    parquet.write_history(archive, decided.history)
    parquet.write_totals(archive, costs)
    unrated = matches - manifest.void - sum(pool.matches for pool in pools.values())
    manifest = msgspec.structs.replace(
        manifest, pools=tuple(pools), rotations_saved=decided.saved.rotations,
        order_shifts=decided.order_shifts, unrated=unrated
    )  # fmt: skip
    write_manifest(archive, manifest)  # last: it says which tournaments the other files are about


def _matches(rows: ArchiveRows) -> int:
    index = rows.columns.numbers["index"]
    return int(index[-1]) + 1 if len(index) else 0


def _void(rows: ArchiveRows) -> int:
    """The number of matches that the host could not finish; all their seats say so."""
    endings = rows.columns.texts["ending"]
    failed = endings.codes == endings.code(Ending.HOST.value)
    return len(np.unique(rows.columns.numbers["index"][failed]))


def _entry(pool: Pool) -> dict[str, Any]:
    """A pool in the form that the resolved config of a tournament has."""
    return {
        "pool": pool.name, "game": pool.game, "seats": pool.seats, "options": json_object(pool.options),
        "rules_version": pool.rules_version,
    }  # fmt: skip


@contextlib.contextmanager
def _locked(archive: Path, say: Say) -> Iterator[None]:
    """Let one process at a time write the board; the system releases the lock of a process that dies."""
    try:
        with lock_file(archive / LOCK_FILE) as file:
            if lock(file, archive / LOCK_FILE, waits=False) is False:
                say("waiting for another process that rates the archive ...")
                lock(file, archive / LOCK_FILE, waits=True)
            yield
    except OSError as error:
        raise StoreError(f"{archive}: cannot be written: {error.strerror}") from None
