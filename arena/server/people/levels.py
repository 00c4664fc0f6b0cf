"""Opponents of known strength, and how good people are against them.

A person chooses one of six levels, any house bot, or any submitted one. How strong each level is was measured once, by a
tournament of all levels of a game: levels.json holds the figures and says how they came about (docs/playing.md).

How good people are, by game: TrueSkill over their stored matches in order, against those levels. The same model as on the
boards of bots, and never mixed into those. Ratings follow from the stored matches alone, so they are computed anew whenever
they are wanted.
"""

import threading
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import numpy as np

from arena import games
from arena.agent import read_bot
from arena.agent.loading import HOUSE, find_bot, house_bots
from arena.agent.submissions import PREFIX, Submissions
from arena.errors import BotError, ConfigError, nearest
from arena.names import Name
from arena.ratings.factor_graph import fold, new_workspace
from arena.ratings.settings import RatingSettings
from arena.records import MatchRecord, SeatRecord, canonical_json
from arena.results.people import PEOPLE
from arena.server.people.store import PERSON, REMOTE_SEAT, records

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
    """`house:NAME`, `submitted:NAME`, or `model:PATH`."""
    params: dict[str, Any] = {}
    kind: str
    """`level`, `house`, `submitted` or `model`."""


@cache
def measurement() -> Measurement:
    """Return how strong the levels of our own games are, and how that was measured."""
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


MODEL = "model:"
"""How the choice of a language model of the machine's owner begins; its path follows. No page offers it."""


def own_model(choice: str) -> Opponent:
    """A language model at a table of its owner. Raises BotError for what is none."""
    path = choice.removeprefix(MODEL)
    model = read_bot(Path(path)).model
    if model is None:
        raise BotError(f"{path}: no language model; submit a bot of your own with: arena submit")
    return Opponent(name=model.name, bot=choice, kind="model")


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


SETTINGS = RatingSettings(tau=25 / 300)  # unlike bots, people learn and forget: TrueSkill's own default for players
LEVEL_SIGMA = 1.0  # TrueSkill points: how far off the measured strength of a level may be

_BY_NAME = (PERSON, REMOTE_SEAT)  # the isolation of who has no files, and is known by name

_BotKey: TypeAlias = tuple[str, str]  # content hash and parameters
_Player: TypeAlias = tuple[str, ...]  # (name,) of a person; name, content hash and parameters of a bot


class PersonRating(msgspec.Struct, frozen=True, kw_only=True):
    """What is believed about one person's skill in one game, in TrueSkill points."""

    name: str
    mu: float
    """The mean of the belief about the person's skill."""
    sigma: float
    """The standard deviation of the belief."""
    rating: float
    """The conservative rating by which people are ranked: mu - 3 sigma."""
    matches: int
    wins: int
    """How many matches the person finished at place 1, shared or not."""


def ratings(results: Path) -> dict[str, list[PersonRating]]:
    """The ratings of all people by game, the best first, from the stored matches. Raises StoreError for a damaged file."""
    return PoolRatings(results, PEOPLE).read()


class PoolRatings:
    """The ratings of those who are known by name alone, people or remote programs, in one kind of pool. Threads may share it.

    Only matches that were not there before are read again.
    """

    def __init__(self, results: Path, kind: str) -> None:
        """`kind`: how the names of the pools begin, see store.people."""
        self._results, self._kind = results, kind
        self._beliefs: dict[str, Believer] = {}
        self._next = 0
        self._lock = threading.Lock()

    def read(self) -> dict[str, list[PersonRating]]:
        """The ratings by game, the best first. Raises StoreError for a damaged file."""
        with self._lock:
            for record in records(self._results, self._next):
                self._next = record.index + 1
                if record.pool == f"{self._kind}/{record.game}":
                    self._beliefs.setdefault(record.game, Believer(record.game)).add(record)
            return {game: self._beliefs[game].people() for game in sorted(self._beliefs)}


