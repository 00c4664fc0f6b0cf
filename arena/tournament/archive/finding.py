"""Finding a match in the folders that tournaments have written."""

import contextlib
from collections.abc import Iterable
from pathlib import Path

import msgspec

from arena.disk import is_there
from arena.errors import NotStored, StoreError, printable
from arena.names import MATCH_ID_DIGITS
from arena.records import MatchRecord
from arena.results import parquet
from arena.results.journal import JOURNAL_FILE, Journal
from arena.results.manifest import MANIFEST_FILE, Manifest, read_manifest
from arena.results.people import PEOPLE, find_people_match, has_people, open_people, pools_of
from arena.results.schema import MATCHES
from arena.tournament.archive.folder import ARCHIVE, ENTRIES, finished_or_stopped
from arena.tournament.formats.format import DEFAULT, Format, read_format
from arena.tournament.formats.ladder import Ladder
from arena.tournament.formats.ladder.state import StoredLadder, read_ladder
from arena.tournament.formats.plan import key_of_match

FEWEST_DIGITS = 4
"""How many of an id's first digits will do, where no other match begins so."""


def find_match(out: Path, match_id: str) -> tuple[MatchRecord, bytes]:
    """A match and the key of its deals. Raises StoreError if no folder in `out` has both."""
    _, record, key = locate_match(out, match_id)
    return record, key


def locate_match(out: Path, match_id: str) -> tuple[Path, MatchRecord, bytes]:
    """The folder of the tournament that has a match, the match, and the key of its deals. Raises StoreError if none has it.

    The folder of a match of people is PEOPLE, which is no tournament's.
    """
    wanted = match_id.lower()
    if not FEWEST_DIGITS <= len(wanted) <= MATCH_ID_DIGITS or set(wanted) - set("0123456789abcdef"):
        needed = f"{MATCH_ID_DIGITS} hex digits are needed, or the first {FEWEST_DIGITS} or more of them"
        raise StoreError(f"match id {printable(match_id, 60)!r}: {needed}")
    folders = finished_or_stopped(out)
    folders += sorted(
        path.parent for path in out.glob(f"{ARCHIVE}/{ENTRIES}/*/{MANIFEST_FILE}")
    )  # some are nowhere else any more
    if len(wanted) < MATCH_ID_DIGITS:
        wanted = _whole(out, wanted, folders) or wanted.ljust(MATCH_ID_DIGITS, "0")
    troubles: list[str] = []
    try:
        if (of_people := find_people_match(out, wanted)) is not None:
            return (out / PEOPLE, *of_people)
    except StoreError as error:
        troubles.append(str(error))
    for folder in folders:
        for search in (_in_journal, _in_parquet):  # somebody else's results may have no journal, or one of another machine
            try:
                return (folder, *search(folder, wanted))
            except NotStored:
                continue
            except StoreError as error:
                troubles.append(str(error))
    searched = ", ".join(dict.fromkeys(ARCHIVE if folder.parent.name == ENTRIES else folder.name for folder in folders))
    unread = "".join(f"; {trouble}" for trouble in troubles)
    raise StoreError(f"match id {match_id}: not found in {out} (searched: {searched or 'no tournament'}){unread}")


def is_of_people(record: MatchRecord) -> bool:
    """Return whether a match was played outside any tournament: by people, on request, or by a remote bot."""
    return record.pool in pools_of(record.game)  # no pool of a tournament has such a name


def with_faults(record: MatchRecord, folder: Path) -> MatchRecord:
    """The record with the evidence of its faults, which is in a file of its own if there is no journal. Raises StoreError."""
    if record.faults or all(seat.fault_decision is None for seat in record.seats):
        return record
    stored = tuple(found for found in parquet.read_faults(folder) if found.match_id == record.match_id)
    return msgspec.structs.replace(record, faults=stored)


