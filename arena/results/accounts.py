"""The accounts of a server in the site's file: who is invited, with which secrets and sessions, and the audit log.

A join link makes a personal token, once; the token opens sessions. API tokens are for programs. Whatever ends somebody's access
counts at once in this process, and in others as soon as they see that the file has changed (`Accounts.changes`).
"""

import contextlib
import secrets
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, TypeVar

import msgspec

from arena.errors import StoreError
from arena.results import sqlite
from arena.results.consents import Consents
from arena.results.people import folded_name, latin_look
from arena.results.site_file import HOST, Account, NameTaken, Role, SiteFile, claim, digest, new_token, now, owners

TERMINAL = "terminal"
"""The name that the audit log gives to somebody who used a command."""
PROXY = "proxy"
"""The name that it gives to the list of organisers whom a proxy signs in."""
MOST_SESSIONS = 20
"""Sessions of an account; the one that was opened first makes room."""
IDLE_DAYS = 180
"""Days after which a session ends that nobody has used."""
MOST_TOKENS = 20
"""API tokens of an account."""
LONGEST_LABEL = 40
"""Characters of the label of an API token."""
LONGEST_DETAILS = 2000
"""Characters of what the audit log says about one act."""
_RESERVED = {latin_look(folded_name(name)) for name in (HOST.name, TERMINAL, PROXY)}
_ACCOUNT = "a.id, a.name, a.folded, a.role, a.since, a.closed"
_Row = TypeVar("_Row", bound=msgspec.Struct)


class Kind(StrEnum):
    """What a secret is for."""

    JOIN = "join"
    """Stands in a join link; good once."""
    PERSON = "person"
    """The personal token, which opens sessions in browsers; one for each account."""
    API = "api"
    """A token for programs; an account may have several, with labels."""


class Scope(StrEnum):
    """What a program may do with a token; each may do what those before it may. None lets anybody in, or shuts them out."""

    LOOK = "look"
    """The token lets a program see what an author may see."""
    SEND = "send"
    """The token lets a program send bots, join with them, ask for matches and play."""
    MANAGE = "manage"
    """The token lets a program withdraw bots and publish sources, and do with bots what an organiser may."""


DAYS = (7, 30, 90, 365)
"""The numbers of days after which an API token may end."""
USUAL_DAYS = 90


class Secret(msgspec.Struct, frozen=True, kw_only=True):
    """A secret of an account that can still be used; of the secret itself only its SHA-256 is kept."""

    digest: str
    account: str
    kind: Kind
    label: str
    made: str
    """When it was made: UTC, ISO 8601."""
    used: str | None
    """When it was used last, to some minutes."""
    scope: Scope
    until: str
    """When it ends by itself: UTC, ISO 8601."""

    @property
    def id(self) -> str:
        """How its owner names it, to end it."""
        return self.digest[:16]


class Bearer(msgspec.Struct, frozen=True, kw_only=True):
    """Whom a token lets in that comes with a request."""

    account: Account
    """The account of the token; its role is an author's at most, unless the scope says more."""
    scope: Scope
    until: str | None
    """When it ends by itself; None for a personal token."""


class StoredSession(msgspec.Struct, frozen=True, kw_only=True):
    """A browser in which somebody is logged in."""

    digest: str
    account: str
    opened: str
    seen: str
    """When it was used last, to some minutes."""


class Member(msgspec.Struct, frozen=True, kw_only=True):
    """An account as organisers see it."""

    account: Account
    seen: str | None
    """When the account was used last; None: never."""
    is_waiting: bool
    """Whether a join link is out that nobody has used."""


class AuditRow(msgspec.Struct, frozen=True, kw_only=True):
    """One act of an organiser, or how somebody signed in."""

    number: int
    """The place in the log, from 1."""
    at: str
    """When: UTC, ISO 8601."""
    who: str
    """The name of the account; `terminal` for a command, `proxy` for the list of organisers whom a proxy signs in."""
    what: str
    """The act in one word, such as `invite` or `withdraw`."""
    about: str
    """Whom or what it was done to."""
    details: str


