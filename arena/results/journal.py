"""The journal of a running tournament: every finished match, once, as soon as it is known. One writer: the driver.

SQLite in WAL mode; a match has one row, at its place in the plan. Every row has a checksum over all of it, so that a damaged
file is repaired (the match is played again) or refused, and never misread.

A worker encodes each match that it has played, once, as it is stored, and says beside it how the match ended: the one driver
of a tournament only passes bytes on and counts endings. Ids are random, so while matches are played nothing is kept in their
order: with an index of ids each row would touch a page of its own, and cost four times as much. The index is made at the end.
"""

import contextlib
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias, TypeVar, cast

import msgspec

from arena.errors import StoreError
from arena.names import in_words
from arena.records import Ending, MatchRecord, Outcome
from arena.results import json_text, sqlite
from arena.results.hashing import canonical_bytes

Row: TypeAlias = tuple[bytes, int, bytes, bytes]
"""A match as the journal stores it: id, place in the plan, body, checksum of the three."""
Endings: TypeAlias = tuple[Ending, ...]
"""How a match ended, seat by seat."""
_CHECK_BYTES = 8


class Finished(msgspec.Struct, frozen=True):
    """Some finished matches, encoded."""

    rows: list[Row]
    endings: list[Endings]
    """How each of them ended."""

    @property
    def records(self) -> list[MatchRecord]:
        """The matches, decoded."""
        return [record_of(row) for row in self.rows]


def packed(records: Iterable[MatchRecord]) -> Finished:
    """Some matches, encoded."""
    finished = Finished([], [])
    known: dict[Endings, Endings] = {}
    for record in records:
        endings = tuple([seat.ending for seat in record.seats])
        finished.rows.append(row_of(record))
        finished.endings.append(known.setdefault(endings, endings))  # the same object: it is sent once
    return finished


def row_of(record: MatchRecord) -> Row:
    """A match as the journal stores it."""
    body, match_id = msgspec.msgpack.encode(record), bytes.fromhex(record.match_id)
    return match_id, record.index, body, row_checksum(match_id, record.index, body)


def record_of(row: Row) -> MatchRecord:
    """The match of a row that is known to be sound."""
    return msgspec.msgpack.decode(row[2], type=MatchRecord)


def row_checksum(match_id: bytes, place: int, body: bytes) -> bytes:
    """The checksum of a row."""
    return checksum(match_id + place.to_bytes(8, "big") + body)


def checksum(data: bytes) -> bytes:
    """The checksum of what a row holds."""
    return hashlib.blake2b(data, digest_size=_CHECK_BYTES).digest()


JOURNAL_FILE = "journal.sqlite"
R = TypeVar("R")
_VERSION = 4  # of the tables, kept in the file's user_version
_PLACES = 1 << 62  # beyond every plan

_TABLES = f"""
begin immediate;
create table meta (name text primary key, value blob not null, checksum blob not null);
create table matches (
    match_id blob not null, place integer not null unique, body blob not null, checksum blob not null
);
pragma user_version = {_VERSION};
commit;
"""


def has_log(folder: Path, file: str = JOURNAL_FILE) -> bool:
    """Return whether part of a folder's journal is still in its write-ahead log: somebody writes, or has not ended properly."""
    try:
        return (folder / f"{file}-wal").stat().st_size > 0
    except OSError:
        return (folder / f"{file}-journal").exists()  # where there is no such log: see sqlite.py


def stored_matches(folder: Path) -> int:
    """Return how many matches the journal in a folder has; 0 if there is none. Raises StoreError."""
    if not (folder / JOURNAL_FILE).exists():
        return 0
    with Journal(folder, is_read_only=True) as journal:
        return journal.count()


