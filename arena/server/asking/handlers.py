"""What is sent to ask for a match: a form of the page, or JSON from a program."""

from collections.abc import Mapping
from urllib.parse import quote

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from arena import games
from arena.engine.options import parse_options
from arena.errors import ConfigError
from arena.names import in_words
from arena.records import MatchRecord
from arena.server.asking.match_request import LARGEST_SEED, LEVEL, MatchRequest, planned
from arena.server.asking.matches import BotMatch, BotMatches
from arena.server.library import Library
from arena.server.limits import Computing
from arena.server.problems import MEDIA_JSON, Problem
from arena.server.remote.lobby import Lobby
from arena.server.table_process.messages import Setup
from arena.server.tables.plan import OPTION
from arena.server.transfer import body_of, form_of
from arena.server.views.match import checked_id_of, located
from arena.server.views.play import usual_seats
from arena.server.visitors import Persons, Visitor, visitor_of

ASKING = "/api/ask"
"""The address at which a program asks for a match."""
DEMO = "/api/demo/{game}"
"""The address at which a page asks for a match of house bots to look at."""
DEMO_LEVELS = ("club", "casual", "beginner")
"""The levels that play it, seat after seat."""
MOST_BOTS = 20
BOT = "bot."
"""How the names of the fields begin that name the bots, by seat from 0."""


class AskedFor(msgspec.Struct, frozen=True, kw_only=True):
    """A match that was asked for."""

    match: str
    """The id in the address of the page; that of the stored match is another one, and known at the end."""
    page: str
    """The address of its page; `/api` and the same tells a program how far it is."""


class AskHandlers:
    """The handlers of what is sent by POST."""

    def __init__(
        self, library: Library, matches: BotMatches, lobby: Lobby, persons: Persons, computing: Computing
    ) -> None:  # fmt: skip
        self._computing = computing
        self._library, self._matches, self._lobby, self._persons = library, matches, lobby, persons
        self._demos: dict[str, BotMatch] = {}
        """The match of each game that house bots have played, or are playing, for whoever wants to look."""

    def routes(self) -> list[BaseRoute]:
        """All addresses."""
        return [
            Route("/ask", self.asked_by_form, methods=["POST"]),
            Route(ASKING, self.asked_by_program, methods=["POST"]),
            Route(DEMO, self.shown, methods=["POST"]),
        ]

    async def asked_by_form(self, request: Request) -> Response:
        """Play the match that a form asks for, and lead to its page."""
        fields = await form_of(request)
        match = await self._asked(request, request_of_form(fields))
        return RedirectResponse(f"/ask/{quote(match.id)}", 303)

    async def asked_by_program(self, request: Request) -> Response:
        """Play the match that a program describes as a MatchRequest."""
        try:
            asked_for = msgspec.json.decode(await body_of(request), type=MatchRequest)
        except msgspec.ValidationError as error:
            raise Problem(400, "refusal_said", text=in_words(error)) from None
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            raise Problem(400, "refusal_no_json") from None
        return _told(await self._asked(request, asked_for))

    async def shown(self, request: Request) -> Response:
        """Let house bots play a game for whoever wants to look: once while the server is open, and all see the same match."""
        game = request.path_params["game"]
        if (known := self._demo(game)) is None:
            visitor = await run_in_threadpool(visitor_of, request, self._persons)
            self._computing.check(visitor.account)
            setup = await run_in_threadpool(self._planned_demo, game)
            known = self._demo(game)  # somebody may have been faster
        if known is None:
            known = self._demos[game] = self._matches.ask(setup, f"demo of {game}", self._computing.payer(visitor.account))
        return _told(known)

    def _demo(self, game: str) -> BotMatch | None:
        """The match that shows a game, if it is stored, or may still be, and its page is still there."""
        found = self._demos.get(game)
        is_there = found is not None and self._matches.is_kept(found) and (found.is_running or found.match_id is not None)
        return found if is_there else None

    def _planned_demo(self, game: str) -> Setup:
        """The match of house bots that shows a game. Raises Problem 404 for an unknown game."""
        try:
            seats = usual_seats(games.load(game).seats)
        except ConfigError as error:
            raise Problem(404, "refusal_said", text=error) from None
        bots = [f"{LEVEL}{DEMO_LEVELS[seat % len(DEMO_LEVELS)]}" for seat in range(seats)]
        return planned(MatchRequest(game=game, bots=bots), self._library.out, self._located, lambda game: ())

    async def _asked(self, request: Request, asked_for: MatchRequest) -> BotMatch:
        visitor = await run_in_threadpool(visitor_of, request, self._persons)
        check_asker(visitor)
        assert visitor.account is not None
        self._matches.check_free(visitor.account.id)
        self._computing.check(visitor.account)
        here = self._lobby.names()

        def prepared() -> Setup:
            return planned(asked_for, self._library.out, self._located, lambda game: here.get(game, ()))

        return self._matches.ask(
            await run_in_threadpool(prepared), visitor.account.id, self._computing.payer(visitor.account)
        )  # fmt: skip

    def _located(self, match_id: str) -> MatchRecord:
        return located(self._library, checked_id_of(match_id))[1]


def _told(match: BotMatch) -> Response:
    answer = msgspec.json.encode(AskedFor(match=match.id, page=f"/ask/{match.id}"))
    return Response(answer, 201, {"cache-control": "no-store"}, MEDIA_JSON)


def check_asker(visitor: Visitor) -> None:
    """Raise Problem 403 for who may not ask for matches: they take the machine's time."""
    if not visitor.is_author:
        raise Problem(403, "refusal_ask_author")


def request_of_form(fields: Mapping[str, str]) -> MatchRequest:
    """The match that a form asks for. Raises Problem 400."""
    bots = [fields.get(f"{BOT}{seat}", "").strip() for seat in range(MOST_BOTS)]
    seed = fields.get("seed", "").strip()
    try:
        options = parse_options(
            f"{name.removeprefix(OPTION)}={value.strip()}"
            for name, value in fields.items()
            if name.startswith(OPTION) and value.strip()
        )
        if seed and not (seed.isascii() and seed.isdigit() and len(seed) <= len(str(LARGEST_SEED))):
            raise Problem(400, "refusal_number", field="seed")
        found = {
            "game": fields.get("game", ""), "bots": [bot for bot in bots if bot], "options": options,
            "seed": int(seed) if seed else None, "like": fields.get("like", "").strip(),
        }  # fmt: skip
        return msgspec.convert(found, MatchRequest)
    except ConfigError as error:
        raise Problem(400, "refusal_said", text=error) from None
    except msgspec.ValidationError as error:
        raise Problem(400, "refusal_said", text=in_words(error)) from None
