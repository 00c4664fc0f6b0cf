"""Finding a match in the folders that tournaments have written."""

import contextlib
from collections.abc import Iterable
from pathlib import Path

import msgspec

from arena.errors import NotStored, StoreError, printable
from arena.formats.plan import key_of_match
from arena.formats.registry import DEFAULT, read_format
from arena.hall.folder import ENTRIES, HALL, finished_or_stopped, has_an_end
from arena.names import MATCH_ID_DIGITS
from arena.records import MatchRecord
from arena.store import parquet
from arena.store.journal import JOURNAL_FILE, Journal
from arena.store.manifest import MANIFEST_FILE, read_manifest
from arena.store.schema import MATCHES

FEWEST_DIGITS = 4
"""How many of an id's first digits will do, where no other match begins so."""


def find_match(out: Path, match_id: str) -> tuple[MatchRecord, bytes]:
    """A match and the key of its deals. Raises StoreError if no folder in `out` has both."""
    _, record, key = locate_match(out, match_id)
    return record, key


def locate_match(out: Path, match_id: str) -> tuple[Path, MatchRecord, bytes]:
    """The folder of the tournament that has a match, the match, and the key of its deals. Raises StoreError if none has it."""
    wanted = match_id.lower()
    if not FEWEST_DIGITS <= len(wanted) <= MATCH_ID_DIGITS or set(wanted) - set("0123456789abcdef"):
        needed = f"{MATCH_ID_DIGITS} hex digits are needed, or the first {FEWEST_DIGITS} or more of them"
        raise StoreError(f"match id {printable(match_id, 60)!r}: {needed}")
    folders = finished_or_stopped(out)
    entries = sorted(path.parent for path in out.glob(f"{HALL}/{ENTRIES}/*/{MANIFEST_FILE}"))
    folders += [folder for folder in entries if has_an_end(folder)]  # some are nowhere else any more
    if len(wanted) < MATCH_ID_DIGITS:
        wanted = _whole(wanted, folders) or wanted.ljust(MATCH_ID_DIGITS, "0")
    troubles: list[str] = []
    for folder in folders:
        for search in (_in_journal, _in_parquet):  # somebody else's results may have no journal, or one of another machine
            try:
                return (folder, *search(folder, wanted))
            except NotStored:
                continue
            except StoreError as error:
                troubles.append(str(error))
    searched = ", ".join(dict.fromkeys(HALL if folder.parent.name == ENTRIES else folder.name for folder in folders))
    unread = "".join(f"; {trouble}" for trouble in troubles)
    raise StoreError(f"match id {match_id}: not found in {out} (searched: {searched or 'no tournament'}){unread}")


def with_faults(record: MatchRecord, folder: Path) -> MatchRecord:
    """The record with the evidence of its faults, which is in a file of its own if there is no journal. Raises StoreError."""
    if record.faults or all(seat.fault_decision is None for seat in record.seats):
        return record
    stored = tuple(found for found in parquet.read_faults(folder) if found.match_id == record.match_id)
    return msgspec.structs.replace(record, faults=stored)


def _whole(digits: str, folders: Iterable[Path]) -> str | None:
    """The only id that begins with these digits; None: there is none. Raises StoreError if there are several."""
    low, high = digits.ljust(MATCH_ID_DIGITS, "0"), digits.ljust(MATCH_ID_DIGITS, "f")
    found: dict[str, None] = {}
    for folder in folders:
        with contextlib.suppress(StoreError):  # who looks for the match itself says what is wrong
            if (folder / JOURNAL_FILE).exists():
                with Journal(folder, is_read_only=True) as journal:
                    found |= dict.fromkeys(journal.ids_between(low, high))
            if (folder / MATCHES.file).exists():
                found |= dict.fromkeys(parquet.ids_between(folder, low, high))
    if len(found) > 1:
        shown = ", ".join(sorted(found)[:3]) + (" ..." if len(found) > 3 else "")
        raise StoreError(f"match id {digits}: several begin so: {shown}; more digits are needed")
    return next(iter(found), None)


def _in_journal(folder: Path, match_id: str) -> tuple[MatchRecord, bytes]:
    if not (folder / JOURNAL_FILE).exists():
        raise NotStored(f"{folder}: no journal")
    with Journal(folder, is_read_only=True) as journal:
        record, key = journal.find(match_id), journal.meta("key")
    if record is None or key is None:
        raise NotStored(f"{folder}: no match {match_id}")
    return record, _key_of(folder, record, key)


def _in_parquet(folder: Path, match_id: str) -> tuple[MatchRecord, bytes]:
    if not (folder / MATCHES.file).exists():  # it goes on, or was killed: its journal has all
        raise NotStored(f"{folder}: no rows")
    record = parquet.find_match(folder, match_id)
    key = read_manifest(folder).key
    if key is None:
        raise StoreError(f"{folder}: the key of the deals is not public yet, so match {match_id} cannot be replayed")
    try:
        return record, _key_of(folder, record, bytes.fromhex(key))
    except ValueError:
        raise StoreError(f"{folder / MANIFEST_FILE}: damaged: the key is not hexadecimal") from None


def _key_of(folder: Path, record: MatchRecord, newest: bytes) -> bytes:
    """The key of a match's deals: each leg of a ladder has a key of its own. `newest`: the key of the last leg."""
    try:
        format = read_format(read_manifest(folder).config.get("format", {"name": DEFAULT}))
    except msgspec.ValidationError as error:
        raise StoreError(f"{folder / MANIFEST_FILE}: config.format: {error}") from None
    return key_of_match(format, newest, record.index)