def suited(results: Path, game: str, name: str) -> Level:
    """The level that is about as good as a person; FIRST for who has not played the game yet. Raises as `ratings`."""
    return suited_to(ratings(results).get(game, []), game, name)


def suited_to(rated: Iterable[PersonRating], game: str, name: str) -> Level:
    """The level that is about as good as a person; FIRST for who is not among those who are rated."""
    found = [one for one in rated if one.name == name]
    if not found:
        return level(game, FIRST)
    return min(levels(game), key=lambda one: abs(one.mu - found[0].mu))


class Believer:
    """What is believed about everybody in one game, after some matches."""

    def __init__(self, game: str) -> None:
        self._strengths = _strengths(game)
        self._known: dict[_Player, tuple[float, float]] = {}
        self._matches: dict[str, list[bool]] = {}
        self._work = new_workspace()

    def add(self, record: MatchRecord) -> bool:
        """Take in the next match; returns whether it counts: not if it is void, or if a name sits there twice. Whose is it?"""
        people = [row.bot for row in record.seats if row.isolation in _BY_NAME]
        if record.is_void or len(set(people)) < len(people):
            return False
        before = [self._belief(row) for row in record.seats]
        mu, sigma = np.array([belief[0] for belief in before]), np.array([belief[1] for belief in before])
        seats = len(before)
        units, places = [row.unit for row in record.seats], [row.place for row in record.seats]
        fold(
            mu, sigma, np.array([0, seats]), np.arange(seats, dtype=np.int32), np.array(units, np.int8),
            np.array(places, np.int8), SETTINGS.beta, SETTINGS.tau, SETTINGS.margin, self._work,
        )  # fmt: skip
        for seat, row in enumerate(record.seats):
            if self._strength(row) is None:  # the levels stay where they were measured
                self._known[_player(row)] = float(mu[seat]), float(sigma[seat])
            if row.isolation in _BY_NAME:
                self._matches.setdefault(row.bot, []).append(row.place == 1)
        return True

    def of_person(self, name: str) -> tuple[float, float]:
        """The mean and the standard deviation of what is believed of somebody who has played."""
        return self._known[(name,)]

    def people(self) -> list[PersonRating]:
        """The people, the best first."""
        found = []
        for name, won in self._matches.items():
            mu, sigma = self._known[(name,)]
            rating = mu - 3 * sigma
            found.append(PersonRating(name=name, mu=mu, sigma=sigma, rating=rating, matches=len(won), wins=sum(won)))
        return sorted(found, key=lambda one: (-one.rating, one.name))

    def _belief(self, row: SeatRecord) -> tuple[float, float]:
        strength = self._strength(row)
        if strength is not None:
            return strength, LEVEL_SIGMA
        return self._known.get(_player(row), (SETTINGS.mu, SETTINGS.sigma))

    def _strength(self, row: SeatRecord) -> float | None:
        """The strength of a level; None for a person, and for any other bot, whatever it is called."""
        return None if row.isolation in _BY_NAME else self._strengths.get((row.bot_sha256, row.params))


def _player(row: SeatRecord) -> _Player:
    return (row.bot,) if row.isolation in _BY_NAME else (row.bot, row.bot_sha256, row.params)


def level_at(game: str, row: SeatRecord) -> str | None:
    """The name of the level that sat on a seat, with which the name of the seat begins; None: somebody else did."""
    found = None if row.isolation in _BY_NAME else _identified(game).get((row.bot_sha256, row.params))
    return None if found is None or not row.bot.startswith(found.name) else found.name


@cache
def _strengths(game: str) -> dict[_BotKey, float]:
    """The strengths of the levels of a game, by content hash and parameters: names can be anybody's."""
    return {key: one.mu for key, one in _identified(game).items()}


@cache
def _identified(game: str) -> dict[_BotKey, Level]:
    return {(find_bot(one.bot, Path()).files.sha256, canonical_json(one.params)): one for one in levels(game)}
