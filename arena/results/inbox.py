"""What authors have sent: each submission a row of the site's file, from its upload to its end, and whose bots are whose.

The files wait in `people/inbox` of the results folder until they are checked. A row decides: a file without a row was never
received. The file is on the disk before its row is, so a submission that was confirmed is never lost.
"""

import contextlib
import datetime
import enum
import math
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from arena.disk import sync, write_whole
from arena.errors import StoreError
from arena.results import sqlite
from arena.results.lock import LOCK_FILE
from arena.results.site_file import Role, SiteFile, now
from arena.results_folder import protect

FOLDER = "people/inbox"
MOST_ATTEMPTS = 3
"""How often a check may fail by the machine's fault; then the submission is void."""
MOST_RESTARTS = 10
"""How often a check may be cut short by the end of the server itself; then the submission is void."""
DAY = datetime.timedelta(hours=24)
AT_ONCE = 2
"""Checks that run side by side, each of another account: one that takes long holds up half of the queue at most."""
A_CLASS = 30.0
"""Seconds of a bot's last check that tell its next one from shorter ones, which come first."""
RECENT = 20
"""Checks of which the mean time is taken."""
PAGE = 50
"""Rows of one page of a list."""
_COLUMNS = {
    "size": "bytes",
    "asleep": "(select asleep from sleepers where sleepers.bot = submissions.bot and sleepers.version = submissions.version)",
}
"""What a field of Sent is in SQL, where that is not its name."""
_NEW = ".new-"
_STALE = 600.0  # seconds; a file that is being written is younger


class State(enum.StrEnum):
    """How far a submission is."""

    WAITING = "waiting"
    CHECKING = "checking"
    ACCEPTED = "accepted"
    REFUSED = "refused"
    VOID = "void"
    """The machine failed, and not the bot: it costs the author nothing."""

    @property
    def is_pending(self) -> bool:
        """Whether the submission has yet to end."""
        return self in (State.WAITING, State.CHECKING)


class Sent(msgspec.Struct, frozen=True, kw_only=True):
    """A submission, as its row has it. All times are UTC, ISO 8601."""

    number: int
    """Counts up; lists are in this order."""
    id: str
    """Random; part of its address."""
    account: str
    """The id of the account that sent it."""
    bot: str
    file: str
    """The name of its file in the inbox."""
    size: int
    """How many bytes were sent."""
    received: str
    state: State
    started: str | None
    """When its check began."""
    ended: str | None
    attempts: int
    """How often its check has begun."""
    sha256: str | None
    """The content hash of the bot; None: not known yet, or it is no bot."""
    version: int | None
    report: bytes | None
    """What the check found, as JSON; its type is known further up (server/contest/messages.py: Checked)."""
    entered: str | None
    """When this version came into the ladder."""
    rated: str | None
    """When this version had its first rated match."""
    asleep: float | None
    """How many seconds this version has slept in the ladder, which it was left out for; None: it was not."""

    @property
    def stage(self) -> str:
        """The state in one word, `entered` (the ladder), `rated` (a match there) and `slow` (left out of it) included."""
        if self.asleep is not None:
            return "slow"
        if self.state is State.ACCEPTED and self.rated is not None:
            return "rated"
        return "entered" if self.state is State.ACCEPTED and self.entered is not None else self.state.value


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """The place of a submission in the queue."""

    place: int
    """1: it is the next one; 0: it is being checked."""
    seconds: int | None
    """About how long until its check ends; None: nobody knows, as nothing was checked yet."""


class Use(msgspec.Struct, frozen=True, kw_only=True):
    """How much an account has sent of late."""

    versions: int
    """Submissions within the last 24 hours; void ones are not counted."""
    pending: int
    oldest: str | None
    """When the oldest of those within the last 24 hours came."""


class QuotaReached(Exception):
    """An account has sent as much as it may."""

    def __init__(self, what: str, most: int, seconds: int) -> None:
        """`what`: `versions` or `pending`; `most`: how many there may be; `seconds`: how long to wait."""
        super().__init__(f"{what}: at most {most}; wait {seconds} s")
        self.what, self.most, self.seconds = what, most, seconds


class NotTheirs(Exception):
    """The name of the bot belongs to somebody else."""


