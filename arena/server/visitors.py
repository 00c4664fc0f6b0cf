"""Who asks: the session that the guard has found, and the person whose cookie came along."""

from dataclasses import dataclass

from starlette.requests import HTTPConnection

from arena.results.account_rows import HOST, Account
from arena.results.site_file import StoredPerson
from arena.server.cookies import cookie, person_cookie
from arena.server.persons import Persons, person_of


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
    """The account that the session belongs to; HOST for who has the token of the hall. None: a guest of a table, or nobody."""

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