class Invited(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who was invited."""

    account: Account
    code: str
    """The secret of the join link, `/invite#CODE`; it is kept nowhere."""
    is_new: bool
    """Whether the account was made now; if not, the link replaces its token when it is used."""


class Joined(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who has used a join link."""

    account: Account
    token: str
    """The personal token; it is kept nowhere."""
    session: str
    """The secret of a new session, for a cookie."""


class CannotInvite(Exception):
    """Names that cannot be invited, so that nobody is: each with the key of a sentence in the pages' words."""

    def __init__(self, names: Sequence[tuple[str, str]]) -> None:
        """`names`: the names, each with its key."""
        super().__init__(", ".join(f"{name!r}: {why}" for name, why in names))
        self.names = names


class _Undone(Exception):
    """Ends a transaction of which nothing is to be kept."""


class Accounts:
    """The accounts of a results folder. Blocking: for threads, not for the loop. All methods may raise StoreError."""

    def __init__(self, file: SiteFile) -> None:
        self._file = file
        self.consents = Consents(file)
        self.revision = object()
        """Another object whenever this process ends somebody's access, or changes a role: who remembers accounts asks anew."""

    # Who is there

    def changes(self) -> tuple[int, int]:
        """A mark that differs whenever anybody may have changed anything."""
        return self._file.changes()

    def find(self, name: str) -> Account | None:
        """The account of this name, however it is written; None: there is none."""
        return self._one(Account, f"select {_ACCOUNT} from accounts a where folded = ?", folded_name(name))

    def of_token(self, name: str, *kinds: Kind) -> Account | None:
        """The open account that a secret of one of these kinds lets in, by its digest; None: it lets nobody in."""
        some = ", ".join("?" * len(kinds))
        return self._one(
            Account,
            f"select {_ACCOUNT} from secrets s join accounts a on a.id = s.account "
            f"where s.digest = ? and s.ended is null and a.closed is null and s.kind in ({some})",
            name, *kinds,
        )  # fmt: skip

    def of_program(self, name: str) -> Bearer | None:
        """Whom the token of a request lets in, by its digest; None: nobody. A personal token has the widest scope."""
        with self._file.reading() as db:
            row = None if db is None else db.execute(
                f"select coalesce(t.scope, ?), t.until, {_ACCOUNT} from secrets s join accounts a on a.id = s.account"
                " left join scopes t on t.digest = s.digest"
                " where s.digest = ? and s.ended is null and a.closed is null"
                " and (s.kind = ? or (s.kind = ? and t.until > ?))",
                (Scope.MANAGE, name, Kind.PERSON, Kind.API, now()),
            ).fetchone()  # fmt: skip
        if row is None:
            return None
        scope, account = Scope(row[0]), self._as(Account, row[2:])
        if scope is not Scope.MANAGE and account.is_organiser:
            account = msgspec.structs.replace(account, role=Role.AUTHOR)
        return Bearer(account=account, scope=scope, until=row[1])

    def session_opened(self, name: str) -> str | None:
        """Return when the session of this digest was opened, or its owner has shown the token again; None: there is none."""
        with self._file.reading() as db:
            row = None if db is None else db.execute("select opened from sessions where digest = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def confirm_session(self, name: str) -> None:
        """Note that who has the session of this digest has shown the token again."""
        with self._file.writing() as db:
            db.execute("update sessions set opened = ? where digest = ?", (now(), name))

    def of_session(self, name: str) -> Account | None:
        """The open account that a session belongs to, by the digest of its secret; None: there is no such session."""
        return self._one(
            Account,
            f"select {_ACCOUNT} from sessions s join accounts a on a.id = s.account where s.digest = ? and a.closed is null",
            name,
        )

    def note_use(self, name: str) -> None:
        """Note that the session or the token of this digest is in use. Nothing depends on it, so a full disk is no matter."""
        with contextlib.suppress(StoreError), self._file.writing() as db:
            db.execute("update sessions set seen = ? where digest = ?", (now(), name))
            db.execute("update secrets set used = ? where digest = ? and ended is null", (now(), name))

    def members(self) -> list[Member]:
        """All accounts, by role and name."""
        with self._file.reading() as db:
            if db is None:
                return []
            accounts = db.execute(f"select {_ACCOUNT} from accounts a").fetchall()
            seen = dict(
                db.execute(
                    "select account, max(at) from (select account, seen as at from sessions union all "
                    "select account, used as at from secrets where used is not null) group by account"
                ).fetchall()
            )
            waiting = {one for (one,) in db.execute("select account from secrets where kind = 'join' and ended is null")}
        found = [self._as(Account, row) for row in accounts]
        order = list(Role)
        return [
            Member(account=one, seen=seen.get(one.id), is_waiting=one.id in waiting)
            for one in sorted(found, key=lambda one: (order.index(one.role), one.folded))
        ]

    # What organisers do

    def invite(self, who: Account | str, names: Iterable[str], role: Role = Role.AUTHOR) -> list[Invited]:
        """A join link for each of these names, which are checked names; accounts that are new get this role.

        All or nobody. Whoever has played under a name without an account has to leave it. Raises CannotInvite.
        """
        with self._file.writing() as db:
            return self._invited_all(db, who, names, role)

    def check_names(self, names: Iterable[str]) -> None:
        """Raise CannotInvite if one of these names could not be invited, and change nothing."""
        if not self._file.path.exists():  # a list with mistakes makes no file
            return
        with contextlib.suppress(_Undone), self._file.writing() as db:
            self._invited_all(db, TERMINAL, names, Role.GUEST)
            raise _Undone

    def change_role(self, who: Account | str, account: Account, role: Role) -> None:
        """Let an account do more, or less."""
        with self._file.writing() as db:
            db.execute("update accounts set role = ? where id = ?", (role, account.id))
            add_to_log(db, who, "role", account.name, f"{account.role} to {role}")
        self.revision = object()

    def rename(self, who: Account | str, account: Account, name: str) -> None:
        """Give an account another name, which is checked; the old one stays its own. Raises NameTaken.

        For one that nobody has played under: matches bear names, and ratings go by them.
        """
        folded = folded_name(name)
        with self._file.writing() as db:
            if is_reserved(name):
                raise NameTaken
            claim(db, account.id, folded)
            for table in ("accounts", "people"):
                db.execute(f"update {table} set name = ?, folded = ? where id = ?", (name, folded, account.id))
            add_to_log(db, who, "rename", name, f"was {account.name}")
        self.revision = object()

    def close(self, who: Account | str, account: Account) -> None:
        """Close an account: its sessions and all its secrets end."""
        with self._file.writing() as db:
            db.execute("update accounts set closed = ? where id = ? and closed is null", (now(), account.id))
            _end(db, account, *Kind)
            add_to_log(db, who, "close", account.name, "")
        self.revision = object()

    def reopen(self, who: Account | str, account: Account) -> None:
        """Open a closed account again; its owner needs a new link."""
        with self._file.writing() as db:
            db.execute("update accounts set closed = null where id = ?", (account.id,))
            add_to_log(db, who, "reopen", account.name, "")
        self.revision = object()

    def log(self, who: Account | str | None, what: str, about: str, details: str = "") -> None:
        """Add to the audit log what an organiser does."""
        with self._file.writing() as db:
            add_to_log(db, who, what, about, details)

    def log_look(self, who: Account | None, what: str, about: str, details: str = "") -> None:
        """Add to the audit log that an organiser looks at what is private; the same only once in 24 hours."""
        since = (datetime.now(UTC) - timedelta(hours=24)).isoformat(timespec="seconds")
        same = "select 1 from audit where who = ? and what = ? and about = ? and details = ? and at > ?"
        with self._file.reading() as db:
            row = ("" if who is None else who.name, what, about, details, since)
            is_known = db is not None and db.execute(same, row).fetchone() is not None
        if not is_known:
            self.log(who, what, about, details)

    def audit(self, before: int | None = None, most: int = 50) -> list[AuditRow]:
        """The audit log, the newest first; `before`: only what comes before this number."""
        return self._all(
            AuditRow,
            "select number, at, who, what, about, details from audit where number < ? order by number desc limit ?",
            2**62 if before is None else before, most,
        )  # fmt: skip

    # What people do

    def join(self, code: str) -> Joined | None:
        """Use a join link: whatever let the account in before ends, but its API tokens. None: the link is none, or used."""
        account = self.of_token(digest(code), Kind.JOIN)
        if account is None:
            return None
        token, session = new_token(), new_token()
        with self._file.writing() as db:
            used = db.execute(
                "update secrets set used = ? where digest = ? and ended is null", (now(), digest(code))
            )  # somebody else may have been faster
            if used.rowcount != 1:
                return None
            _end(db, account, Kind.JOIN, Kind.PERSON)
            _add(db, account, Kind.PERSON, token)
            add_session(db, account, session)
            add_to_log(db, account, "sign_in", account.name, "join link")
        self.revision = object()
        return Joined(account=account, token=token, session=session)

    def open_session(self, account: Account) -> str:
        """The secret of a new session of an account."""
        session = new_token()
        with self._file.writing() as db:
            add_session(db, account, session)
            add_to_log(db, account, "sign_in", account.name, "personal token")
        return session

    def close_session(self, name: str) -> None:
        """End the session of this digest."""
        with self._file.writing() as db:
            db.execute("delete from sessions where digest = ?", (name,))
        self.revision = object()

    def close_sessions(self, account: Account) -> None:
        """End all sessions of an account."""
        with self._file.writing() as db:
            _end(db, account)
        self.revision = object()

    def sessions(self, account: Account) -> list[StoredSession]:
        """The sessions of an account, the last used first."""
        return self._all(
            StoredSession,
            "select digest, account, opened, seen from sessions where account = ? order by seen desc, opened desc", account.id,
        )  # fmt: skip

    def replace_token(self, account: Account, session: str | None) -> str:
        """A new personal token. The old one ends, and all sessions but `session`, which is a digest."""
        token = new_token()
        with self._file.writing() as db:
            kept = db.execute("select * from sessions where digest = ? and account = ?", (session, account.id)).fetchall()
            _end(db, account, Kind.PERSON)
            _add(db, account, Kind.PERSON, token)
            db.executemany("insert into sessions values (?, ?, ?, ?)", kept)
        self.revision = object()
        return token

    def make_api_token(
        self, account: Account, label: str, scope: Scope = Scope.LOOK, days: int = USUAL_DAYS
    ) -> str | None:  # fmt: skip
        """A new API token, which ends after so many days; None: the account has too many."""
        token = new_token()
        until = (datetime.now(UTC) + timedelta(days=days)).isoformat(timespec="seconds")
        with self._file.writing() as db:
            there = (
                "select count(*) from secrets s join scopes t on t.digest = s.digest"
                " where account = ? and kind = 'api' and ended is null and t.until > ?"
            )
            if db.execute(there, (account.id, now())).fetchone()[0] >= MOST_TOKENS:
                return None
            _add(db, account, Kind.API, token, label[:LONGEST_LABEL])
            db.execute("insert into scopes values (?, ?, ?)", (digest(token), scope, until))
        return token

    def end_api_token(self, account: Account, secret_id: str) -> bool:
        """End an API token of an account by its id; False: there is none."""
        named = [one for one in self.api_tokens(account) if one.id == secret_id]
        with self._file.writing() as db:
            for one in named:
                db.execute("update secrets set ended = ? where digest = ?", (now(), one.digest))
        self.revision = object()
        return bool(named)

    def api_tokens(self, account: Account) -> list[Secret]:
        """The API tokens of an account that can be used, the oldest first."""
        return self._all(
            Secret,
            "select s.digest, account, kind, label, made, used, scope, until "
            "from secrets s join scopes t on t.digest = s.digest "
            "where account = ? and kind = 'api' and ended is null and until > ? order by made, s.digest",
            account.id,
            now(),
        )

    # Rows

    def _invited_all(self, db: sqlite.Connection, who: Account | str, names: Iterable[str], role: Role) -> list[Invited]:
        """The join links for some names. Raises CannotInvite for all that cannot be invited."""
        found: list[Invited] = []
        refused: list[tuple[str, str]] = []
        for name in names:
            try:
                found.append(self._invited(db, who, name, role, {one.account.id for one in found}))
            except CannotInvite as error:
                refused += error.names
        if refused:
            raise CannotInvite(refused)
        return found

    def _invited(self, db: sqlite.Connection, who: Account | str, name: str, role: Role, others: set[str]) -> Invited:
        """The join link for one name. Raises CannotInvite."""
        folded = folded_name(name)
        if is_reserved(name):
            raise CannotInvite([(name, "refusal_name_reserved")])
        row = db.execute(f"select {_ACCOUNT} from accounts a where folded = ?", (folded,)).fetchone()
        if row is not None:
            account = self._as(Account, row)
            if account.closed is not None:
                raise CannotInvite([(name, "refusal_account_closed")])
        else:
            account = Account(id=secrets.token_hex(12), name=name, folded=folded, role=role, since=now())
            make_account(db, account)
        if account.id in others:
            raise CannotInvite([(name, "refusal_name_twice")])
        code = new_token()
        _end_secrets(db, account, Kind.JOIN)
        _add(db, account, Kind.JOIN, code)
        add_to_log(db, who, "invite", account.name, account.role if row is None else f"{account.role}, a new link")
        return Invited(account=account, code=code, is_new=row is None)

    def _one(self, kind: type[_Row], query: str, *values: object) -> _Row | None:
        return next(iter(self._all(kind, query, *values)), None)

    def _all(self, kind: type[_Row], query: str, *values: object) -> list[_Row]:
        with self._file.reading() as db:
            rows = [] if db is None else db.execute(query, values).fetchall()
        return [self._as(kind, row) for row in rows]

    def _as(self, kind: type[_Row], row: tuple[Any, ...]) -> _Row:
        try:
            return msgspec.convert(dict(zip(kind.__struct_fields__, row)), kind)
        except msgspec.ValidationError as error:
            raise StoreError(f"{self._file.path}: damaged: {error}") from None


def is_reserved(name: str) -> bool:
    """Return whether a name looks like one that the audit log gives to the server itself."""
    return latin_look(folded_name(name)) in _RESERVED


def join_link(server: str, code: str) -> str:
    """The address that a person opens to come in; browsers never send what stands behind the `#`."""
    return f"{server}/invite#{code}"


def make_account(db: sqlite.Connection, account: Account) -> None:
    """Add an account, and the person of the same id who plays under its name. Raises CannotInvite."""
    _free(db, account.folded)
    try:
        claim(db, account.id, account.folded)
    except NameTaken:
        raise CannotInvite([(account.name, "refusal_account_alike")]) from None
    values = (account.id, account.name, account.folded)
    db.execute("insert into accounts values (?, ?, ?, ?, ?, null)", (*values, account.role, account.since))
    db.execute("insert into people values (?, ?, ?, ?, ?)", (*values, digest(new_token()), account.since))


def add_session(db: sqlite.Connection, account: Account, secret: str) -> None:
    """Add a session; idle ones end, and the oldest if there are too many."""
    db.execute("insert into sessions values (?, ?, ?, ?)", (digest(secret), account.id, now(), now()))
    idle = (datetime.now(UTC) - timedelta(days=IDLE_DAYS)).isoformat(timespec="seconds")
    db.execute("delete from sessions where seen < ?", (idle,))
    db.execute(
        "delete from sessions where account = ? and digest not in "
        "(select digest from sessions where account = ? order by (digest = ?) desc, opened desc limit ?)",
        (account.id, account.id, digest(secret), MOST_SESSIONS),
    )


def add_to_log(db: sqlite.Connection, who: Account | str | None, what: str, about: str, details: str) -> None:
    """Add a row to the audit log. `who`: an account, or the name of what has no account; None: the row names nobody."""
    name = who.name if isinstance(who, Account) else who or ""
    db.execute(
        "insert into audit (at, who, what, about, details) values (?, ?, ?, ?, ?)",
        (now(), name, what, about, details[:LONGEST_DETAILS]),
    )


def _free(db: sqlite.Connection, folded: str) -> None:
    """Take a name, and those that look like it, from persons who have no account: they are called guest and a number then."""
    looks = (folded, latin_look(folded))
    for person in owners(db, folded):
        if db.execute("select 1 from accounts where id = ?", (person,)).fetchone():
            continue
        db.execute("delete from names where person = ? and folded in (?, ?)", (person, *looks))
        row = db.execute("select folded from people where id = ?", (person,)).fetchone()
        if row is not None and latin_look(str(row[0])) == looks[1]:
            name = f"guest-{secrets.randbelow(10**9):09}"
            db.execute("update people set name = ?, folded = ? where id = ?", (name, name, person))
            db.execute("insert or ignore into names values (?, ?)", (name, person))


def _end(db: sqlite.Connection, account: Account, *kinds: Kind) -> None:
    """End all sessions of an account, and its secrets of these kinds."""
    db.execute("delete from sessions where account = ?", (account.id,))
    _end_secrets(db, account, *kinds)


def _end_secrets(db: sqlite.Connection, account: Account, *kinds: Kind) -> None:
    for kind in kinds:
        db.execute("update secrets set ended = ? where account = ? and kind = ? and ended is null", (now(), account.id, kind))


def _add(db: sqlite.Connection, account: Account, kind: Kind, secret: str, label: str = "") -> None:
    db.execute("insert into secrets values (?, ?, ?, ?, ?, null, null)", (digest(secret), account.id, kind, label, now()))
