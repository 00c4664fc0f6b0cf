"""A match that somebody asks for, and how it is set up: any bots, on new cards or on those of a match that was played."""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec

from arena import games
from arena.agent.loading import HOUSE, house_bots
from arena.agent.submissions import PREFIX, Submissions
from arena.errors import ConfigError, StoreError, nearest
from arena.names import NAME
from arena.records import MatchRecord
from arena.results.people import ASKED, REMOTE, folded_name
from arena.server.people.levels import NAMES, house_bots_of, level
from arena.server.problems import Problem
from arena.server.table_process.messages import Remote, SeatPlan, Setup
from arena.server.tables.plan import free_name

LEVEL, REMOTE_BOT = "level:", f"{REMOTE}:"
"""How the choices begin for a level, and for a program on its author's machine."""
LARGEST_SEED = (1 << 63) - 1
_Wish = Annotated[str, msgspec.Meta(max_length=120)]


class MatchRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A match between bots that somebody asks for."""

    game: Annotated[str, msgspec.Meta(max_length=80)] = ""
    """The game; not needed with `like`."""
    bots: Annotated[list[_Wish], msgspec.Meta(min_length=1, max_length=20)]
    """The bots in seat order: a submitted `NAME` or `NAME@2`, `house:NAME`, `level:club`, or `remote:ACCOUNT/BOT` for one that
    is here."""
    options: dict[str, Any] = {}
    """Rule options that differ from the defaults; not with `like`."""
    seed: Annotated[int, msgspec.Meta(ge=0, le=LARGEST_SEED)] | None = None
    """What fixes the cards; none: new cards."""
    like: Annotated[str, msgspec.Meta(max_length=24)] = ""
    """The id of a match whose cards, game, options and seats are taken."""


def planned(
    asked_for: MatchRequest, results: Path, located: Callable[[str], MatchRecord], here: Callable[[str], Collection[str]]
) -> Setup:
    """The match that is asked for. `located`: finds a match by its id; `here`: the remote bots that play a game now.

    Raises Problem that says what is wrong.
    """
    if asked_for.like and (asked_for.seed is not None or asked_for.options):
        raise Problem(400, "refusal_ask_like")
    model = located(asked_for.like) if asked_for.like else None
    game = asked_for.game if model is None else model.game
    if asked_for.game not in ("", game):
        raise Problem(400, "refusal_ask_other_game", game=game)
    if model is not None and len(asked_for.bots) != len(model.seats):
        raise Problem(400, "refusal_ask_seats", seats=len(model.seats))
    options: dict[str, Any] = asked_for.options if model is None else msgspec.json.decode(model.options)
    try:
        loaded = games.load(game)
        loaded.check_seats(len(asked_for.bots))
        loaded.resolve_options(options, len(asked_for.bots))
    except ConfigError as error:
        raise Problem(400, "refusal_said", text=error) from None
    seats = _named_apart([_seat(game, bot, results, here) for bot in asked_for.bots])
    return Setup(
        game=game, seats=seats, options=options, results=str(results), seed=asked_for.seed, pool=ASKED, like=asked_for.like
    )


def choice_of(bot: str, results: Path, here: Collection[str]) -> str:
    """Return how a bot of a stored match is asked for by its name, as far as that tells; empty: it cannot be."""
    if bot in here:
        return REMOTE_BOT + bot
    if bot in NAMES:
        return LEVEL + bot
    if bot in house_bots():
        return HOUSE + bot
    return PREFIX + bot if bot in Submissions(results).entered() else ""


def _seat(game: str, choice: str, results: Path, here: Callable[[str], Collection[str]]) -> SeatPlan:
    if choice.startswith(LEVEL):
        name = choice.removeprefix(LEVEL)
        if name not in NAMES:
            raise Problem(400, "refusal_ask_unknown", choice=choice, known=nearest(name, NAMES))
        found = level(game, name)
        return SeatPlan(name=name, bot=found.bot, params=found.params)
    if choice.startswith(HOUSE):
        name, known = choice.removeprefix(HOUSE), house_bots_of(game)
        if name not in known:
            raise Problem(400, "refusal_ask_unknown", choice=choice, known=nearest(name, known))
        return SeatPlan(name=name, bot=choice)
    if choice.startswith(REMOTE_BOT):
        name = choice.removeprefix(REMOTE_BOT)
        if name not in here(game):
            raise Problem(404, "refusal_ask_not_here", name=name)
        return SeatPlan(name=name, remote=Remote())
    return _submitted(game, choice.removeprefix(PREFIX), results)


def _submitted(game: str, text: str, results: Path) -> SeatPlan:
    """The seat of a submitted bot, `NAME` or `NAME@2`."""
    name, _, number = text.partition("@")
    store = Submissions(results)
    if not NAME.fullmatch(name) or not (versions := store.versions(name)):
        raise Problem(404, "refusal_ask_unknown", choice=text, known=nearest(name, store.entered()))
    withdrawal = store.withdrawal(name)
    if withdrawal is not None:
        raise Problem(409, "refusal_ask_withdrawn", name=name, day=withdrawal.withdrawn[:10])
    try:
        chosen = store.find(f"{PREFIX}{text}")[0]
    except StoreError:
        known = ", ".join(f"{name}@{one.version}" for one in versions)
        raise Problem(404, "refusal_ask_no_version", choice=text, known=known) from None
    if chosen.games and game not in chosen.games:
        raise Problem(400, "refusal_ask_not_played", name=name, game=game)
    shown = text if number else name
    return SeatPlan(name=shown, bot=chosen.reference)


def _named_apart(seats: Sequence[SeatPlan]) -> list[SeatPlan]:
    """The seats, each under a name that no other has: a bot may play against itself."""
    found: list[SeatPlan] = []
    taken: set[str] = set()
    for seat in seats:
        name = free_name(seat.name, taken) if seat.remote is None else seat.name
        taken.add(folded_name(name))
        found.append(msgspec.structs.replace(seat, name=name))
    return found
