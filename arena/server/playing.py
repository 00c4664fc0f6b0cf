"""What people ask the server to do: open a table, sit down at one, leave it, play again."""

import contextlib
from collections.abc import AsyncIterator, Mapping
from urllib.parse import quote

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from arena import games
from arena.errors import ConfigError
from arena.names import in_words
from arena.results.site_file import StoredPerson
from arena.server.entrance import Sessions
from arena.server.framing import origin_of
from arena.server.headers import keep_cookie, person_cookie, session_cookie
from arena.server.library import Library
from arena.server.limits import Computing
from arena.server.people.levels import MODEL
from arena.server.problems import MEDIA_JSON, Problem
from arena.server.qr_code import qr_svg
from arena.server.tables.plan import Opening, Prepared, TablePlan, opening_of, planned
from arena.server.tables.table import Table
from arena.server.tables.tables import Tables
from arena.server.transfer import body_of, form_of
from arena.server.views.play import suited_choice
from arena.server.visitors import Persons, Visitor, visitor_of

OPENING = "/api/tables"
"""The address at which a program opens a table."""
PREPARED = "/play/prepared"
"""The address, before a code, of a table that the command line wants."""


class Opened(msgspec.Struct, frozen=True, kw_only=True):
    """A table that was opened."""

    table: str
    """The id of the table."""
    page: str
    """The address of its page; `/tables/ID/socket` is that of its socket."""
    join: str | None
    """The address that lets others in; None: nobody else can join."""
    name: str
    """The name that the person plays under. Who had no cookie of a person gets one."""