class Journal:
    """A tournament's open journal; a context manager."""

    def __init__(self, folder: Path, *, is_read_only: bool = False, file: str = JOURNAL_FILE) -> None:
        """Open or make the journal in `folder`. Raises StoreError for one that is damaged beyond single rows.

        `is_read_only`: beside a run that may be going on; without checking the whole file. Threads may then share it, one
        at a time. `file`: its name, if it is not a tournament's.
        """
        self.path = folder / file
        self.repaired: list[str] = []
        """What was mended on opening, in words."""
        self.is_blank = False
        """Whether it was opened for reading and nothing was ever stored in it."""
        self.is_still = is_read_only and not has_log(folder, file)
        """Whether nobody wrote when it was opened: it is read like any file then, which leaves no other files beside it and
        can be done where nothing may be written. What somebody writes later is not seen."""
        try:
            mode = "ro&immutable=1" if self.is_still else "ro" if is_read_only else "rwc"
            is_mended = not is_read_only and sqlite.is_half_made(self.path) and self.path.stat().st_size > 0
            self._db = sqlite.opened(self.path, mode, is_shared=is_read_only)
            try:
                if is_read_only:
                    self._look()
                else:
                    self.repaired += ["nothing was ever stored in it, and it is made anew"] * is_mended
                    self._open()
            except BaseException:
                self._db.close()
                raise
        except sqlite.Error as error:
            raise self._trouble(error) from None
        except OSError as error:
            raise StoreError(f"{self.path}: cannot be opened or written: {error.strerror}") from None

    def _look(self) -> None:
        """Open for reading. A journal without tables, whose first write was cut short, is one without matches."""
        self.is_blank = sqlite.is_blank(self._db)
        if self.is_blank:
            self._db.close()
            self._db = sqlite.blank(is_shared=True)
            self._db.executescript(_TABLES)
        self._check_ours()
        self._check_version()

    def _open(self) -> None:
        self._check_ours()  # before anything looks at rows
        self._db.execute("pragma synchronous = normal")
        if problem := self._problem():
            self._db.execute("reindex")  # an index can be made again from its table
            self.repaired.append("its index was damaged and has been made anew")
            if self._problem():
                raise StoreError(f"{self.path}: damaged ({problem}); {self._way_out}")
        if sqlite.is_blank(self._db):
            self._db.executescript(_TABLES)
        self._check_version()
        self._drop_damaged()

    def __enter__(self) -> "Journal":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; everything that was added is in it."""
        self._db.close()

    @property
    def _way_out(self) -> str:
        """What helps where the file cannot be read, whatever the command: it may have no --fresh."""
        is_tournament = self.path.name == JOURNAL_FILE
        return f"restore it, or move {self.path.parent if is_tournament else self.path} away to start anew"

    def meta(self, name: str) -> bytes | None:
        """The value stored under a name, such as `plan` or `key`; None if there is none."""
        rows = list(self._rows("select value, checksum from meta where name = ?", (name,)))
        if not rows:
            return None
        value, found = rows[0]
        if not isinstance(value, bytes) or checksum(name.encode() + value) != found:
            raise StoreError(f"{self.path}: the row of {name!r} is damaged; {self._way_out}")
        return value

    def read_meta(self, name: str, kind: type[R]) -> R | None:
        """The JSON stored under a name; None if there is none. Raises StoreError for what somebody else wrote there."""
        value = self.meta(name)
        try:
            return None if value is None else json_text.decode(value, kind)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise StoreError(f"{self.path}: the row of {name!r} is not ours: {in_words(error)}; {self._way_out}") from None

    def set_meta(self, values: Mapping[str, bytes]) -> None:
        """Store named values in one transaction: all of them or none."""
        with self._writing():
            self._set(values)

    def add(self, rows: Sequence[Row], values: Mapping[str, bytes] = MappingProxyType({})) -> Sequence[Row]:
        """Store finished matches, and named values, in one transaction; returns the matches that were new.

        A match that is there already must be the same (machine's columns aside): raises StoreError otherwise.
        """
        with self._writing():
            if self._db.executemany(_INSERT, rows).rowcount == len(rows):
                self._set(values)
                return rows
            self._db.execute("rollback")  # now one by one: which of them are new?
            self._db.execute("begin immediate")
            new = [row for row in rows if self._is_new(row)]
            self._set(values)
        return new

    def index_ids(self) -> None:
        """Make `find` fast; done when nothing more is to come, because it makes `add` slow."""
        with self._writing():
            self._db.execute("create index if not exists ids on matches (match_id)")

    def find(self, match_id: str, index: int | None = None) -> MatchRecord | None:
        """The stored match with this id; None if it is not stored.

        `index`: the plan index that it must have; then it is found at once, even before `index_ids`.
        """
        values: tuple[object, ...] = (bytes.fromhex(match_id),)
        if index is None:
            rows = list(self._rows(f"{_ROWS} where match_id = ?", values))
        else:
            rows = list(self._rows(f"{_ROWS} where place = ? and match_id = ?", (index, *values)))
        return self._decode(*rows[0]) if rows else None

    def ids_between(self, low: str, high: str) -> list[str]:
        """The ids of stored matches from `low` to `high`, which count; a few of them, if there are many."""
        query = "select match_id from matches where match_id >= ? and match_id <= ? limit 5"
        found = self._rows(query, (bytes.fromhex(low), bytes.fromhex(high)))
        return [match_id.hex() for (match_id,) in found if isinstance(match_id, bytes)]

    def records(self, first: int = 0, last: int = _PLACES) -> Iterator[MatchRecord]:
        """The stored matches with plan index in first..last-1, in plan order."""
        for row in self._rows(f"{_ROWS} where place >= ? and place < ? order by place", (first, last)):
            yield self._decode(*row)

    def arrived(
        self, *, after: int = -1, before: int | None = None, is_newest_first: bool = False
    ) -> Iterator[tuple[int, MatchRecord]]:
        """The matches that were stored between these two, in the order in which they were, each with its number in it."""
        query = f"select rowid, {_COLUMNS} from matches where rowid > ? and rowid < ? order by rowid"
        numbers = (after, _PLACES if before is None else before)
        for number, *row in self._rows(f"{query} desc" if is_newest_first else query, numbers):
            yield number, self._decode(*row)

    def outcomes(self, first: int, last: int) -> Iterator[Outcome]:
        """Yield what came of the stored matches with plan index in first..last-1, in plan order: much faster than `records`."""
        for match_id, place, body, found in self._rows(f"{_ROWS} where place >= ? and place < ? order by place", (first, last)):
            yield self._decoded(self._checked(match_id, place, body, found), Outcome, place)

    def data_version(self) -> int:
        """A number that differs from the one before if another process has written since: asking costs next to nothing."""
        return int(next(self._rows("pragma data_version", ()))[0])

    def last_arrival(self) -> int:
        """The number of the match that was stored last, in the order in which they were stored; 0 without any."""
        return int(next(self._rows("select coalesce(max(rowid), 0) from matches", ()))[0])

    def arrivals(self, after: int, most: int) -> list[tuple[int, str, Outcome]]:
        """The next matches in the order in which they were stored: number, id, and what came of each.

        `after`: the number of the last one that is known, 0 for none; `most`: how many to return at most.
        """
        query = "select rowid, match_id, place, body, checksum from matches where rowid > ? order by rowid limit ?"
        rows = list(self._rows(query, (after, most)))  # all of them at once: the reading ends here, whatever a row holds
        return [(number, row[0].hex(), self._decoded(self._checked(*row), Outcome, row[1])) for number, *row in rows]

    def endings(self) -> Iterator[tuple[Ending, ...]]:
        """Yield how each stored match ended, seat by seat, in no particular order: much faster than `records`."""
        for row in self._rows(_ROWS, ()):
            yield tuple(seat.ending for seat in self._decoded(self._checked(*row), _Brief, row[1]).seats)

    def count(self) -> int:
        """The number of stored matches."""
        return int(next(self._rows("select count(*) from matches", ()))[0])

    def indices(self) -> Iterator[int]:
        """The plan indices of all stored matches."""
        for (place,) in self._rows("select place from matches", ()):
            yield place

    def _rows(self, query: str, values: tuple[object, ...]) -> Iterator[Any]:
        try:
            yield from self._db.execute(query, values)
        except sqlite.Error as error:
            raise self._trouble(error) from None

    def _is_new(self, row: Row) -> bool:
        """Store a row if its match is not there; raises StoreError if it is there with another result."""
        if self._db.execute(_INSERT, row).rowcount:
            return True
        record = record_of(row)
        stored = self.find(record.match_id, record.index)
        if stored is None or canonical_bytes(stored) != canonical_bytes(record):
            raise StoreError(
                f"{self.path}: match {record.match_id} was played twice with different results: "
                f"a bot uses the clock or its own entropy; the first result is kept"
            )
        return False

    def _set(self, values: Mapping[str, bytes]) -> None:
        rows = [(name, value, checksum(name.encode() + value)) for name, value in values.items()]
        self._db.executemany("insert or replace into meta values (?, ?, ?)", rows)

    def _decode(self, match_id: Any, place: Any, body: Any, found: Any) -> MatchRecord:
        record = self._decoded(self._checked(match_id, place, body, found), MatchRecord, place)
        if (record.match_id, record.index) != (match_id.hex(), place):
            raise StoreError(f"{self.path}: the row of match {place} holds match {record.index}, {record.match_id}")
        if len(record.delays) not in (0, len(record.actions)):
            raise StoreError(f"{self.path}: the row of match {place} is not ours: its delays are not those of its actions")
        if any(fault.seat >= len(record.seats) for fault in record.faults):
            raise StoreError(f"{self.path}: the row of match {place} is not ours: a fault of a seat that it does not have")
        return record

    def _decoded(self, body: bytes, kind: type[R], place: int) -> R:
        try:
            return msgspec.msgpack.decode(body, type=kind)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:  # the checksum is right: somebody wrote it so
            raise StoreError(f"{self.path}: the row of match {place} is not ours: {in_words(error)}") from None

    def _checked(self, match_id: Any, place: Any, body: Any, checksum: Any) -> bytes:
        if not _is_sound(match_id, place, body, checksum):
            raise StoreError(
                f"{self.path}: the row of match {place} is damaged; the command that plays the tournament plays it again"
            )
        return cast(bytes, body)

    def _drop_damaged(self) -> None:
        """Delete the rows whose checksum is wrong: their matches are played again."""
        rows = self._db.execute("select rowid, match_id, place, body, checksum from matches")
        bad = [(number,) for number, *row in rows if not _is_sound(*row)]
        if not bad:
            return
        with self._writing():
            self._db.executemany("delete from matches where rowid = ?", bad)
        if not all(_is_sound(*row) for row in self._db.execute(_ROWS)):
            raise StoreError(f"{self.path}: damaged rows cannot be removed; {self._way_out}")
        self.repaired.append(f"damaged rows were dropped, and their matches are played again: {len(bad)}")

    def _problem(self) -> str:
        """Return what SQLite finds wrong with the file; empty if nothing is wrong."""
        try:
            found = self._db.execute("pragma quick_check(1)").fetchone()[0]
            if found == "ok":  # what a quick check leaves out: whether index and table agree
                found = self._db.execute("pragma integrity_check(1)").fetchone()[0]
        except sqlite.DatabaseError as error:
            if not sqlite.is_corrupt(error):
                raise
            found = str(error)
        return "" if found == "ok" else str(found).splitlines()[-1]

    def _check_version(self) -> None:
        version = self._db.execute("pragma user_version").fetchone()[0]
        if version != _VERSION:
            raise StoreError(
                f"{self.path}: version {version} of the journal; this version of arena has {_VERSION}: {self._way_out}"
            )

    def _check_ours(self) -> None:
        """Raise StoreError for a file that runs what its author wrote."""
        try:
            odd = sqlite.odd_part(self._db)
        except sqlite.DatabaseError as error:
            if not sqlite.is_corrupt(error):
                raise
            return  # nothing of it can be run; what follows says what is damaged
        if odd is not None:
            raise StoreError(f"{self.path}: not ours: it holds a {odd[0]} that is none of ours, {odd[1]!r}")

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            with sqlite.transaction(self._db):
                yield
        except sqlite.Error as error:
            raise self._trouble(error) from None

    def _trouble(self, error: sqlite.Error) -> StoreError:
        if sqlite.is_full(error):
            return StoreError(
                f"{self.path}: cannot be written: the disk is full, or a limit is reached ({error}); nothing finished is lost: "
                f"free some space and run the same command"
            )
        if sqlite.is_shut(error):
            return StoreError(f"{self.path}: cannot be opened or written")
        return StoreError(f"{self.path}: {error}; {self._way_out}")


class _BriefSeat(msgspec.Struct):
    ending: Ending


class _Brief(msgspec.Struct):
    """The part of a stored match that is decoded where only the endings are wanted."""

    seats: tuple[_BriefSeat, ...]


_COLUMNS = "match_id, place, body, checksum"
_ROWS = f"select {_COLUMNS} from matches"
_INSERT = "insert or ignore into matches values (?, ?, ?, ?)"


def _is_sound(match_id: Any, place: Any, body: Any, found: Any) -> bool:
    """Return whether a row is what was written: damage may change types too."""
    if not isinstance(match_id, bytes) or not isinstance(place, int) or not isinstance(body, bytes):
        return False
    return 0 <= place < _PLACES and row_checksum(match_id, place, body) == found
