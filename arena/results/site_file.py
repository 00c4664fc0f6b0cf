"""What the server remembers, in `people/site.sqlite` of the results folder: persons, accounts, submissions, the audit log.

SQLite in WAL mode. Several servers of one folder may share it. Secrets that let somebody in are random, of 256 bits, and only
their SHA-256 is kept.

Here are who has an account and what it may do, and the table `bots`: whose bots are whose, as pages show it, and which
version's source is public. Who submits a bot first owns it (inbox.py); here its owner or an organiser changes something about
that.
"""

import contextlib
import enum
import hashlib
import secrets
import threading
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from arena.errors import StoreError
from arena.results import sqlite
from arena.results.people import latin_look
from arena.results_folder import protect

SITE_FILE = "people/site.sqlite"
_VERSION = 6  # of the tables, kept in the file's user_version; a newer one only adds tables

_TABLES = f"""
begin immediate;
create table if not exists people (
    id text primary key, name text not null, folded text not null, secret text not null unique, since text not null
) without rowid;
create table if not exists names (folded text primary key, person text not null) without rowid;
create table if not exists accounts (
    id text primary key, name text not null, folded text not null unique, role text not null, since text not null,
    closed text
) without rowid;
create table if not exists secrets (
    digest text primary key, account text not null, kind text not null, label text not null, made text not null,
    used text, ended text
) without rowid;
create table if not exists scopes (digest text primary key, scope text not null, until text not null) without rowid;
insert or ignore into scopes
    select digest, 'look', strftime('%Y-%m-%dT%H:%M:%S+00:00', 'now', '+90 days') from secrets where kind = 'api';
create table if not exists sessions (
    digest text primary key, account text not null, opened text not null, seen text not null
) without rowid;
create table if not exists identities (
    subject text primary key, account text not null, session text not null, since text not null
) without rowid;
create table if not exists audit (
    number integer primary key, at text not null, who text not null, what text not null, about text not null,
    details text not null
);
create table if not exists bots (
    name text primary key, owner text not null, since text not null, published integer
) without rowid;
create table if not exists submissions (
    number integer primary key, id text not null unique, account text not null, bot text not null, file text not null,
    bytes integer not null, received text not null, state text not null, started text, ended text, attempts integer not null,
    sha256 text, version integer, report blob, entered text, rated text
);
create table if not exists sleepers (
    bot text not null, version integer not null, since text not null, asleep real not null, primary key (bot, version)
) without rowid;
create table if not exists consents (person text primary key, since text not null) without rowid;
create index if not exists submissions_by_state on submissions (state, number);
create index if not exists submissions_by_account on submissions (account, number);
pragma user_version = {_VERSION};
commit;
"""


class StoredPerson(msgspec.Struct, frozen=True, kw_only=True):
    """A person who has played here, or is about to."""

    id: str
    """Random; no page shows it."""
    name: str
    folded: str
    """The name without what only its writing tells from another one."""
    secret: str
    """The SHA-256 of the secret in the person's cookie."""
    since: str
    """When the person first came: UTC, ISO 8601."""


class NameTaken(Exception):
    """Another person has this name."""