class Playing:
    """The handlers of what is sent by POST."""

    def __init__(
        self, library: Library, tables: Tables, persons: Persons, sessions: Sessions, computing: Computing,
        prepared: Mapping[str, Prepared],
    ) -> None:  # fmt: skip
        """`prepared`: tables by their codes, each for one person."""
        self._computing = computing
        self._library, self._tables, self._persons, self._sessions = library, tables, persons, sessions
        self._prepared = dict(prepared)
        wished = (choice for one in prepared.values() for choice in one.opening.seats)
        self._models = frozenset(choice for choice in wished if choice.startswith(MODEL))
        """The language models that the command line wants at its table: nobody else can name one."""

    def routes(self) -> list[BaseRoute]:
        """All addresses."""
        return [
            Route(OPENING, self.opened_by_program, methods=["POST"]),
            Route("/play/{game}", self.opened_by_form, methods=["POST"]),
            Route(f"{PREPARED}/{{code}}", self.opened_as_prepared, methods=["GET"]),
            Route("/join/{code}", self.joined, methods=["POST"]),
            Route("/tables/{id}/leave", self.left, methods=["POST"]),
            Route("/tables/{id}/rematch", self.played_again, methods=["POST"]),
            Route("/tables/{id}/join.svg", self.link_drawn, methods=["GET"]),
        ]

    async def opened_by_form(self, request: Request) -> Response:
        """Open the table that a form asks for, and lead to it."""
        fields = await form_of(request)
        visitor = await self._visitor(request)

        def prepared() -> Opening:
            game = request.path_params["game"]
            try:
                games.load(game)
            except ConfigError as error:
                raise Problem(404, "refusal_said", text=error) from None
            return opening_of(game, fields, suited_choice(self._library, game, visitor.person))

        opening = await run_in_threadpool(prepared)
        table, _, secret = await self._open(visitor, opening, fields.get("name", ""))
        return self._led(request, table, secret)

    async def opened_as_prepared(self, request: Request) -> Response:
        """Open the table that the command line wants, once, and lead to it.

        The address changes something though it is only looked at: nobody can guess its code, and it works once.
        """
        prepared = self._prepared.pop(request.path_params["code"], None)
        if prepared is None:
            return RedirectResponse("/play", 303)
        visitor = await self._visitor(request)
        opening, seed = prepared.opening, prepared.seed
        usual = "" if visitor.person is not None else prepared.usual_name
        try:
            table, _, secret = await self._open(visitor, opening, opening.name or usual, seed)
        except Problem:
            if opening.name is not None or not usual:
                raise
            table, _, secret = await self._open(visitor, opening, "", seed)  # somebody else has the usual name
        return self._led(request, table, secret)

    async def opened_by_program(self, request: Request) -> Response:
        """Open the table that a program describes as an Opening."""
        try:
            opening = msgspec.json.decode(await body_of(request), type=Opening)
        except msgspec.ValidationError as error:
            raise Problem(400, "refusal_said", text=in_words(error)) from None
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            raise Problem(400, "refusal_no_json") from None
        visitor = await self._visitor(request)
        table, person, secret = await self._open(visitor, opening, opening.name or "")
        found = Opened(
            table=table.id,
            page=f"/tables/{table.id}",
            name=person.name,
            join=f"/join/{table.code}" if table.plan.has_lobby else None,
        )
        answer = Response(msgspec.json.encode(found), 201, {"cache-control": "no-store"}, MEDIA_JSON)
        return self._with_person(request, answer, secret)

    async def joined(self, request: Request) -> Response:
        """Give somebody a seat at the table of a link; who has no session gets a guest's."""
        fields = await form_of(request)
        visitor = await self._visitor(request)
        table = self._tables.by_code(request.path_params["code"])
        secret = None
        if table.seat_of(visitor.person) is None:  # else it is somebody who comes back, perhaps without a session
            table.check_joinable()
            self._tables.check_free(visitor.person)
            person, secret = await run_in_threadpool(self._named, visitor, fields.get("name", ""))
            async with self._kept_if_seated(person, secret):
                if table.seat_of(person) is None:  # the person may have sat down meanwhile, here or elsewhere
                    self._tables.check_free(person)
                table.join(person)
        answer = self._led(request, table, secret)
        if visitor.session is None:
            session = self._sessions.opened(guest_at=request.scope["state"]["address"])
            keep_cookie(request, answer, session_cookie(request), session, is_lasting=False)
        return answer

    async def link_drawn(self, request: Request) -> Response:
        """The link that lets others in, as a QR code, for who has opened the table."""
        visitor = await self._visitor(request)
        table, seat = self._tables.at(request.path_params["id"], visitor.person)
        table.check_joinable()
        if table.host.id != table.seats[seat].person_id:
            raise Problem(404, "refusal_no_file")
        picture = await run_in_threadpool(qr_svg, f"{origin_of(request)}/join/{table.code}")
        return Response(picture, headers={"cache-control": "no-store"}, media_type="image/svg+xml")

    async def left(self, request: Request) -> Response:
        """Leave a table for good."""
        await form_of(request)
        visitor = await self._visitor(request)
        table, seat = self._tables.at(request.path_params["id"], visitor.person)
        table.leave(seat)
        return RedirectResponse("/rules" if visitor.is_guest else "/play", 303)

    async def played_again(self, request: Request) -> Response:
        """Open the same table with new cards; who is still there sits there too."""
        await form_of(request)
        visitor = await self._visitor(request)
        table, _ = self._tables.at(request.path_params["id"], visitor.person)
        if table.following is not None:  # somebody was faster, or pressed twice
            return RedirectResponse(f"/tables/{quote(table.following)}", 303)
        if table.is_running or visitor.person is None or table.host.id != visitor.person.id:
            raise Problem(409, "refusal_no_rematch")
        self._computing.check(visitor.account)
        plan = await run_in_threadpool(planned, table.plan.opening, self._library.out, visitor.person.name)
        following = self._tables.open(plan, visitor.person, self._computing.payer(visitor.account))
        for other in table.people():
            if following.is_joinable and table.seat_of(other) is not None and not self._tables.running(other):
                following.join(other)
        table.tell_following(following.id)
        return RedirectResponse(f"/tables/{quote(following.id)}", 303)

    async def _open(
        self, visitor: Visitor, opening: Opening, name: str, seed: int | None = None
    ) -> tuple[Table, StoredPerson, str | None]:
        """A new table. A person is only made for a table that can be opened. Raises Problem."""
        self._tables.check_free(visitor.person)
        self._computing.check(visitor.account)

        def prepared() -> tuple[StoredPerson, str | None, TablePlan]:
            planned(opening, self._library.out, "", models=self._models)
            person, secret = self._named(visitor, name)
            plan = planned(opening, self._library.out, person.name, models=self._models)
            return person, secret, msgspec.structs.replace(plan, seed=seed)

        person, secret, plan = await run_in_threadpool(prepared)
        async with self._kept_if_seated(person, secret):
            return self._tables.open(plan, person, self._computing.payer(visitor.account)), person, secret

    @contextlib.asynccontextmanager
    async def _kept_if_seated(self, person: StoredPerson, secret: str | None) -> AsyncIterator[None]:
        """Forget a new person for whom there is no seat in the end: the name would be taken, and the cookie never sent."""
        try:
            yield
        except Problem:
            if secret is not None:
                await run_in_threadpool(self._persons.forget, person)
            raise

    def _named(self, visitor: Visitor, name: str) -> tuple[StoredPerson, str | None]:
        known = visitor.person
        if known is not None and visitor.has_own_account:
            return known, None
        return self._persons.named(known, name or (known.name if known is not None else self._persons.free_name()))

    async def _visitor(self, request: Request) -> Visitor:
        return await run_in_threadpool(visitor_of, request, self._persons)

    def _led(self, request: Request, table: Table, secret: str | None) -> Response:
        return self._with_person(request, RedirectResponse(f"/tables/{quote(table.id)}", 303), secret)

    def _with_person(self, request: Request, answer: Response, secret: str | None) -> Response:
        if secret is not None:
            keep_cookie(request, answer, person_cookie(request), secret, is_lasting=True)
        return answer
