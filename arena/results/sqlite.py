"""The door to SQLite: opening a file, a transaction, and what an error means.

A file in which nothing was ever written whole, as a full disk or a loss of power leaves it, counts as none. Where the file
system has no locks, or no memory that processes share, SQLite works without: one command at a time may then use the file.
"""

import contextlib
import os
import re
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from arena import userfiles
from arena.disk import has_locks, say_weaker
from arena.results_folder import protect

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
_SHARING = {sqlite3.SQLITE_IOERR_SHMOPEN, sqlite3.SQLITE_IOERR_SHMLOCK, sqlite3.SQLITE_IOERR_SHMMAP}
"""What fails where no memory is shared, which a log needs. (That its file cannot be enlarged is a full disk.)"""
_HEADER = b"SQLite format 3\0"
_PAGE = 4096  # bytes; the usual size of a page
_FILES = ("", "-wal", "-shm", "-journal")
"""How the names of the files end that SQLite opens."""
_PLAIN = re.compile(
    r"create (table|(unique )?index) \w+( on \w+)? ?\(([\w\s,]|primary key \([\w, ]*\))*\)( without rowid)?", re.I
)
"""Tables and indices that are names and types alone. A formula has other brackets, and a condition follows the last one."""
_SHUT = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM}


def opened(path: Path, mode: str, *, is_shared: bool) -> Connection:
    """A connection without transactions of its own. `mode`: as in SQLite's URIs; `is_shared`: by threads, one at a time.

    What is written is private, as `protect` says: what strangers send, and the keys of the deals. What a file brings along as
    code is not trusted: it may be somebody else's. Raises Error and OSError.
    """
    for end in _FILES:
        _check_file(path.with_name(path.name + end), may_be_link=not end and "w" not in mode)
    size = path.stat().st_size if path.exists() else 0  # seen before it is read: an empty one may be filled at this moment
    if is_half_made(path):
        if "w" not in mode:
            return blank(is_shared=is_shared)
        if size:
            os.truncate(path, 0)
    if "c" in mode and path.parent.is_dir() and not path.exists():
        path.touch(0o600)
    if "w" in mode and path.exists():
        protect(path)  # before there is a log beside it, which gets the same mode
    if "immutable" in mode or has_locks(path.parent):
        found = _connected(path, mode, is_shared=is_shared)
        try:
            found.execute("select 1 from sqlite_master limit 1").fetchall()
            if "w" in mode:
                _keep_log(found)
            return found
        except BaseException as error:
            found.close()
            if not isinstance(error, Error) or _code(error, whole=True) not in _SHARING:
                raise
    say_weaker(path, "SQLite finds no locks here: let only one command at a time use these files")
    found = _connected(path, f"{mode}&vfs=unix-none", is_shared=is_shared)
    try:
        if "w" in mode:
            found.execute("pragma locking_mode = exclusive")  # so a log from elsewhere can be read without shared memory
            found.execute("pragma journal_mode = truncate").fetchall()
        return found
    except BaseException:
        found.close()
        raise


def _check_file(path: Path, *, may_be_link: bool) -> None:
    """Raise Error for a pipe or a device, which have no end, and for a link, by which another file would be written."""
    try:
        userfiles.check_plain(path)
    except FileNotFoundError:
        pass  # it may have to be made
    except OSError as error:
        raise Error(f"{path.name}: {error.strerror}") from None
    if path.is_symlink() and not may_be_link:
        raise Error(f"{path.name} is a link")


def blank(*, is_shared: bool) -> Connection:
    """A connection to a database with nothing in it, which is no file."""
    return sqlite3.connect(":memory:", isolation_level=None, check_same_thread=not is_shared)


def is_blank(db: Connection) -> bool:
    """Return whether a database has no tables: nothing has been stored there. Raises Error."""
    return int(db.execute("select count(*) from sqlite_master").fetchone()[0]) == 0


def is_half_made(path: Path) -> bool:
    """Return whether a file holds nothing yet: it is empty, all zeros, or ends within its first page."""
    if not path.is_file():
        return False
    try:
        size = path.stat().st_size
        if size == 0:
            return True
        if size >= _PAGE and _is_read(path):
            return False  # asked first: to close a file that SQLite has open, too, would end all its locks in this process
        with userfiles.opened(path) as file:
            head = file.read(_PAGE)
            if not head.strip(b"\0"):
                return size <= len(head) or not any(block.strip(b"\0") for block in iter(lambda: file.read(1 << 20), b""))
    except OSError:
        return False
    page = int.from_bytes(head[16:18], "big") if len(head) >= 18 else _PAGE
    return head[: len(_HEADER)] == _HEADER[: len(head)] and size < (page if page != 1 else 1 << 16)


def _is_read(path: Path) -> bool:
    """Return whether SQLite does not say that a file is no database: another error is another matter.

    The file counts as one that nobody writes to, so looking leaves no log beside it; what a log adds is no matter here.
    """
    try:
        with contextlib.closing(_connected(path, "ro&immutable=1", is_shared=False)) as db:
            db.execute("select 1 from sqlite_master limit 1").fetchall()
    except Error as error:
        return _code(error) != sqlite3.SQLITE_NOTADB
    return True


def _connected(path: Path, mode: str, *, is_shared: bool) -> Connection:
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    found = sqlite3.connect(uri, timeout=BUSY_SECONDS, isolation_level=None, uri=True, check_same_thread=not is_shared)
    try:
        found.execute("pragma trusted_schema = off")
        found.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, VALUE_BYTES)
    except BaseException:
        found.close()
        raise
    return found


def _keep_log(db: Connection) -> None:
    """Let writers write to a log beside the file (WAL), so that readers need not wait. Raises Error.

    SQLite itself does not wait where another process does the same at this moment, or makes the first tables.
    """
    last = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            db.execute("pragma journal_mode = wal").fetchall()
            db.execute("select 1 from sqlite_master limit 1").fetchall()  # the first use of the log
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
    """Return whether the file is damaged."""
    return _code(error) == sqlite3.SQLITE_CORRUPT


def is_full(error: Error) -> bool:
    """Return whether there is no room to write."""
    return _code(error) in _FULL


def is_shut(error: Error) -> bool:
    """Return whether the file cannot be opened, or not be written."""
    return _code(error) in _SHUT


def odd_part(db: Connection) -> tuple[str, str] | None:
    """Return what of a file runs what its author wrote: a view, a trigger, a table or an index with a formula in it.

    Its kind and its name; None if there is none.
    """
    rows: list[tuple[Any, Any, Any]] = list(db.execute("select type, name, sql from sqlite_master where sql is not null"))
    return min(((str(kind), str(name)) for kind, name, sql in rows if not _PLAIN.fullmatch(str(sql))), default=None)


def _code(error: Error, *, whole: bool = False) -> int:
    """The number of an error; without the details in its upper bits, unless they are asked for."""
    code: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    return code if whole else code & 0xFF
