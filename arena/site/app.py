"""The hall as a Starlette application: it reads a results folder, lets in who has the token, and changes nothing."""

import asyncio
import contextlib
import logging
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from urllib.parse import parse_qs

import msgspec
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute

from arena.errors import ConfigError, StoreError
from arena.names import in_words
from arena.site import deadlines, openapi
from arena.site.asked import Asked
from arena.site.assets import Assets
from arena.site.cookies import cookie
from arena.site.guard import Guard, Rules, cookie_name
from arena.site.headers import security_headers
from arena.site.language import COOKIE, QUERY, language
from arena.site.library import Library
from arena.site.live.board import LiveBoards
from arena.site.live.feed import Feed
from arena.site.live.socket import Sockets
from arena.site.problems import MEDIA_JSON, Problem, answer_of
from arena.site.rendering import Templates
from arena.site.routes import EMBEDDED, SUBJECTS, Subject
from arena.site.sessions import Sessions

LOG = logging.getLogger("arena.site")
FOR_EVER = "public, max-age=31536000, immutable"
SMALL = 1000
"""Bytes below which an answer is not compressed."""
LONGEST_LOGIN = 4096
"""Bytes of the form that brings the token."""
YEAR = 365 * 24 * 3600

Answer = Callable[[Request], Awaitable[Response]]


def application(folder: Path, *, token: str | None = None, rules: Rules | None = None) -> Starlette:
    """The hall of a results folder.

    `token`: what lets a browser in (default: nobody knows it); `rules`: the Host names it answers to, and how often.
    """
    hall = Hall(folder, token or secrets.token_urlsafe(32))
    app = Starlette(
        routes=hall.routes(),
        middleware=[
            Middleware(Guard, sessions=hall.sessions, rules=rules or Rules(), page=hall.problem_page),
            Middleware(GZipMiddleware, minimum_size=SMALL, compresslevel=5),  # no page holds a secret that its size could tell
        ],
        lifespan=hall.lifespan,
        exception_handlers={Problem: hall.problem, HTTPException: hall.unknown, Exception: hall.broken},
    )
    app.router.redirect_slashes = False  # an address is right or it is not
    app.state.hall = hall
    return app


