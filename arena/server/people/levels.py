"""Whom a person may choose as an opponent: six levels of known strength, any house bot, any submitted one.

How strong each level is was measured once, by a tournament of all levels of a game: levels.json holds the figures and says
how they came about (docs/playing.md).
"""

from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from arena import games
from arena.agent.naming import HOUSE, house_bots
from arena.agent.submissions import PREFIX, Submissions
from arena.errors import ConfigError, nearest
from arena.names import Name
from arena.ratings.settings import RatingSettings

NAMES = ("beginner", "casual", "club", "strong", "expert", "champion")
"""The levels of every game, the weakest first."""
FIRST = "casual"
"""The level for a person who has not played yet."""

_FILE = Path(__file__).with_name("levels.json")
_GUESTS = {"openspiel"}  # house bots that need a library which need not be installed: people are not offered them
_SEARCHER = "ismcts"  # the house bot that plays every game, also those of other distributions
_ITERATIONS = {"casual": 3, "club": 10, "strong": 30, "expert": 100, "champion": 1000}  # of it, where nothing was measured
_STEP = 3.0  # TrueSkill points from one level to the next where nothing was measured: the better one wins two of three


class Level(msgspec.Struct, frozen=True, kw_only=True):
    """An opponent of known strength."""

    name: Name
    """One of NAMES."""
    bot: str
    """The bot that plays, such as `house:naga_greedy`."""
    params: dict[str, Any] = {}
    """The parameters of the bot."""
    mu: float
    """The measured strength of the bot in TrueSkill points; all levels of a game are on one scale."""


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """The levels of a game, and how their strength was measured."""

    matches: int
    """How many matches the tournament of the levels had."""
    options: dict[str, Any]
    """The rule options that differed from the defaults."""
    seats: int
    steps: list[float]
    """For each level but the first: the share of its matches with the level before it in which it finished first of both."""
    levels: tuple[Level, ...]


class Measurement(msgspec.Struct, frozen=True, kw_only=True):
    """What levels.json holds."""

    command: str
    date: str
    games: dict[str, Measured]


class Opponent(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody whom a person may choose to play against."""

    name: str
    """What it is called at the table."""
    bot: str
    """`house:NAME` or `submitted:NAME`."""
    params: dict[str, Any] = {}
    kind: str
    """`level`, `house` or `submitted`."""


@cache
def measurement() -> Measurement:
    """How strong the levels of our own games are, and how that was measured."""
    return msgspec.json.decode(_FILE.read_bytes(), type=Measurement)


def levels(game: str) -> tuple[Level, ...]:
    """The levels of a game, the weakest first. Raises ConfigError for an unknown game.

    Nobody has measured those of another distribution's game: their strengths are guesses, in equal steps.
    """
    games.package(game)  # a game that there is
    measured = measurement().games.get(game)
    return _assumed() if measured is None else measured.levels


def level(game: str, name: str) -> Level:
    """The level of this name. Raises ConfigError that lists the levels."""
    for found in levels(game):
        if found.name == name:
            return found
    raise ConfigError(f"level: no level {name!r}; {nearest(name, NAMES)}")


def opponents(game: str, results: Path) -> list[Opponent]:
    """Whom a person may choose in a game: the levels, then house bots, then bots submitted in the folder of results.

    Raises ConfigError for an unknown game, and StoreError for damaged submissions.
    """
    chosen = [Opponent(name=one.name, bot=one.bot, params=one.params, kind="level") for one in levels(game)]
    chosen += [Opponent(name=name, bot=HOUSE + name, kind="house") for name in house_bots_of(game)]
    submissions = Submissions(results)
    newest = [submissions.versions(name)[-1] for name in submissions.entered()]
    fit = [bot for bot in newest if not bot.games or game in bot.games]
    return chosen + [Opponent(name=bot.name, bot=PREFIX + bot.name, kind="submitted") for bot in fit]


def house_bots_of(game: str) -> list[str]:
    """The house bots that play a game: those made for it, and those that play every game that we measured."""
    others = tuple(f"{name}_" for name in games.names() if name != game)
    if game in measurement().games:
        return [name for name in house_bots() if not name.startswith(others) and name not in _GUESTS]
    return sorted({one.bot.removeprefix(HOUSE) for one in levels(game)})


def _assumed() -> tuple[Level, ...]:
    middle = RatingSettings().mu - _STEP * (len(NAMES) - 1) / 2
    strengths = [middle + _STEP * number for number in range(len(NAMES))]
    first = Level(name=NAMES[0], bot=f"{HOUSE}random_bot", mu=strengths[0])
    others = [
        Level(name=name, bot=HOUSE + _SEARCHER, params={"iterations": _ITERATIONS[name]}, mu=mu)
        for name, mu in zip(NAMES[1:], strengths[1:])
    ]
    return (first, *others)
