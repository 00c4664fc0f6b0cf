"""The match that an agent wants, from the arguments of `new_match`: who sits where, the options, rated or not."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from arena import games
from arena.errors import ConfigError, nearest
from arena.mcp.arguments import Game, Language, Natural
from arena.reports.pages.lessons import offer
from arena.results.people import AGENTS, EPISODES, folded_name
from arena.server.people.levels import FIRST, NAMES, Opponent, opponents
from arena.server.table_process.messages import SeatPlan, Setup
from arena.server.tables.plan import ME, MOST_SEATS_IN_REAL_TIME, PACES, free_name, in_real_time

STOPPED = "stopped"
"""The pace of a game in real time whose clock stands still while an agent thinks."""

_Text = Annotated[str, msgspec.Meta(max_length=80)]


class NewMatch(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of `new_match`."""

    game: Game
    seats: Annotated[int | None, msgspec.Meta(description="How many seats; default: the fewest that the game has.")] = None
    seat: Annotated[int, msgspec.Meta(description="Your seat, from 0.", ge=0, le=20)] = 0
    opponents: Annotated[
        list[_Text],
        msgspec.Meta(
            description="Who sits on the other seats, in seat order: a level (beginner, casual, club, strong, expert, "
            "champion), house:NAME or submitted:NAME. One alone plays on all of them. Default: casual.",
            max_length=20,
        ),
    ] = []
    seed: Annotated[
        Natural | None, msgspec.Meta(description="Fixes the cards and the bots, for the same match again. Default: random.")
    ] = None
    options: Annotated[
        dict[_Text, Any], msgspec.Meta(description="Rule options that differ from the defaults; see rules.")
    ] = {}
    rated: Annotated[bool, msgspec.Meta(description="Count the match for your rating: random cards, no hints.")] = False
    pace: Annotated[
        Literal["stopped"] | int,
        msgspec.Meta(
            description="In a game in real time: stopped (the clock waits for you at each tick), or the milliseconds of a "
            "tick: 150, 250, 400 or 600."
        ),
    ] = STOPPED  # type: ignore[assignment]
    language: Language = "en"


@dataclass(frozen=True)
class Opened:
    """A match that can be begun."""

    setup: Setup
    seat: int
    """The seat of the agent."""
    foreign: Collection[int]
    """The seats of bots whose names others chose."""


def opened(wish: NewMatch, results: Path, name: str) -> Opened:
    """The match that is wanted. `name`: what the agent is called. Raises ConfigError that names the argument."""
    game = games.load(wish.game)
    seats = _seats(wish, game.seats[0])
    game.check_seats(seats)
    if not wish.seat < seats:
        raise ConfigError(f"seat: from 0 to {seats - 1}, not {wish.seat}")
    tick_ms = _tick_ms(wish, seats)
    if wish.rated:
        _check_rated(wish, tick_ms)
    chosen = _chosen(wish, seats - 1, results)
    chosen.insert(wish.seat, None)
    options = dict(wish.options)
    if tick_ms is not None:
        options = in_real_time(wish.game, options, [ME if one is None else one.bot for one in chosen], tick_ms=tick_ms)[1]
    game.resolve_options(options, seats)  # what is wrong is said at once
    setup = Setup(
        game=wish.game, seats=_plans(chosen, name), options=options, results=str(results), seed=wish.seed, tick_ms=tick_ms,
        pool=AGENTS if wish.rated else EPISODES,
    )  # fmt: skip
    return Opened(setup, wish.seat, [seat for seat, one in enumerate(chosen) if one is not None and one.kind == "submitted"])


def _seats(wish: NewMatch, fewest: int) -> int:
    if wish.seats is not None:
        return wish.seats
    return max(fewest, len(wish.opponents) + 1, wish.seat + 1)


def _tick_ms(wish: NewMatch, seats: int) -> int | None:
    """The milliseconds of a tick; None: the table waits for the agent. Raises ConfigError."""
    if wish.pace == STOPPED:
        return None
    if offer(wish.game).real_time is None:
        raise ConfigError(f"pace: {wish.game} is not played in real time; leave it out")
    if wish.pace not in PACES:
        raise ConfigError(f"pace: {STOPPED}, or one of {', '.join(map(str, PACES))} milliseconds, not {wish.pace}")
    if seats > MOST_SEATS_IN_REAL_TIME:
        raise ConfigError(
            f"pace: in real time at most {MOST_SEATS_IN_REAL_TIME} seats, not {seats}; {STOPPED} has no such limit"
        )
    assert isinstance(wish.pace, int)
    return wish.pace


def _check_rated(wish: NewMatch, tick_ms: int | None) -> None:
    """Raise ConfigError for what no rated match has: cards that somebody chose, a clock that stands still."""
    if wish.seed is not None:
        raise ConfigError("seed: a rated match has cards that nobody chose; leave it out, or play with rated=false")
    if offer(wish.game).real_time is not None and tick_ms is None:
        raise ConfigError(f"pace: a rated match of {wish.game} is in real time, such as pace=250; {STOPPED} is for practice")


def _chosen(wish: NewMatch, count: int, results: Path) -> list[Opponent | None]:
    """The bots on the other seats. Raises ConfigError."""
    wanted = [one.removeprefix("level:") for one in wish.opponents] or [FIRST]
    if len(wanted) == 1:
        wanted = wanted * count
    if len(wanted) != count:
        raise ConfigError(f"opponents: {count} are needed at {count + 1} seats, or one for all of them, not {len(wanted)}")
    known = {one.name if one.kind == "level" else one.bot: one for one in opponents(wish.game, results)}
    for one in wanted:
        if one not in known:
            raise ConfigError(f"opponents: no {one!r} plays {wish.game}; {nearest(one, [*NAMES, *known])}")
    return [known[one] for one in wanted]


def _plans(chosen: Sequence[Opponent | None], name: str) -> list[SeatPlan]:
    """The seats, each under a name that nobody else at the table has."""
    plans, taken = [], {folded_name(name)}
    for one in chosen:
        if one is None:
            plans.append(SeatPlan(name=name, person=True))
            continue
        free = free_name(one.name, taken)
        taken.add(folded_name(free))
        plans.append(SeatPlan(name=free, bot=one.bot, params=one.params, level=one.name if one.kind == "level" else None))
    return plans
