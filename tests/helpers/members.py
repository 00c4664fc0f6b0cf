"""A server with accounts, and a client for each kind of person who may come there, without a network.

`with_members(folder)` opens it: `members.host` has the server's token; `members.organiser`, `members.aya` and `members.ben`
(authors) and `members.gus` (a guest, who looks and plays) were invited and are logged in by a session; `members.stranger` has
nothing. `members.aya.post(...)` asks as Aya; `members.account("aya")` is her account and `members.token("aya")` her token, for
programs: `members.program("aya")` is a client that sends it. `members.server` is the `Server`, with `members.server.accounts`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from arena.results.site_file import Account, Role
from arena.server.app import Server, application
from arena.server.headers import cookie_name
from arena.server.submitting.checks import Checks
from helpers.server import HOST, TOKEN

NAMES = {"organiser": "Olga", "aya": "Aya", "ben": "Ben", "gus": "Gus"}
"""Who is invited: the name of the client, and the name of the account."""
ROLES = {"organiser": Role.ORGANISER, "aya": Role.AUTHOR, "ben": Role.AUTHOR, "gus": Role.GUEST}


class Members:
    """The server, and who comes there."""

    def __init__(self, first: TestClient, app: Any) -> None:
        self._first, self._app = first, app
        self.server: Server = app.state.server
        self._tokens: dict[str, str] = {}
        self._addresses = 0
        self.host, self.stranger = self.client(), self.client()
        self.host.headers["authorization"] = f"Bearer {TOKEN}"
        self.organiser, self.aya, self.ben, self.gus = (self._joined(who) for who in NAMES)

    def client(self) -> TestClient:
        """Another browser, without cookies, at an address of its own; it shares the loop of the server."""
        self._addresses += 1
        client = TestClient(
            self._app, base_url=HOST, raise_server_exceptions=False, follow_redirects=False,
            client=(f"browser-{self._addresses}", 50_000),
        )  # fmt: skip
        client.portal = self._first.portal
        return client

    def invited(self, name: str, role: Role = Role.AUTHOR) -> str:
        """The code of a join link for somebody."""
        return self.server.accounts.invite("test", [name], role)[0].code

    def account(self, who: str) -> Account:
        """The account of somebody, by the name of the client."""
        found = self.server.accounts.find(NAMES.get(who, who))
        assert found is not None
        return found

    def token(self, who: str) -> str:
        """The personal token of somebody."""
        return self._tokens[who]

    def program(self, who: str) -> TestClient:
        """A program that sends somebody's token with each request."""
        client = self.client()
        client.headers["authorization"] = f"Bearer {self.token(who)}"
        return client

    def _joined(self, who: str) -> TestClient:
        joined = self.server.accounts.join(self.invited(NAMES[who], ROLES[who]))
        assert joined is not None
        self._tokens[who] = joined.token
        client = self.client()
        client.cookies.set(cookie_name(HOST), joined.session, domain="127.0.0.1", path="/")
        return client


@contextmanager
def with_members(out: Path, *, is_checking: bool = True, **settings: Any) -> Iterator[Members]:
    """A server with accounts; `settings` go to `application`, such as `tables=` or `contest=`.

    `is_checking`: whether it looks for submissions to check; where a test begins checks itself, it would take some of them.
    """
    app = application(out, token=TOKEN, **settings)
    with pytest.MonkeyPatch.context() as patch:
        if not is_checking:
            patch.setattr(Checks, "start", lambda self: None)
        with TestClient(app, base_url=HOST, raise_server_exceptions=False, follow_redirects=False) as first:
            yield Members(first, app)
