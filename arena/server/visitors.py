"""Who asks, and in which language: the session that the guard has found, the person whose cookie came along.

A person plays under a name that others see, and is known again by a random secret in a cookie. A browser reads the language
that it chose on a page, else the first that it says it understands.
"""

import contextlib
import logging
import secrets
from dataclasses import dataclass

from starlette.requests import HTTPConnection

from arena.errors import StoreError
from arena.reports.table import LANGUAGES
from arena.results.people import LONGEST_NAME, BadName, checked_name, folded_name
from arena.results.site_file import HOST, Account, NameTaken, SiteFile, StoredPerson, digest, new_token, now
from arena.server.headers import cookie, person_cookie
from arena.server.problems import Problem

QUERY, COOKIE = "lang", "arena_lang"


def language_of(connection: HTTPConnection) -> str:
    """The language of a page: `?lang=`, then the cookie, then `Accept-Language`, then English."""
    for wanted in (connection.query_params.get(QUERY), cookie(connection.headers.get("cookie", ""), COOKIE)):
        if wanted in LANGUAGES:
            return wanted
    return accepted_language(connection.headers.get("accept-language", ""))


def accepted_language(header: str) -> str:
    """The best language of an `Accept-Language` header; English if it names none of ours.

    >>> accepted_language("de, ja;q=0.8, en;q=0.5"), accepted_language("en-GB,ja;q=0.1"), accepted_language("")
    ('ja', 'en', 'en')
    """
    weighed = [_weighed(part) for part in header[:500].split(",")]
    known = [(weight, -place, name) for place, (name, weight) in enumerate(weighed) if name in LANGUAGES and weight > 0]
    return max(known)[2] if known else LANGUAGES[0]


def _weighed(part: str) -> tuple[str, float]:
    name, _, parameters = part.strip().partition(";")
    weight = parameters.strip().removeprefix("q=")
    try:
        return name.partition("-")[0].lower(), float(weight) if weight else 1.0
    except ValueError:
        return name, 0.0


LOG = logging.getLogger("arena.server")
_KEPT = 10_000  # persons in memory


class Persons:
    """The persons who have played in a results folder. They outlive the server. Blocking: for threads, not for the loop."""

    def __init__(self, file: SiteFile) -> None:
        self._file = file
        self._known: dict[str, StoredPerson] = {}
        self._changes = (0, 0)

    def known(self, secret: str | None) -> StoredPerson | None:
        """The person whose secret a cookie holds; None: it is nobody's, or the file cannot be read."""
        if not secret:
            return None
        key = digest(secret)
        self._look()
        if key not in self._known:
            try:
                found = self._file.person(key)
            except StoreError:
                return None
            if found is None:
                return None
            self._remember(found)
        return self._known[key]

    def named(self, person: StoredPerson | None, offered: str) -> tuple[StoredPerson, str | None]:
        """The person under this name, and the secret for the cookie of one who is new. Raises Problem for a name that is none.

        A person who is known may take another name.
        """
        name = checked_person_name(offered)
        folded = folded_name(name)
        try:
            if person is None:
                secret = new_token()
                found = StoredPerson(id=secrets.token_hex(12), name=name, folded=folded, secret=digest(secret), since=now())
                self._file.add(found)
                self._remember(found)
                return found, secret
            if person.name != name:
                person = self._file.rename(person, name, folded)
                self._remember(person)
        except NameTaken:
            raise Problem(409, "refusal_name_taken", name=name) from None
        except StoreError as error:
            LOG.error("nobody can sit down: %s", error)  # it names files: not for guests
            raise Problem(503, "refusal_no_names") from None
        return person, None

    def forget(self, person: StoredPerson) -> None:
        """Free the name of a new person who did not get a seat, and so no cookie either."""
        self._known.pop(person.secret, None)
        with contextlib.suppress(StoreError):
            self._file.remove(person)

    def free_name(self) -> str:
        """A name for somebody who gives none."""
        lowest = 1000
        while True:
            name = f"guest-{lowest + secrets.randbelow(9 * lowest)}"
            lowest *= 10  # the short ones may all be taken
            try:
                if not self._file.is_taken(folded_name(name)):
                    return name
            except StoreError:
                return name

    def _look(self) -> None:
        """Forget everybody if the file has changed: a name may have gone to an account."""
        with contextlib.suppress(StoreError):
            changes = self._file.changes()
            if changes != self._changes:
                self._known.clear()
            self._changes = changes

    def _remember(self, person: StoredPerson) -> None:
        if len(self._known) >= _KEPT:
            self._known.clear()
        self._known[person.secret] = person


def checked_person_name(offered: str) -> str:
    """A name as it is shown. Raises Problem 400 for one that nobody can have."""
    try:
        return checked_name(offered)
    except BadName as error:
        raise Problem(400, str(error), most=LONGEST_NAME) from None


def person_of(account: Account) -> StoredPerson:
    """The person who plays for an account, whom no cookie but that of a session makes known."""
    return StoredPerson(id=account.id, name=account.name, folded=account.folded, secret="", since=account.since)


@dataclass(frozen=True)
class Visitor:
    """The browser or the program that asks, and the person behind it."""

    session: str | None
    """The name of the session; None at the few addresses that need none."""
    is_guest: bool
    """Whether the session was opened by a link to a table, and not with the token."""
    person: StoredPerson | None
    """The person who plays; None: nobody who is known."""
    account: Account | None = None
    """The account that the session belongs to; HOST for who has the server's token. None: a guest of a table, or nobody."""

    @property
    def has_own_account(self) -> bool:
        """Whether the visitor was invited, and so always plays under the account's name."""
        return self.account is not None and self.account != HOST

    @property
    def is_organiser(self) -> bool:
        """Whether the visitor may do what organisers do."""
        return self.account is not None and self.account.is_organiser

    @property
    def is_author(self) -> bool:
        """Whether the visitor may submit bots."""
        return self.account is not None and self.account.is_author


ANYBODY = Visitor(None, False, None)
"""The visitor of an address that needs no session, and shows everybody the same."""


def visitor_of(connection: HTTPConnection, persons: Persons) -> Visitor:
    """The visitor that a request or a socket comes from. May read a file: for threads."""
    state = connection.scope.get("state", {})
    session, account = state.get("session"), state.get("account")
    if account is not None and account != HOST:
        return Visitor(session, False, person_of(account), account)
    secret = cookie(connection.headers.get("cookie", ""), person_cookie(connection))
    return Visitor(session, bool(state.get("is_guest")), persons.known(secret), account)
