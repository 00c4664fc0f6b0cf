"""The server as a Starlette application: it reads a results folder, lets in who has the token, and lets people play."""

import asyncio
import contextlib
import logging
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path
from types import MappingProxyType

import msgspec
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute

from arena.errors import ConfigError, StoreError
from arena.match import awake
from arena.names import in_words
from arena.results.accounts import Accounts
from arena.results.identities import Identities
from arena.results.site_file import OwnedBots, SiteFile
from arena.server import atom, openapi
from arena.server.accounts import AccountPages
from arena.server.asked import Asked
from arena.server.asking.handlers import AskHandlers
from arena.server.asking.matches import BotMatches
from arena.server.assets import Assets
from arena.server.bot_notes import NotesDesk
from arena.server.entrance import Entrance, Sessions
from arena.server.framing import frame_of, origin_of
from arena.server.guard import BehindProxy, Guard, Rules
from arena.server.headers import YEAR, security_headers
from arena.server.library import Library
from arena.server.limits import Computing
from arena.server.live_board.board import LiveBoards
from arena.server.live_board.feed import Feed
from arena.server.live_board.socket import OpenSockets, Sockets
from arena.server.login import Confirming, Login
from arena.server.managing import Managing
from arena.server.metrics.requests import Counted, RequestCounts
from arena.server.playing import Playing
from arena.server.problems import FEED, MEDIA_JSON, Problem, answer_of
from arena.server.remote.lobby import Lobby
from arena.server.remote.socket import RemoteSockets
from arena.server.rendering import Templates
from arena.server.routes import EMBEDDED, NEWS, SUBJECTS, TRACE, Subject, weight_of
from arena.server.running_contest.freezing import Freezing
from arena.server.running_contest.running import RunningContest
from arena.server.sign_in.door import ProxyDoor
from arena.server.sign_in.header import SignInHeader
from arena.server.sign_in.settings import SignIn
from arena.server.submitting.checks import Submitting
from arena.server.submitting.receiving import Receiving
from arena.server.tables.plan import Prepared
from arena.server.tables.socket import TableSockets
from arena.server.tables.tables import Tables
from arena.server.views.match import Trace
from arena.server.views.news import News
from arena.server.visitors import ANYBODY, COOKIE, QUERY, Persons, language_of, visitor_of

LOG = logging.getLogger("arena.server")
FOR_EVER = "public, max-age=31536000, immutable"
SMALL = 1000
"""Bytes below which an answer is not compressed."""

Answer = Callable[[Request], Awaitable[Response]]


def application(
    folder: Path,
    *,
    token: str | None = None,
    rules: Rules | None = None,
    tables: Tables | None = None,
    prepared: Mapping[str, Prepared] = MappingProxyType({}),
    bot_matches: BotMatches | None = None,
    contest: RunningContest | None = None,
    counts: RequestCounts | None = None,
    sign_in: SignIn | None = None,
) -> Starlette:
    """The server of a results folder.

    `token`: what lets a browser in (default: nobody knows it); `rules`: the Host names it answers to, and how often;
    `tables`: where people play; `prepared`: tables that are opened for who comes with one of these codes; `bot_matches`: where
    bots play that are asked for; `contest`: the contest that the server holds; `counts`: where requests are counted; `sign_in`:
    how the proxy of the rules says who asks.
    """
    token = token or secrets.token_urlsafe(32)
    server = Server(folder, token, tables or Tables(), prepared, bot_matches or BotMatches(), contest, sign_in)
    rules = rules or Rules()
    routes = server.routes()
    counted = [] if counts is None else [Middleware(Counted, counts=counts)]
    if counts is not None:
        counts.know(routes)
    proxied = [] if rules.public is None else [Middleware(BehindProxy, public=rules.public)]
    if sign_in is not None:
        assert rules.public is not None  # a proxy alone signs people in
        proxied.insert(0, Middleware(SignInHeader, settings=sign_in, proxies=rules.public.proxies))
    app = Starlette(
        routes=routes,
        middleware=[
            *counted,
            *proxied,
            Middleware(
                Guard, entrance=server.entrance, rules=rules, page=server.problem_page, weight=weight_of, door=server.door
            ),
            Middleware(GZipMiddleware, minimum_size=SMALL, compresslevel=5),  # no page holds a secret that its size could tell
        ],
        lifespan=server.lifespan,
        exception_handlers={Problem: server.problem, HTTPException: server.unknown, Exception: server.broken},
    )
    app.router.redirect_slashes = False  # an address is right or it is not
    app.state.server = server
    return app