class SiteFile:
    """The open file. Threads may share it. It is made when the first person comes: a server that only shows writes nothing."""

    def __init__(self, results: Path) -> None:
        self.path = results / SITE_FILE
        self._lock = threading.Lock()
        self._db: sqlite.Connection | None = None

    def person(self, secret: str) -> StoredPerson | None:
        """Whom a secret belongs to, by its SHA-256; None: nobody. Raises StoreError."""
        with self.reading() as db:
            if db is None:
                return None
            rows = db.execute("select id, name, folded, secret, since from people where secret = ?", (secret,)).fetchall()
        try:
            return msgspec.convert(dict(zip(StoredPerson.__struct_fields__, rows[0])), StoredPerson) if rows else None
        except msgspec.ValidationError as error:
            raise StoreError(f"{self.path}: damaged: {error}") from None

    def is_taken(self, folded: str, by_other_than: str = "") -> bool:
        """Return whether another person has a name. Raises StoreError."""
        with self.reading() as db:
            return db is not None and not owners(db, folded) <= {by_other_than}

    def add(self, person: StoredPerson) -> None:
        """Remember a new person. Raises NameTaken and StoreError."""
        with self.writing() as connection:
            claim(connection, person.id, person.folded)
            connection.execute("insert into people values (?, ?, ?, ?, ?)", msgspec.structs.astuple(person))

    def remove(self, person: StoredPerson) -> None:
        """Forget a person who has not played yet, and free the name. Raises StoreError."""
        with self.writing() as connection:
            connection.execute("delete from people where id = ?", (person.id,))
            connection.execute("delete from names where person = ?", (person.id,))

    def rename(self, person: StoredPerson, name: str, folded: str) -> StoredPerson:
        """Give a person another name; the old one stays theirs, since matches bear it. Raises NameTaken and StoreError."""
        with self.writing() as connection:
            claim(connection, person.id, folded)
            connection.execute("update people set name = ?, folded = ? where id = ?", (name, folded, person.id))
        return msgspec.structs.replace(person, name=name, folded=folded)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._db is not None:
                self._db.close()
            self._db = None

    def changes(self) -> tuple[int, int]:
        """A mark that differs whenever the file may have changed: by others, and by this connection. Raises StoreError."""
        with self.reading() as db:
            return (0, 0) if db is None else (int(db.execute("pragma data_version").fetchone()[0]), db.total_changes)

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite.Connection | None]:
        """The connection, for one thread at a time; None if there is no file yet. Raises StoreError."""
        with self._open(is_made=False) as db:
            yield db

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite.Connection]:
        """The connection within a transaction, which is kept as a whole or not at all. Raises StoreError."""
        with self._open(is_made=True) as db:
            assert db is not None
            with sqlite.transaction(db):
                yield db

    @contextlib.contextmanager
    def _open(self, *, is_made: bool) -> Iterator[sqlite.Connection | None]:
        """The connection, for one thread at a time; None if there is no file and none is to be made."""
        with self._lock:
            try:
                if self._db is None and (is_made or self.path.exists()):
                    self._db = self._opened(is_made)
                yield self._db
            except sqlite.Error as error:
                why = "the disk is full" if sqlite.is_full(error) else str(error)
                raise StoreError(f"{self.path}: cannot be used: {why}") from None
            except OSError as error:
                raise StoreError(f"{self.path}: cannot be made: {error.strerror}") from None

    def _opened(self, is_made: bool) -> sqlite.Connection:
        if is_made:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        protect(self.path.parent)
        db = sqlite.opened(self.path, "rwc" if is_made else "rw", is_shared=True)
        try:
            db.execute("pragma synchronous = full")  # what was received is not lost when the power fails
            if db.execute("pragma user_version").fetchone()[0] < _VERSION:
                db.executescript(_TABLES)  # nothing is lost if another server has just made them
            version = db.execute("pragma user_version").fetchone()[0]
            if version != _VERSION or sqlite.odd_part(db) is not None:
                raise StoreError(f"{self.path}: not ours, or of another version of arena ({version}, this one has {_VERSION})")
            db.set_authorizer(_log_only_grows)
        except BaseException:
            db.close()
            raise
        return db


def _log_only_grows(act: int, about: str | None, *_: str | None) -> int:
    """Return what SQLite asks before it prepares a statement: rows of the audit log are added, never changed or taken away."""
    is_change = act in (sqlite.UPDATE, sqlite.DELETE, sqlite.DROP_TABLE)
    return sqlite.DENY if is_change and about == "audit" else sqlite.ALLOW


def claim(db: sqlite.Connection, person: str, folded: str) -> None:
    """Make a name the person's, for good, with all that look like it. Raises NameTaken."""
    if not owners(db, folded) <= {person}:
        raise NameTaken
    db.executemany("insert or ignore into names values (?, ?)", [(look, person) for look in _looks(folded)])


def owners(db: sqlite.Connection, folded: str) -> set[str]:
    """The ids of all whose names look like this one."""
    found = db.execute("select person from names where folded in (?, ?)", _looks(folded)).fetchall()
    return {str(person) for (person,) in found}


