"""The door to SQLite: opening a file, a transaction, and what an error means."""

import contextlib
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from arena import foreign_files

Connection = sqlite3.Connection
Error = sqlite3.Error
DatabaseError = sqlite3.DatabaseError
UPDATE, DELETE, DROP_TABLE = sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE, sqlite3.SQLITE_DROP_TABLE
"""Acts about which the authorizer of a connection is asked."""
ALLOW, DENY = sqlite3.SQLITE_OK, sqlite3.SQLITE_DENY
"""What it answers."""
BUSY_SECONDS = 5.0
"""How long a statement waits for another process that writes."""
VALUE_BYTES = 128 << 20
"""The longest text or blob: a column of somebody else's table may be a formula that gives a longer one for each row."""
BUSY_PAUSE = 0.02
"""Seconds between two tries where SQLite itself does not wait."""
_FULL = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}  # a quota and a file size limit read as the second
_SHUT = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM}


def opened(path: Path, mode: str, *, is_shared: bool) -> Connection:
    """A connection without transactions of its own. `mode`: as in SQLite's URIs; `is_shared`: by threads, one at a time.

    What a file brings along as code is not trusted: it may be somebody else's. Raises Error.
    """
    try:
        foreign_files.check_plain(path)
    except FileNotFoundError:
        pass  # it may have to be made
    except OSError as error:
        raise Error(error.strerror) from None
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    found = sqlite3.connect(uri, timeout=BUSY_SECONDS, isolation_level=None, uri=True, check_same_thread=not is_shared)
    try:
        found.execute("pragma trusted_schema = off")
        found.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, VALUE_BYTES)
    except BaseException:
        found.close()
        raise
    return found


def keep_log(db: Connection) -> None:
    """Let writers write to a log beside the file (WAL), so that readers need not wait. Raises Error.

    SQLite itself does not wait where another process does the same at this moment, or makes the first tables.
    """
    last = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            db.execute("pragma journal_mode = wal")
            return
        except Error as error:
            if _code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > last:
                raise
        time.sleep(BUSY_PAUSE)


@contextlib.contextmanager
def transaction(db: Connection) -> Iterator[None]:
    """Write all or nothing. Raises Error."""
    try:
        db.execute("begin immediate")
        yield
        db.execute("commit")
    except BaseException:
        with contextlib.suppress(Error):  # SQLite may have rolled back by itself
            db.execute("rollback")
        raise


def is_corrupt(error: Error) -> bool:
    """Whether the file is damaged."""
    return _code(error) == sqlite3.SQLITE_CORRUPT


def is_full(error: Error) -> bool:
    """Whether there is no room to write."""
    return _code(error) in _FULL


def is_shut(error: Error) -> bool:
    """Whether the file cannot be opened, or not be written."""
    return _code(error) in _SHUT


def odd_part(db: Connection) -> tuple[str, str] | None:
    """A view or a trigger of the file, which would run what its author wrote: its kind and its name. None if there is none."""
    rows: list[tuple[Any, Any]] = list(db.execute("select type, name from sqlite_master where type <> 'index'"))
    return min(((str(kind), str(name)) for kind, name in rows if kind != "table"), default=None)


def _code(error: Error) -> int:
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF  # without the details in the upper bits