class Inbox(SiteFile):
    """The submissions of a results folder. Threads may share it; several servers of one folder, too."""

    def __init__(self, results: Path) -> None:
        super().__init__(results)
        self.folder = results / FOLDER

    def receive(
        self, account: str, bot: str, content: bytes, suffix: str, *, is_taken: bool, is_organiser: bool,
        versions_a_day: int | None = None, pending: int | None = None,
    ) -> Sent:  # fmt: skip
        """Store a submission for good, and return its row.

        `suffix`: `.py` or `.zip`; `is_taken`: whether the name is known otherwise, so that nobody but an organiser may use it
        unless it is the account's own already; `versions_a_day`, `pending`: the quotas, None for no limit.

        Raises NotTheirs, QuotaReached, and StoreError if it cannot be stored.
        """
        token = secrets.token_hex(12)
        fresh, file = self.folder / f"{_NEW}{token}", self.folder / f"{token}{suffix}"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            protect(self.folder.parent, self.folder)
            write_whole(fresh, content)
            protect(fresh)
            with self.writing() as db:
                self._claim_bot(db, bot, account, is_taken=is_taken, is_organiser=is_organiser)
                self._check_quotas(db, account, versions_a_day, pending)
                fresh.rename(file)  # within the transaction: whoever sweeps meanwhile waits for it
                sync(self.folder)
                db.execute(
                    "insert into submissions (id, account, bot, file, bytes, received, state, attempts)"
                    " values (?, ?, ?, ?, ?, ?, ?, 0)",
                    (token, account, bot, file.name, len(content), now(), State.WAITING),
                )
                return self._one(db, token)
        except OSError as error:
            self._discard(fresh, file)
            raise StoreError(f"{self.folder}: cannot be written: {error.strerror}") from None
        except BaseException:
            self._discard(fresh, file)
            raise

    def check_owner(self, account: str, bot: str, *, is_taken: bool, is_organiser: bool) -> None:
        """Raise NotTheirs if an account may not submit a bot of this name. Raises StoreError."""
        with self.reading() as db:
            _check_owner(None if db is None else _owner_of(db, bot), account, is_taken=is_taken, is_organiser=is_organiser)

    def check_quotas(self, account: str, versions_a_day: int | None, pending: int | None) -> None:
        """Raise QuotaReached if an account may send nothing now. Raises StoreError."""
        with self.reading() as db:
            if db is not None:
                self._check_quotas(db, account, versions_a_day, pending)

    def use(self, account: str) -> Use:
        """Return how much an account has sent of late. Raises StoreError."""
        with self.reading() as db:
            return Use(versions=0, pending=0, oldest=None) if db is None else _use(db, account)

    # The queue ---------------------------------------------------------------------------------------------------------------

    def begin(self) -> Sent | None:
        """Take the next submission to check; None: nobody waits of whom nothing is being checked. Raises StoreError.

        The first of each account comes before the second of any: one author who sends much holds up nobody. Then those come
        first whose bots were checked faster the last time.
        """
        with self.reading() as db:
            if db is None or not _ready(db):
                return None
        with self.writing() as db:
            waiting = _ready(db)
            if not waiting:
                return None
            db.execute(
                "update submissions set state = ?, started = ?, attempts = attempts + 1 where id = ?",
                (State.CHECKING, now(), waiting[0]),
            )
            return self._one(db, waiting[0])

    def end(
        self, sent: Sent, state: State, report: bytes, *, sha256: str | None = None, version: int | None = None
    ) -> Sent:  # fmt: skip
        """Note how a check has ended, unless it was refused meanwhile, and let go of the file. Raises StoreError."""
        with self.writing() as db:
            db.execute(
                "update submissions set state = ?, ended = ?, report = ?, sha256 = ?, version = ?"
                " where id = ? and state in (?, ?)",
                (state, now(), report, sha256, version, sent.id, State.WAITING, State.CHECKING),
            )
            found = self._one(db, sent.id)
        self._discard(self.path_of(sent))
        return found

    def give_back(self, sent: Sent, *, is_counted: bool = True) -> None:
        """Put a submission whose check was cut short back into the queue, behind the others if it counts. Raises StoreError."""
        with self.writing() as db:
            db.execute(
                "update submissions set state = ?, started = null, attempts = attempts - ? where id = ? and state = ?",
                (State.WAITING, 0 if is_counted else 1, sent.id, State.CHECKING),
            )

    def enter(self, token: str, store: Callable[[], int]) -> str:
        """Store the bot of a check that has ended well, if its author may still send it; why not, or nothing if it is stored.

        `store`: keeps the bot and returns its version. Whoever withdraws the bot, gives it away or shuts its author out comes
        before this or after it, and never in between. Raises StoreError.
        """
        with self.writing() as db:
            if not (why := _refusal(db, token)):
                db.execute("update submissions set version = ? where id = ?", (store(), token))
            return why

    @contextlib.contextmanager
    def dropping(self, bot: str, report: bytes) -> Iterator[None]:
        """Refuse what waits or is checked under the name of a bot, together with what is done within; `report`: see Sent.

        What a check has stored already stays. Raises StoreError.
        """
        with self.writing() as db:
            yield
            wanted = "where bot = ? and (state = ? or (state = ? and version is null))"
            found = self._rows(db, wanted, bot, State.WAITING, State.CHECKING)
            db.executemany(
                "update submissions set state = ?, ended = ?, report = ? where id = ?",
                [(State.REFUSED, now(), report, one.id) for one in found],
            )
        self._discard(*(self.path_of(one) for one in found if one.state is State.WAITING))  # a check lets go of its own

    def interrupted(self) -> list[Sent]:
        """Submissions that were being checked: after a start, those of a server that died. Raises StoreError."""
        with self.reading() as db:
            return [] if db is None else self._rows(db, "where state = ? order by number", State.CHECKING)

    def place(self, sent: Sent) -> Place | None:
        """The place of a submission in the queue; None: it has left the queue. Raises StoreError."""
        return self.places().get(sent.id)

    def places(self) -> dict[str, Place]:
        """The places of all submissions that have yet to end, by id. Raises StoreError."""
        with self.reading() as db:
            if db is None:
                return {}
            mean = _mean_seconds(db)
            checked = db.execute("select id, started from submissions where state = ?", (State.CHECKING,)).fetchall()
            found, free = {}, [0.0] * AT_ONCE  # when each of the checks that run ends
            for lane, (token, started) in enumerate(checked[:AT_ONCE]):
                free[lane] = 0.0 if mean is None else max(1.0, mean - _age(str(started)))
                found[str(token)] = Place(place=0, seconds=None if mean is None else round(free[lane]))
            for place, token in enumerate(_queue(db), 1):
                lane = free.index(min(free))
                free[lane] += mean or 0.0
                found[token] = Place(place=place, seconds=None if mean is None else max(1, round(free[lane])))
            return found

    def sweep(self) -> None:
        """Remove the files that no submission waits with: of uploads that were never confirmed, of checks that have ended.

        Raises StoreError.
        """
        if not self.folder.exists():
            return
        with self.writing() as db:
            rows = db.execute("select file from submissions where state in (?, ?)", (State.WAITING, State.CHECKING))
            known = {str(file) for (file,) in rows}
            for path in self.folder.iterdir():
                is_fresh = path.name.startswith(_NEW) and time.time() - path.stat().st_mtime < _STALE
                if path.name in known or path.name == LOCK_FILE or is_fresh:
                    continue
                if path.is_dir():  # what was unpacked for a check that was killed
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    self._discard(path)

    # Looking -----------------------------------------------------------------------------------------------------------------

    def path_of(self, sent: Sent) -> Path:
        """The path of what was sent; the file is removed when the submission has ended."""
        return self.folder / sent.file

    def find(self, token: str) -> Sent | None:
        """The submission with this id. Raises StoreError."""
        with self.reading() as db:
            found = [] if db is None else self._rows(db, "where id = ?", token)
            return found[0] if found else None

    def of_account(self, account: str, *, before: int | None = None, bot: str | None = None, most: int = PAGE) -> list[Sent]:
        """The submissions of an account, the newest first. `before`: only those with a smaller number. Raises StoreError."""
        with self.reading() as db:
            if db is None:
                return []
            wanted = "where account = ?1 and number < ?2 and (?3 is null or bot = ?3) order by number desc limit ?4"
            return self._rows(db, wanted, account, _before(before), bot, most)

    def everything(self, *, before: int | None = None, most: int = PAGE) -> list[Sent]:
        """The submissions of all, the newest first, for organisers. Raises StoreError."""
        with self.reading() as db:
            return [] if db is None else self._rows(db, "where number < ? order by number desc limit ?", _before(before), most)

    def pending(self) -> int:
        """Return how many submissions wait or are checked. Raises StoreError."""
        with self.reading() as db:
            if db is None:
                return 0
            counted = "select count(*) from submissions where state in (?, ?)"
            return int(db.execute(counted, (State.WAITING, State.CHECKING)).fetchone()[0])

    def states(self) -> dict[State, int]:
        """How many submissions are in each state; those without any are left out. Raises StoreError."""
        with self.reading() as db:
            if db is None:
                return {}
            return {
                State(name): int(count) for name, count in db.execute("select state, count(*) from submissions group by state")
            }

    def newest(self, account: str) -> dict[str, Sent]:
        """The newest accepted submission of each bot that an account owns. Raises StoreError."""
        with self.reading() as db:
            if db is None:
                return {}
            wanted = (
                "where number in (select max(number) from submissions join bots on bots.name = submissions.bot"
                " where bots.owner = ? and state = ? group by bot) order by bot"
            )
            return {sent.bot: sent for sent in self._rows(db, wanted, account, State.ACCEPTED)}

    def of_version(self, bot: str, version: int) -> Sent | None:
        """The first accepted submission that is this version of a bot. Raises StoreError."""
        with self.reading() as db:
            wanted = "where bot = ? and version = ? and state = ? order by number limit 1"
            found = [] if db is None else self._rows(db, wanted, bot, version, State.ACCEPTED)
            return found[0] if found else None

    # Whose a bot is ----------------------------------------------------------------------------------------------------------

    def owner_of(self, bot: str) -> str | None:
        """The id of the account that owns a bot; None: nobody has submitted it here. Raises StoreError."""
        with self.reading() as db:
            return None if db is None else _owner_of(db, bot)

    def owners(self) -> dict[str, str]:
        """All bots that were submitted here, each with the id of the account that owns it. Raises StoreError."""
        with self.reading() as db:
            return {} if db is None else {str(bot): str(owner) for bot, owner in db.execute("select name, owner from bots")}

    def bots_of(self, account: str) -> list[str]:
        """The names of the bots that an account owns, sorted. Raises StoreError."""
        return sorted(bot for bot, owner in self.owners().items() if owner == account)

    # The ladder --------------------------------------------------------------------------------------------------------------

    def mark_entered(self, bot: str, version: int) -> None:
        """Note that a version is in the ladder; nothing happens the second time. Raises StoreError."""
        self._mark("entered", bot, version)

    def mark_rated(self, bot: str, version: int) -> None:
        """Note that a version has a rated match, so it is in the ladder; nothing happens the second time. Raises StoreError."""
        self.mark_entered(bot, version)  # said before, but perhaps sooner than the check's outcome was stored
        self._mark("rated", bot, version)

    def leave_out(self, bot: str, version: int, asleep: float) -> None:
        """Note that a version is left out of the ladder, as it has slept for so many seconds there. Raises StoreError."""
        with self.writing() as db:
            db.execute("insert or ignore into sleepers values (?, ?, ?, ?)", (bot, version, now(), asleep))

    def left_out(self) -> set[tuple[str, int]]:
        """The versions that are left out of the ladder because they slept there. Raises StoreError."""
        with self.reading() as db:
            found = () if db is None else db.execute("select bot, version from sleepers")
            return {(str(bot), int(version)) for bot, version in found}

    def _mark(self, column: str, bot: str, version: int) -> None:
        unmarked = f"from submissions where bot = ? and version = ? and state = ? and {column} is null"
        with self.reading() as db:  # all of the field is said again whenever the ladder starts
            if db is None or db.execute(f"select 1 {unmarked}", (bot, version, State.ACCEPTED)).fetchone() is None:
                return
        with self.writing() as db:
            wanted = f"update submissions set {column} = ? where bot = ? and version = ? and state = ? and {column} is null"
            db.execute(wanted, (now(), bot, version, State.ACCEPTED))

    def _claim_bot(self, db: sqlite.Connection, bot: str, account: str, *, is_taken: bool, is_organiser: bool) -> None:
        """Make a bot's name the account's, if it is free."""
        owner = _owner_of(db, bot)
        _check_owner(owner, account, is_taken=is_taken, is_organiser=is_organiser)
        if owner is None and not is_taken:
            db.execute("insert into bots (name, owner, since) values (?, ?, ?)", (bot, account, now()))

    def _check_quotas(self, db: sqlite.Connection, account: str, versions_a_day: int | None, pending: int | None) -> None:
        used = _use(db, account)
        if pending is not None and used.pending >= pending:
            raise QuotaReached("pending", pending, max(1, round(_mean_seconds(db) or 10.0)))
        if versions_a_day is not None and used.versions >= versions_a_day and used.oldest is not None:
            raise QuotaReached("versions", versions_a_day, max(1, math.ceil(DAY.total_seconds() - _age(used.oldest))))

    def _one(self, db: sqlite.Connection, token: str) -> Sent:
        return self._rows(db, "where id = ?", token)[0]

    def _rows(self, db: sqlite.Connection, wanted: str, *values: object) -> list[Sent]:
        fields = Sent.__struct_fields__
        columns = ", ".join(_COLUMNS.get(field, field) for field in fields)
        found = db.execute(f"select {columns} from submissions {wanted}", values)
        try:
            return [msgspec.convert(dict(zip(fields, row)), Sent) for row in found]
        except msgspec.ValidationError as error:
            raise StoreError(f"{self.path}: damaged: {error}") from None

    def _discard(self, *paths: Path) -> None:
        """Remove files; what cannot be removed is swept at the next start."""
        for path in paths:
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)