def _looks(folded: str) -> tuple[str, str]:
    return folded, latin_look(folded)


def now() -> str:
    """The present moment: UTC, ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def new_token() -> str:
    """A new secret, safe in addresses and cookies."""
    return secrets.token_urlsafe(32)


def digest(secret: str) -> str:
    """The SHA-256 of a secret, which is all that is kept of it. Random secrets of this length need no slow hash."""
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()


class Role(enum.StrEnum):
    """What an account may do; each may do what those after it may."""

    ORGANISER = "organiser"
    """Everything: invite people, see all sources and outputs, close accounts, withdraw bots. All of it is in the audit log."""
    AUTHOR = "author"
    """Submit bots, and see their sources, outputs and notes."""
    GUEST = "guest"
    """Look and play."""


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """A person whom an organiser has invited; or the organiser who started the server."""

    id: str
    """Random; no page shows it."""
    name: str
    folded: str
    """The name without what only its writing tells from another one."""
    role: Role
    since: str
    """When the account was made: UTC, ISO 8601."""
    closed: str | None = None
    """When an organiser closed it; None: it is open."""

    @property
    def is_organiser(self) -> bool:
        """Whether the account may do what organisers do."""
        return self.role is Role.ORGANISER

    @property
    def is_author(self) -> bool:
        """Whether the account may submit bots."""
        return self.role is not Role.GUEST


HOST = Account(id="host", name="organiser", folded="organiser", role=Role.ORGANISER, since="")
"""The account of who has the token that `arena serve` prints: it is no row of the file, and always an organiser."""


_COLUMNS = "b.name, b.owner, coalesce(a.name, ''), b.published"
_ALL = f"select {_COLUMNS} from bots b left join accounts a on a.id = b.owner"


class OwnedBot(msgspec.Struct, frozen=True):
    """A bot that belongs to somebody."""

    name: str
    owner: str
    """The id of the account."""
    owner_name: str
    """The name of the account; empty for the organiser who started the server."""
    published: int | None
    """The version whose source everybody may see; None: none."""


class OwnedBots:
    """The owners of the bots of a results folder. Blocking: for threads. All methods may raise StoreError."""

    def __init__(self, file: SiteFile) -> None:
        self._file = file

    def all(self) -> Mapping[str, OwnedBot]:
        """All bots that belong to somebody, by name."""
        with self._file.reading() as db:
            return {} if db is None else {str(row[0]): OwnedBot(*row) for row in db.execute(_ALL)}

    def of(self, bot: str) -> OwnedBot | None:
        """The owner of a bot; None: it is nobody's, such as a bot that was submitted in a terminal."""
        with self._file.reading() as db:
            row = None if db is None else db.execute(f"{_ALL} where b.name = ?", (bot,)).fetchone()
            return None if row is None else OwnedBot(*row)

    def publish(self, bot: str, version: int | None) -> None:
        """Let everybody see the source of one version of a bot; None: of none."""
        with self._file.writing() as db:
            _have(db, bot)
            db.execute("update bots set published = ? where name = ?", (version, bot))

    def claim(self, bot: str, account: str) -> bool:
        """Make a bot's name the account's, if it is free; returns whether it is the account's now."""
        with self._file.writing() as db:
            db.execute("insert or ignore into bots (name, owner, since) values (?, ?, ?)", (bot, account, now()))
            return bool(db.execute("select 1 from bots where name = ? and owner = ?", (bot, account)).fetchone())

    def give(self, bot: str, account: str) -> None:
        """Make a bot the account's: it may submit new versions and see the sources, and the owner of before may not."""
        with self._file.writing() as db:
            _have(db, bot)
            db.execute("update bots set owner = ? where name = ?", (account, bot))


def _have(db: sqlite.Connection, bot: str) -> None:
    """Have a row of a bot that was nobody's: it is the organiser's then."""
    db.execute("insert or ignore into bots (name, owner, since) values (?, ?, ?)", (bot, HOST.id, now()))
