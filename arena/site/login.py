"""The door: the token of the hall or of a person opens a session, and a session can be ended."""

import re

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from arena.errors import StoreError
from arena.site.cookies import YEAR, cookie
from arena.site.entrance import Entrance
from arena.site.forms import form_of
from arena.site.framing import NOBODY
from arena.site.guard import cookie_name
from arena.site.language import language
from arena.site.problems import Problem
from arena.site.rendering import Templates
from arena.site.sessions import Sessions
from arena.store.account_rows import HOST, Account
from arena.store.accounts import Accounts, Kind
from arena.store.tokens import digest

LONGEST_LOGIN = 4096
"""Bytes of the form that brings a token."""
_LOCAL = re.compile(r"/(?!/)[A-Za-z0-9_./-]*")  # a path of the hall: `//` would lead to another host


class Login:
    """The handlers of logging in and out."""

    def __init__(self, sessions: Sessions, accounts: Accounts, entrance: Entrance, templates: Templates) -> None:
        self._sessions, self._accounts, self._entrance, self._templates = sessions, accounts, entrance, templates

    def routes(self) -> list[BaseRoute]:
        """All addresses."""
        return [
            Route("/login", self.shown, methods=["GET"]),
            Route("/login", self.logged_in, methods=["POST"]),
            Route("/logout", self.logged_out, methods=["POST"]),
        ]

    def page(self, request: Request, message: str) -> str:
        """The page that asks for a token; `message`: the key of what it says."""
        return self._templates.page("login", language(request), message=message, path="/login", access=NOBODY)

    async def shown(self, request: Request) -> Response:
        """The page that sends the token of its address, which browsers never send by themselves."""
        return Response(self.page(request, ""), headers={"cache-control": "no-store"}, media_type="text/html")

    async def logged_in(self, request: Request) -> Response:
        """Open a session for who has the token of the hall or of an account."""
        fields = await form_of(request, LONGEST_LOGIN)
        token = fields.get("token", "").strip()
        session, is_lasting = None, False
        if self._sessions.is_token(token):
            session = self._sessions.opened()
        else:
            session, is_lasting = await run_in_threadpool(self._session_of, token), True
        if session is None:
            page = self.page(request, "login_wrong")
            return Response(page, 403, {"cache-control": "no-store"}, "text/html")
        following = fields.get("next", "")
        answer = RedirectResponse(following if _LOCAL.fullmatch(following) else "/", 303)
        with_session(request, answer, session, is_lasting=is_lasting)
        return answer

    async def logged_out(self, request: Request) -> Response:
        """End the session."""
        name = cookie_name(request.headers.get("host", ""))
        secret = cookie(request.headers.get("cookie", ""), name) or ""
        self._sessions.close(secret)
        account: Account | None = request.scope["state"].get("account")
        if account is not None and account != HOST:
            await run_in_threadpool(self._accounts.close_session, digest(secret))
            self._entrance.look_again(account)
        answer = RedirectResponse("/login", 303)
        answer.delete_cookie(name)
        return answer

    def _session_of(self, token: str) -> str | None:
        try:
            account = self._accounts.of_token(digest(token), Kind.PERSON)
            return None if account is None else self._accounts.open_session(account)
        except StoreError:
            raise Problem(503, "refusal_no_accounts") from None


def with_session(request: Request, answer: Response, session: str, *, is_lasting: bool) -> None:
    """Give a browser its session. `is_lasting`: the browser keeps it when it is closed, for sessions that outlive the hall."""
    name = cookie_name(request.headers.get("host", ""))
    answer.set_cookie(
        name, session, max_age=YEAR if is_lasting else None, httponly=True, samesite="lax", secure=request.url.scheme == "https"
    )  # fmt: skip