def _whole(out: Path, digits: str, folders: Iterable[Path]) -> str | None:
    """The only id that begins with these digits; None: there is none. Raises StoreError if there are several."""
    low, high = digits.ljust(MATCH_ID_DIGITS, "0"), digits.ljust(MATCH_ID_DIGITS, "f")
    found: dict[str, None] = {}
    with contextlib.suppress(StoreError):  # who looks for the match itself says what is wrong
        if has_people(out):
            with open_people(out) as journal:
                found |= dict.fromkeys(journal.ids_between(low, high))
    for folder in folders:
        with contextlib.suppress(StoreError):
            if (folder / JOURNAL_FILE).exists():
                with Journal(folder, is_read_only=True) as journal:
                    found |= dict.fromkeys(journal.ids_between(low, high))
            if is_there(folder / MATCHES.file):
                found |= dict.fromkeys(parquet.ids_between(folder, low, high))
    if len(found) > 1:
        shown = ", ".join(sorted(found)[:3]) + (" ..." if len(found) > 3 else "")
        raise StoreError(f"match id {digits}: several begin so: {shown}; more digits are needed")
    return next(iter(found), None)


def _in_journal(folder: Path, match_id: str) -> tuple[MatchRecord, bytes]:
    if not (folder / JOURNAL_FILE).exists():
        raise NotStored(f"{folder}: no journal")
    with Journal(folder, is_read_only=True) as journal:
        record, (key, state) = journal.find(match_id), _key_and_ladder(journal)
    if record is None or key is None:
        raise NotStored(f"{folder}: no match {match_id}")
    return record, key_of_stored(folder, record, key, state)


def _key_and_ladder(journal: Journal) -> tuple[bytes | None, StoredLadder | None]:
    """The newest key, and the state of a ladder, which belong together: a new leg changes both at once."""
    while True:
        key, state = journal.meta("key"), read_ladder(journal)
        if journal.meta("key") == key:
            return key, state


def _in_parquet(folder: Path, match_id: str) -> tuple[MatchRecord, bytes]:
    if not (folder / MATCHES.file).exists():  # it goes on, or was killed: its journal has all
        raise NotStored(f"{folder}: no rows")
    record = parquet.find_match(folder, match_id)
    key = read_manifest(folder).key
    if key is None:
        raise StoreError(f"{folder}: the key of the deals is not public yet, so match {match_id} cannot be replayed")
    try:
        return record, key_of_stored(folder, record, bytes.fromhex(key))
    except ValueError:
        raise StoreError(f"{folder / MANIFEST_FILE}: damaged: the key is not hexadecimal") from None


def key_of_stored(folder: Path, record: MatchRecord, newest: bytes, state: StoredLadder | None = None) -> bytes:
    """The key of a match's deals: each leg of a ladder has a key of its own. `newest`: the key of the last leg.

    `state`: of a ladder that may go on. It knows every stage before a match of it is played; the manifest only those of legs
    that are over, and would give matches of the leg that goes on the key of another one.
    """
    if state is not None:
        return key_of_match(Ladder(state.legs, state.stages, state.owners, state.chain), newest, record.index)
    return key_of_match(_stored_format(folder, read_manifest(folder)), newest, record.index)


def public_keys(folder: Path, records: Iterable[MatchRecord]) -> dict[str, str | None]:
    """The keys of the deals of stored matches in hex digits, by match id; None: they are not public yet.

    What is no key stays as it is: whoever uses it says so.
    """
    manifest = read_manifest(folder)
    try:
        newest = bytes.fromhex(manifest.key or "")
    except ValueError:
        newest = b""
    if not newest:
        return {record.match_id: manifest.key for record in records}
    format = _stored_format(folder, manifest)
    return {record.match_id: key_of_match(format, newest, record.index).hex() for record in records}


def _stored_format(folder: Path, manifest: Manifest) -> Format:
    try:
        return read_format(manifest.config.get("format", {"name": DEFAULT}))
    except msgspec.ValidationError as error:
        raise StoreError(f"{folder / MANIFEST_FILE}: config.format: {error}") from None
