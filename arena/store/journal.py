"""The journal of a running tournament: every finished match, once, as soon as it is known. One writer: the driver.

SQLite in WAL mode; the primary key is the match id, and every row has a checksum, so that a damaged file is noticed and
never misread.
"""

import contextlib
import fcntl
import hashlib
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

import msgspec

from arena.errors import StoreError
from arena.records import MatchRecord
from arena.store.hashing import canonical_bytes

FILE = "journal.sqlite"
LOCK = "lock"
_CHECK_BYTES = 8

_TABLES = """
create table if not exists meta (name text primary key, value blob not null);
create table if not exists matches (
    match_id blob primary key, place integer not null unique, body blob not null, checksum blob not null
) without rowid;
"""


class FolderLock:
    """Holds an output folder for one run; a context manager. Raises StoreError when another run holds it."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / LOCK
        self._file: TextIO | None = None

    def __enter__(self) -> "FolderLock":
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._path.open("a+")
        except OSError as error:
            raise StoreError(f"{self._path.parent}: cannot be written: {error.strerror}") from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.seek(0)
            owner = self._file.read().strip() or "unknown"
            self._file.close()
            raise StoreError(
                f"{self._path.parent}: another run (process {owner}) is writing there; wait for it, or choose --name or --out"
            ) from None
        self._file.truncate(0)
        self._file.write(str(os.getpid()))
        self._file.flush()
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()


class Journal:
    """An open journal; a context manager."""

    def __init__(self, folder: Path, *, is_read_only: bool = False) -> None:
        """Open or make the journal in `folder`. Raises StoreError for a damaged one."""
        self.path = folder / FILE
        try:
            if is_read_only:
                self._db = sqlite3.connect(f"{self.path.absolute().as_uri()}?mode=ro", isolation_level=None, uri=True)
                return
            self._db = sqlite3.connect(self.path, isolation_level=None)
            self.path.chmod(0o600)  # it holds the key of the deals
            self._db.execute("pragma journal_mode = wal")
            self._db.execute("pragma synchronous = normal")
            problem = self._db.execute("pragma quick_check(1)").fetchone()[0]
            if problem != "ok":
                raise StoreError(f"{self.path}: damaged ({problem}); restore it, or start anew with --fresh")
            self._db.executescript(_TABLES)
        except sqlite3.Error as error:
            raise self._trouble(error) from None

    def __enter__(self) -> "Journal":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; all that was added is in it."""
        self._db.close()

    def meta(self, name: str) -> bytes | None:
        """A named value of the run (plan, key)."""
        rows = list(self._rows("select value from meta where name = ?", (name,)))
        return bytes(rows[0][0]) if rows else None

    def set_meta(self, values: Mapping[str, bytes]) -> None:
        """Store named values, all or none."""
        with self._writing():
            self._db.executemany("insert or replace into meta values (?, ?)", values.items())

    def add(self, records: Iterable[MatchRecord]) -> list[MatchRecord]:
        """Store finished matches in one transaction; returns those that were new.

        A match that is there already must be the same (machine's columns aside): raises StoreError otherwise.
        """
        new: list[MatchRecord] = []
        with self._writing():
            for record in records:
                body = msgspec.msgpack.encode(record)
                row = (bytes.fromhex(record.match_id), record.index, body, _checksum(body))
                if self._db.execute("insert or ignore into matches values (?, ?, ?, ?)", row).rowcount:
                    new.append(record)
                elif not self._has_same(record):
                    raise StoreError(
                        f"{self.path}: match {record.match_id} was played twice with different results: "
                        f"a bot uses the clock or its own entropy; the first result is kept"
                    )
        return new

    def find(self, match_id: str) -> MatchRecord | None:
        """One stored match."""
        query = "select place, body, checksum from matches where match_id = ?"
        rows = list(self._rows(query, (bytes.fromhex(match_id),)))
        return self._decode(*rows[0]) if rows else None

    def records(self, first: int = 0, last: int = 1 << 62) -> Iterator[MatchRecord]:
        """The stored matches with plan index in first..last-1, in plan order."""
        query = "select place, body, checksum from matches where place >= ? and place < ? order by place"
        for row in self._rows(query, (first, last)):
            yield self._decode(*row)

    def indices(self) -> Iterator[int]:
        """The plan indices of all stored matches."""
        for (place,) in self._rows("select place from matches", ()):
            yield place

    def _rows(self, query: str, values: tuple[object, ...]) -> Iterator[Any]:
        try:
            yield from self._db.execute(query, values)
        except sqlite3.Error as error:
            raise self._trouble(error) from None

    def _has_same(self, record: MatchRecord) -> bool:
        stored = self.find(record.match_id)
        return stored is not None and canonical_bytes(stored) == canonical_bytes(record)

    def _decode(self, place: int, body: bytes, checksum: bytes) -> MatchRecord:
        if _checksum(body) != checksum:
            raise StoreError(f"{self.path}: the row of match {place} is damaged; restore it, or start anew with --fresh")
        return msgspec.msgpack.decode(body, type=MatchRecord)

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            self._db.execute("begin immediate")
            yield
            self._db.execute("commit")
        except BaseException as error:
            with contextlib.suppress(sqlite3.Error):  # SQLite may have rolled back by itself
                self._db.execute("rollback")
            if isinstance(error, sqlite3.Error):
                raise self._trouble(error) from None
            raise

    def _trouble(self, error: sqlite3.Error) -> StoreError:
        if "full" in str(error):
            return StoreError(
                f"{self.path}: the disk is full; nothing finished is lost: free some space and run the same command"
            )
        if isinstance(error, sqlite3.OperationalError) and "unable to open" in str(error):
            return StoreError(f"{self.path}: cannot be opened or written")
        return StoreError(f"{self.path}: {error}; restore it, or start anew with --fresh")


def _checksum(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=_CHECK_BYTES).digest()