class Hall:
    """What the handlers share."""

    def __init__(self, folder: Path, token: str) -> None:
        self.library, self.boards, self.sessions = Library(folder), LiveBoards(), Sessions(token)
        self.feed = Feed(self.library, self.boards)
        self.assets = Assets()
        self.templates = Templates(self.assets)

    @contextlib.asynccontextmanager
    async def lifespan(self, _app: Starlette) -> AsyncIterator[None]:
        """Close what is open when the server ends."""
        yield
        await self.feed.close()
        self.boards.close()

    def routes(self) -> list[BaseRoute]:
        """All addresses."""
        routes: list[BaseRoute] = [
            Route(openapi.PATH, self.described),
            WebSocketRoute("/live", Sockets(self.feed).endpoint),
            Route("/static/{hash}/{name:path}", self.static),
            Route("/login", self.login_page, methods=["GET"]),
            Route("/login", self.login, methods=["POST"]),
            Route("/logout", self.logout, methods=["POST"]),
        ]
        for subject in EMBEDDED:
            routes.append(Route(f"{subject.path}.json", self._json(subject)))
            if subject.template is not None:
                routes.append(Route(subject.path, self._page(subject, subject.template)))
        for subject in SUBJECTS:
            routes.append(Route(f"/api{subject.path}".rstrip("/"), self._json(subject)))
            if subject.template is not None:
                routes.append(Route(subject.path, self._page(subject, subject.template)))
        return routes

    def _json(self, subject: Subject) -> Answer:
        async def answer(request: Request) -> Response:
            view = await run_in_threadpool(self._viewed, subject, request)
            return Response(msgspec.json.encode(view), headers={"cache-control": "no-store"}, media_type=MEDIA_JSON)

        return answer

    def _page(self, subject: Subject, template: str) -> Answer:
        async def answer(request: Request) -> Response:
            def made() -> str:
                view = self._viewed(subject, request)
                return self.templates.page(
                    template, language(request), view=view, path=request.url.path, query=request.query_params.multi_items()
                )

            response = Response(await run_in_threadpool(made), headers={"cache-control": "no-store"}, media_type="text/html")
            if subject not in EMBEDDED and request.query_params.get(QUERY) == language(request):
                response.set_cookie(COOKIE, language(request), max_age=YEAR, httponly=True, samesite="lax")
            return response

        return answer

    def _viewed(self, subject: Subject, request: Request) -> msgspec.Struct:
        """The data of an address. Raises Problem."""
        words = {name: value for name, value in request.query_params.items() if name != QUERY and value}  # as forms send them
        try:
            query = msgspec.convert(words, subject.query, strict=False)
        except msgspec.ValidationError as error:
            raise Problem(400, "refusal_bad_parameter", text=in_words(error)) from None
        try:
            return subject.view(Asked(self.library, self.boards, dict(request.path_params), query, language(request)))
        except ConfigError as error:
            raise Problem(400, "refusal_said", text=error) from None
        except (StoreError, OSError) as error:
            if subject in EMBEDDED:  # the error names files: that is for who has the token
                raise Problem(500, "refusal_unreadable_match") from None
            raise Problem(500, "refusal_unreadable", text=error) from None

    async def static(self, request: Request) -> Response:
        """A style or a script."""
        asset = self.assets.find(request.path_params["hash"], request.path_params["name"])
        if asset is None:
            raise Problem(404, "refusal_no_file")
        headers = {"cache-control": FOR_EVER}
        if "gzip" in request.headers.get("accept-encoding", ""):
            return Response(
                asset.zipped,
                headers=headers | {"content-encoding": "gzip", "vary": "accept-encoding"},
                media_type=asset.media_type,
            )
        return Response(asset.content, headers=headers, media_type=asset.media_type)

    async def described(self, _request: Request) -> Response:
        """The description of the JSON addresses."""
        return Response(msgspec.json.encode(openapi.document()), headers={"cache-control": "no-store"}, media_type=MEDIA_JSON)

    async def login_page(self, request: Request) -> Response:
        """The page that sends the token of its address, which browsers never send by themselves."""
        return Response(self._login(request, ""), headers={"cache-control": "no-store"}, media_type="text/html")

    async def login(self, request: Request) -> Response:
        """Open a session for who has the token."""
        body = await self._form(request)
        token = parse_qs(body.decode("latin-1")).get("token", [""])[0]  # the form is short, so its fields are few
        if not self.sessions.is_token(token.strip()):
            page = self._login(request, "login_wrong")
            return Response(page, 403, {"cache-control": "no-store"}, "text/html")
        answer = RedirectResponse("/", 303)
        name = cookie_name(request.headers.get("host", ""))
        answer.set_cookie(name, self.sessions.opened(), httponly=True, samesite="lax", secure=request.url.scheme == "https")
        return answer

    async def logout(self, request: Request) -> Response:
        """End the session."""
        name = cookie_name(request.headers.get("host", ""))
        self.sessions.close(cookie(request.headers.get("cookie", ""), name) or "")
        answer = RedirectResponse("/login", 303)
        answer.delete_cookie(name)
        return answer

    async def _form(self, request: Request) -> bytes:
        """The form that brings the token. Raises Problem for one that is too long, or too slow."""
        body = b""
        try:
            async with asyncio.timeout(deadlines.BODY_SECONDS):
                async for part in request.stream():
                    body += part
                    if len(body) > LONGEST_LOGIN:
                        raise Problem(413, "refusal_no_token")
        except TimeoutError:
            raise Problem(408, "refusal_slow_form") from None
        return body

    def _login(self, request: Request, message: str) -> str:
        return self.templates.page("login", language(request), message=message, path="/login")

    def problem_page(self, request: Request, problem: Problem) -> str:
        """A problem as a page; without a session it is the page that asks for the token."""
        if problem.status == 401:
            return self._login(request, "login_needed")
        return self.templates.page("problem", language(request), problem=problem, path=request.url.path)

    async def problem(self, request: Request, error: Exception) -> Response:
        """The answer to what a view refused."""
        assert isinstance(error, Problem)
        return answer_of(error, request.url.path, lambda problem: self.problem_page(request, problem))

    async def unknown(self, request: Request, error: Exception) -> Response:
        """The answer to an address that is none of ours."""
        status = error.status_code if isinstance(error, HTTPException) else 404
        return await self.problem(request, Problem(status, "refusal_no_page" if status == 404 else "refusal_not_done"))

    async def broken(self, request: Request, error: Exception) -> Response:
        """The answer after a mistake of ours: the terminal is told more."""
        LOG.error("%s %r: %s", request.method, request.scope["path"], error, exc_info=error)
        answer = await self.problem(request, Problem(500, "refusal_our_mistake"))
        for name, value in security_headers(request.scope["path"]):  # this answer is made outside of the guard
            answer.headers[name.decode()] = value.decode()
        return answer