def _check_owner(owner: str | None, account: str, *, is_taken: bool, is_organiser: bool) -> None:
    if not is_organiser and owner != account and (owner is not None or is_taken):
        raise NotTheirs


def _refusal(db: sqlite.Connection, token: str) -> str:
    """Why a bot that was checked may not enter now; empty: it may."""
    wanted = (
        "select s.state = ?, b.owner = s.account or a.role is null or a.role = ?, a.closed is null and a.role is not ?"
        " from submissions s left join bots b on b.name = s.bot left join accounts a on a.id = s.account where s.id = ?"
    )
    found = db.execute(wanted, (State.CHECKING, Role.ORGANISER, Role.GUEST, token)).fetchone()
    is_checked, is_theirs, is_author = (False, False, False) if found is None else found
    if not is_author:
        return "its author may submit no bots any more"
    return "" if is_checked and is_theirs else "the bot was withdrawn, or belongs to somebody else now"


def _owner_of(db: sqlite.Connection, bot: str) -> str | None:
    found = db.execute("select owner from bots where name = ?", (bot,)).fetchone()
    return None if found is None else str(found[0])


def _ready(db: sqlite.Connection) -> list[str]:
    """The ids of those that wait and may begin now: of an account one is checked at a time."""
    busy = "select account from submissions where state = ?"
    found = db.execute(
        f"select id from submissions where state = ? and account not in ({busy})", (State.WAITING, State.CHECKING)
    )
    ready = {str(token) for (token,) in found}
    return [token for token in _queue(db) if token in ready]