class Server:
    """What the handlers share."""

    def __init__(
        self, folder: Path, token: str, tables: Tables, prepared: Mapping[str, Prepared], bot_matches: BotMatches,
        contest: RunningContest | None = None, sign_in: SignIn | None = None,
    ) -> None:  # fmt: skip
        self.contest = contest
        self.library, self.boards, self.sessions = Library(folder), LiveBoards(), Sessions(token)
        self.tables, self.site_file = tables, SiteFile(folder)
        self.persons, self.accounts = Persons(self.site_file), Accounts(self.site_file)
        self.owned = OwnedBots(self.site_file)
        self.entrance = Entrance(self.sessions, self.accounts)
        self.door = None if sign_in is None else ProxyDoor(sign_in, Identities(self.site_file, self.accounts), self.entrance)
        self.submitting = Submitting(folder, self.accounts, contest)
        self.playing = Playing(
            self.library, tables, self.persons, self.sessions, self.submitting.computing, prepared
        )  # fmt: skip
        self.bot_matches, self.lobby = bot_matches, Lobby(folder, bot_matches, Computing(self.submitting.computing.seconds))
        self.asking = AskHandlers(
            self.library, bot_matches, self.lobby, self.persons, self.submitting.computing
        )  # fmt: skip
        self.notes = NotesDesk(folder)
        self.managing = Managing(self.library, self.persons, self.accounts, self.owned, self.submitting.inbox, contest)
        self.feed = Feed(self.library, self.boards)
        self.assets = Assets()
        self.templates = Templates(self.assets)
        self.login = Login(self.sessions, self.accounts, self.entrance, self.templates, self.door)
        self.confirming = Confirming(self.sessions, self.accounts, self.templates)
        self.account_pages = AccountPages(
            folder, self.accounts, self.entrance, tables, self.templates, self.confirming, self.door
        )

    @contextlib.asynccontextmanager
    async def lifespan(self, _app: Starlette) -> AsyncIterator[None]:
        """Start the ladder of a contest, and the checks; close what is open when the server ends."""
        awake.keep_time(asyncio.get_running_loop())
        if self.contest is not None:
            self.contest.start()
        self.submitting.checks.start()
        yield
        if self.contest is not None:
            await self.contest.close()
        await self.submitting.close()
        await self.tables.close()
        await self.bot_matches.close()
        self.notes.close()
        self.site_file.close()
        await self.feed.close()
        self.boards.close()

    def routes(self) -> list[BaseRoute]:
        """All addresses."""
        counted = OpenSockets()
        routes: list[BaseRoute] = [
            Route(openapi.PATH, self.described),
            WebSocketRoute("/live", Sockets(self.feed, counted).endpoint),
            WebSocketRoute("/tables/{id}/socket", TableSockets(self.tables, self.persons, counted).endpoint),
            WebSocketRoute("/remote/socket", RemoteSockets(self.lobby, self.persons).endpoint),
            *self.playing.routes(),
            *self.asking.routes(),
            *Receiving(self.submitting, self.persons).routes(),
            *self.managing.routes(),
            *Freezing(self.contest, self.persons, self.accounts, self.owned, self.confirming).routes(),
            Route(TRACE.path, self.traced),
            Route(FEED, self.fed),
            Route("/static/{hash}/{name:path}", self.static),
            *self.login.routes(),
            *self.account_pages.routes(),
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
                    template, language_of(request), view=view, path=request.url.path, query=request.query_params.multi_items(),
                    **frame_of(request),
                )  # fmt: skip

            response = Response(await run_in_threadpool(made), headers={"cache-control": "no-store"}, media_type="text/html")
            if subject not in EMBEDDED and request.query_params.get(QUERY) == language_of(request):
                response.set_cookie(COOKIE, language_of(request), max_age=YEAR, httponly=True, samesite="lax")
            return response

        return answer

    def _viewed(self, subject: Subject, request: Request) -> msgspec.Struct:
        """The data of an address. Raises Problem."""
        words = {name: value for name, value in request.query_params.items() if name != QUERY and value}  # as forms send them
        try:
            query = msgspec.convert(words, subject.query, strict=False)
        except msgspec.ValidationError as error:
            raise Problem(400, "refusal_bad_parameter", text=in_words(error)) from None
        visitor = ANYBODY if subject in EMBEDDED else visitor_of(request, self.persons)
        try:
            return subject.view(
                Asked(
                    self.library, self.boards, dict(request.path_params), query, language_of(request), visitor, self.tables,
                    self.persons, self.accounts, self.owned, self.bot_matches, self.lobby, self.submitting, self.notes,
                    self.contest,
                )
            )  # fmt: skip
        except ConfigError as error:
            raise Problem(400, "refusal_said", text=error) from None
        except (StoreError, OSError) as error:
            if subject in EMBEDDED:  # the error names files: that is for who has the token
                raise Problem(500, "refusal_unreadable_match") from None
            if not visitor.is_organiser:
                LOG.error("%s: %s", request.scope["path"], error)
                raise Problem(500, "refusal_unreadable_now") from None
            raise Problem(500, "refusal_unreadable", text=error) from None

    async def traced(self, request: Request) -> Response:
        """A match as a file of JSON Lines."""
        found = await run_in_threadpool(self._viewed, TRACE, request)
        assert isinstance(found, Trace)
        headers = {"cache-control": "no-store", "content-disposition": f'attachment; filename="{found.match_id}.jsonl"'}
        return Response(found.text, headers=headers, media_type="application/jsonl")

    async def fed(self, request: Request) -> Response:
        """The news as an Atom feed."""
        found = await run_in_threadpool(self._viewed, NEWS, request)
        assert isinstance(found, News)
        body = atom.feed(found, language_of(request), origin_of(request))
        return atom.answered(request, body, atom.updated(found))

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
        return Response(openapi.encoded(), headers={"cache-control": "no-store"}, media_type=MEDIA_JSON)

    def problem_page(self, request: Request, problem: Problem) -> str:
        """A problem as a page; without a session it is the page that asks for the token."""
        if problem.status == 401:
            return self.login.page(request, "login_needed")
        return self.templates.page("problem", language_of(request), problem=problem, path=request.url.path, **frame_of(request))

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
