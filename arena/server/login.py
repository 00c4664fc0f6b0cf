"""The door: the token of the server or of a person opens a session, a session can be ended, and grave acts ask again.

Acts that let people in, shut them out, or cannot be undone: whoever does them has shown the token within the hour. A browser
that was left open, or a session that was stolen, is not enough for them; nor is any token that a program sends.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from arena.errors import StoreError
from arena.results.accounts import Accounts, Kind
from arena.results.site_file import HOST, Account, digest
from arena.server.entrance import Entrance, Sessions
from arena.server.framing import NOBODY, frame_of
from arena.server.headers import cookie, keep_cookie, session_cookie
from arena.server.problems import Problem, is_data
from arena.server.rendering import Templates
from arena.server.sign_in.door import ProxyDoor, named_in
from arena.server.sign_in.header import Named
from arena.server.transfer import form_of
from arena.server.visitors import language_of

FRESH_SECONDS = 3600.0
"""How long after the token was shown such acts are done without it."""
_TOKEN = "token"


class Confirming:
    """Asks for the token once more where it was shown too long ago."""

    def __init__(self, sessions: Sessions, accounts: Accounts, templates: Templates) -> None:
        self._sessions, self._accounts, self._templates = sessions, accounts, templates

    async def page(self, request: Request, fields: Mapping[str, str]) -> Response | None:
        """The page that asks for the token, and then does what `fields` say; None: it is done at once. Raises Problem."""
        if request.scope["state"]["is_program"]:
            raise Problem(403, "refusal_needs_session")
        try:
            is_fresh, is_wrong = await run_in_threadpool(self._looked, request.scope["state"], fields.get(_TOKEN, "").strip())
        except StoreError:
            raise Problem(503, "refusal_no_accounts") from None
        if is_fresh:
            return None
        if is_data(request.url.path):
            raise Problem(403, "refusal_not_fresh")
        kept = [(name, value) for name, value in fields.items() if name != _TOKEN]
        page = self._templates.page(
            "confirm", language_of(request), **{**frame_of(request), "path": request.url.path}, kept=kept, is_wrong=is_wrong
        )
        return Response(page, 403, {"cache-control": "no-store"}, "text/html")

    def _looked(self, state: Mapping[str, object], token: str) -> tuple[bool, bool]:
        """Return whether the session is fresh, by the token if one is shown; and whether a wrong one was. May read the file."""
        account, session = state["account"], str(state["session"])
        assert isinstance(account, Account)
        if token:
            if account == HOST:
                is_right = self._sessions.is_token(token)
            else:
                owner = self._accounts.of_token(digest(token), Kind.PERSON)
                is_right = owner is not None and owner.id == account.id
            if is_right:
                self._confirm(account, session)
            return is_right, not is_right
        return self._age(account, session) < FRESH_SECONDS, False

    def _confirm(self, account: Account, session: str) -> None:
        if account == HOST:
            self._sessions.confirm(session)
        else:
            self._accounts.confirm_session(session)

    def _age(self, account: Account, session: str) -> float:
        if account == HOST:
            return self._sessions.age(session)
        opened = self._accounts.session_opened(session)
        return float("inf") if opened is None else (datetime.now(UTC) - datetime.fromisoformat(opened)).total_seconds()


LONGEST_LOGIN = 4096
"""Bytes of the form that brings a token."""
DOORS = ("/login", "/invite")
"""The pages that let somebody in, to which who logs out first comes back."""
_LOCAL = re.compile(r"/(?!/)[A-Za-z0-9_./-]*")  # a path of the server: `//` would lead to another host


class Login:
    """The handlers of logging in and out."""

    def __init__(
        self, sessions: Sessions, accounts: Accounts, entrance: Entrance, templates: Templates, door: ProxyDoor | None = None
    ) -> None:  # fmt: skip
        self._sessions, self._accounts, self._entrance, self._templates = sessions, accounts, entrance, templates
        self._door = door

    def routes(self) -> list[BaseRoute]:
        """All addresses."""
        return [
            Route("/login", self.shown, methods=["GET"]),
            Route("/login", self.logged_in, methods=["POST"]),
            Route("/logout", self.logged_out, methods=["POST"]),
        ]

    def page(self, request: Request, message: str) -> str:
        """The page that asks for a token; `message`: the key of what it says."""
        is_by_token = self._door is None or self._door.settings.tokens
        return self._templates.page(
            "login", language_of(request), message=message if is_by_token else "sign_in_only", is_by_token=is_by_token,
            path="/login", access=NOBODY,
        )  # fmt: skip

    async def shown(self, request: Request) -> Response:
        """The page with a button that sends the token of its address; who is logged in has to log out first."""
        if (page := logged_in(request, self._templates)) is not None:
            return page
        return Response(self.page(request, ""), headers={"cache-control": "no-store"}, media_type="text/html")

    async def logged_in(self, request: Request) -> Response:
        """Open a session for who has the token of the server or of an account, or link the name that a proxy gives to it."""
        fields = await form_of(request, LONGEST_LOGIN)
        if (page := logged_in(request, self._templates)) is not None:
            return page
        token = fields.get("token", "").strip()
        if self._door is not None and (named := named_in(request)) is not None:
            return await self._linked(request, self._door, named, token)
        if self._door is not None and not self._door.settings.tokens:
            raise Problem(403, "sign_in_only")
        session, is_lasting = None, False
        if self._sessions.is_token(token):
            session = self._sessions.opened()
        else:
            session, is_lasting = await run_in_threadpool(self._session_of, token), True
        if session is None:
            wrong = self.page(request, "login_wrong")
            return Response(wrong, 403, {"cache-control": "no-store"}, "text/html")
        following = fields.get("next", "")
        answer = RedirectResponse(following if _LOCAL.fullmatch(following) else "/", 303)
        keep_cookie(request, answer, session_cookie(request), session, is_lasting=is_lasting)
        return answer

    async def logged_out(self, request: Request) -> Response:
        """End the session, and lead to the page that lets others in, or to where the proxy ends its own."""
        fields = await form_of(request, LONGEST_LOGIN)
        name = session_cookie(request)
        secret = cookie(request.headers.get("cookie", ""), name) or ""
        self._sessions.close(secret)
        account: Account | None = request.scope["state"].get("account")
        if account is not None and account != HOST:
            await run_in_threadpool(self._accounts.close_session, request.scope["state"]["session"])
            self._entrance.look_again(account)
        if self._door is not None and named_in(request) is not None:
            return signed_out(request, self._templates, self._door)
        following = fields.get("next", "")
        answer = RedirectResponse(following if following in DOORS else DOORS[0], 303)
        keep_cookie(request, answer, name, "", is_lasting=False)
        return answer

    async def _linked(self, request: Request, door: ProxyDoor, named: Named, token: str) -> Response:
        """Let whom the proxy names open the account of a personal token, from now on."""
        account = await run_in_threadpool(self._account_of, token)
        if account is None:
            raise Problem(409, "sign_in_wrong_token", subject=named.subject)
        await door.connect(named, account)
        return RedirectResponse("/", 303)

    def _account_of(self, token: str) -> Account | None:
        try:
            return self._accounts.of_token(digest(token), Kind.PERSON)
        except StoreError:
            raise Problem(503, "refusal_no_accounts") from None

    def _session_of(self, token: str) -> str | None:
        account = self._account_of(token)
        try:
            return None if account is None else self._accounts.open_session(account)
        except StoreError:
            raise Problem(503, "refusal_no_accounts") from None


def signed_out(request: Request, templates: Templates, door: ProxyDoor) -> Response:
    """The page after logging out, for whom the proxy names: the proxy's session is the proxy's to end.

    The browser goes there by itself, as by a link: an answer that leads a form elsewhere would break the content policy.
    """
    sign_out = door.settings.sign_out
    page = templates.page("signed_out", language_of(request), path="/login", access=NOBODY, sign_out=sign_out)
    headers = {"cache-control": "no-store"} | ({} if sign_out is None else {"refresh": f"0; url={sign_out}"})
    return Response(page, 200, headers, "text/html")


def logged_in(request: Request, templates: Templates) -> Response | None:
    """The page that says who is logged in in this browser; None: nobody is.

    A link with somebody else's token must not make the reader somebody else: what they did then would be that one's.
    """
    if request.scope["state"]["account"] is None or "authorization" in request.headers:  # the second: a program, no browser
        return None
    status = 200 if request.method == "GET" else 409
    page = templates.page("logged_in", language_of(request), path=request.url.path, **frame_of(request))
    return Response(page, status, {"cache-control": "no-store"}, "text/html")