def _queue(db: sqlite.Connection) -> list[str]:
    """The ids of those that wait, in the order of their checks: whose check was cut short comes behind all others.

    Those of somebody who may submit no more wait until the account may again.
    """
    took = (
        "select cast((julianday(o.ended) - julianday(o.started)) * 86400 / ? as integer) from submissions o"
        " where o.bot = s.bot and o.started is not null and o.ended is not null order by o.number desc limit 1"
    )
    ordered = (
        f"select id from (select id, number, row_number() over (partition by account order by number) as turn, attempts,"
        f" coalesce(({took}), 0) as took from submissions s where state = ? and account not in"
        " (select id from accounts where closed is not null or role = ?)) order by attempts, turn, took, number"
    )
    return [str(token) for (token,) in db.execute(ordered, (A_CLASS, State.WAITING, Role.GUEST))]


def _use(db: sqlite.Connection, account: str) -> Use:
    since = (datetime.datetime.now(datetime.UTC) - DAY).isoformat(timespec="seconds")
    counted = "select count(*), min(received) from submissions where account = ? and received > ? and state <> ?"
    versions, oldest = db.execute(counted, (account, since, State.VOID)).fetchone()
    waiting = "select count(*) from submissions where account = ? and state in (?, ?)"
    (pending,) = db.execute(waiting, (account, State.WAITING, State.CHECKING)).fetchone()
    return Use(versions=versions, pending=pending, oldest=oldest)


def _mean_seconds(db: sqlite.Connection) -> float | None:
    """Return how long a check has taken of late."""
    recent = (
        "select started, ended from submissions where state in (?, ?) and started is not null and ended is not null"
        " order by ended desc limit ?"
    )
    found = [_between(str(a), str(b)) for a, b in db.execute(recent, (State.ACCEPTED, State.REFUSED, RECENT))]
    return max(1.0, sum(found) / len(found)) if found else None


def _between(first: str, last: str) -> float:
    return (datetime.datetime.fromisoformat(last) - datetime.datetime.fromisoformat(first)).total_seconds()


def _age(since: str) -> float:
    return _between(since, now())


def _before(number: int | None) -> int:
    return (1 << 62) if number is None else number
