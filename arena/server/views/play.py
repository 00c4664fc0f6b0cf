"""The pages before a match: all games, a game with its choices, the way in by a link, and the table itself."""

from collections.abc import Collection
from typing import Any

import msgspec

from arena import games
from arena.engine.options import Choice, Counted, Flag, Option, Whole
from arena.errors import ConfigError, StoreError
from arena.reports.pages.lessons import Texts, Variant, offer, script
from arena.results.people import PEOPLE, PEOPLE_FILE
from arena.results.site_file import StoredPerson
from arena.server.asked import Asked
from arena.server.library import Library
from arena.server.people.levels import NAMES, PersonRating, opponents, ratings, suited_to
from arena.server.problems import Problem
from arena.server.table_process.messages import Place
from arena.server.tables.plan import MOST_SEATS_IN_REAL_TIME, PACES, choice_for
from arena.server.tables.table import Table
from arena.server.views.rules import titles_of

MOST_RATED = 20
"""People that are listed for each game."""
_MATCHES = (PEOPLE_FILE, f"{PEOPLE_FILE}-wal")  # what people's ratings follow from
USUAL_SEATS = 3
"""How many seats a table has, where the game allows so many and nobody says otherwise."""


class PlayQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """These pages take no parameters."""


class MyTable(msgspec.Struct, frozen=True, kw_only=True):
    """A table of the person who asks."""

    id: str
    """The id in its address, `/tables/ID`."""
    game: str
    titles: Texts
    state: str
    names: tuple[str, ...]
    """The names at the table, by seat."""
    levels: tuple[str | None, ...]
    """The level of strength that plays on each seat; None: a person, or another bot."""
    match_id: str | None


class GameCard(msgspec.Struct, frozen=True, kw_only=True):
    """A game that can be played."""

    game: str
    titles: Texts
    """The title of its rules, by language."""
    about: Texts
    minutes: tuple[int, ...]
    """How long a match takes, from and to; empty if nobody has said."""
    seats: tuple[int, ...]
    real_time: bool
    lesson: bool
    """Whether there is a guided first round, `/learn/GAME`."""
    cards: tuple[str, ...]
    """Some of its cards, as its drawing names them; empty for a game that draws none."""


class Play(msgspec.Struct, frozen=True, kw_only=True):
    """All games, and what the person who asks has played."""

    games: tuple[GameCard, ...]
    me: str | None
    """The name of the person; None: nobody who is known."""
    tables: tuple[MyTable, ...]
    """The person's tables, those that go on first."""
    ratings: dict[str, list[PersonRating]]
    """How good the people of this folder are, by game: the best first, and whoever asks."""


def play(asked: Asked[PlayQuery]) -> Play:
    """The data of `/play`."""
    person = asked.visitor.person
    tables = sorted(asked.tables.of(person), key=lambda table: not table.is_running)
    return Play(
        games=all_games(), me=None if person is None else person.name,
        tables=tuple(mine(table) for table in tables[:8]),
        ratings={game: _shown(rated, person) for game, rated in ratings_of(asked.library).items()},
    )  # fmt: skip


class RuleOption(msgspec.Struct, frozen=True, kw_only=True):
    """A rule option that can be chosen."""

    name: str
    meaning: str
    accepts: str
    """The allowed values in words."""
    default: str
    values: tuple[str, ...]
    """All allowed values; empty where there are too many."""
    low: int | None = None
    high: int | None = None


class Rival(msgspec.Struct, frozen=True, kw_only=True):
    """An opponent that can be chosen."""

    choice: str
    """How it is asked for, in the form and in JSON."""
    name: str
    kind: str
    """`level`, `house` or `submitted`."""


class PlayGame(msgspec.Struct, frozen=True, kw_only=True):
    """What can be chosen before a game."""

    card: GameCard
    variants: tuple[Variant, ...]
    options: tuple[RuleOption, ...]
    rivals: tuple[Rival, ...]
    suited: str
    """The level that is about as good as the person who asks, or as somebody who begins."""
    paces: tuple[int, ...]
    """Milliseconds of a tick to choose from, in real time."""
    hands: tuple[tuple[str, Texts], ...]
    """How fast the bots' hands can be, in real time: key and name."""
    usual_seats: int
    """How many seats to begin with."""
    me: str | None
    name: str
    """A name to offer."""
    tables: tuple[MyTable, ...]
    """The person's tables that go on: one at a time can be played at."""


def play_game(asked: Asked[PlayQuery]) -> PlayGame:
    """The data of `/play/GAME`. Raises Problem 404 for an unknown game."""
    name = asked.place["game"]
    try:
        card, found, game = _card(name), offer(name), games.load(name)
    except ConfigError as error:
        raise Problem(404, "refusal_said", text=error) from None
    person, real_time = asked.visitor.person, found.real_time
    fixed = {} if real_time is None else real_time.options
    return PlayGame(
        card=card, variants=tuple(found.variants), options=tuple(
            one for option in game.options if option.name not in fixed and (one := rule_option(option)) is not None
        ),
        rivals=tuple(
            Rival(choice=choice_for(one), name=one.name, kind=one.kind)
            for one in opponents(name, asked.library.out)
            if one.kind != "house" or one.name not in NAMES  # else there would be two of that name
        ),
        suited=suited_choice(asked.library, name, person).partition(":")[2], paces=PACES if real_time else (),
        hands=tuple((one.key, one.name) for one in real_time.hands) if real_time else (),
        me=None if person is None else person.name, name=asked.persons.free_name() if person is None else person.name,
        usual_seats=usual_seats(card.seats),
        tables=tuple(mine(table) for table in asked.tables.running(person)),
    )  # fmt: skip


def usual_seats(seats: Collection[int]) -> int:
    """How many seats a table has where nobody says otherwise."""
    return min(seats, key=lambda count: abs(count - USUAL_SEATS))


class Join(msgspec.Struct, frozen=True, kw_only=True):
    """A table that a link leads to."""

    code: str
    game: str
    titles: Texts
    host: str
    places: tuple[Place, ...]
    me: str | None
    name: str
    """A name to offer."""
    table: str | None
    """The id of the table, if the person who asks sits there."""


def join(asked: Asked[PlayQuery]) -> Join:
    """The data of `/join/CODE`. Raises Problem 404, and 409 if nobody can sit down any more."""
    table = asked.tables.by_code(asked.place["code"])
    person = asked.visitor.person
    sits = table.seat_of(person) is not None
    if not sits:
        table.check_joinable()
    return Join(
        code=table.code, game=table.plan.game, titles=titles_of(table.plan.game), host=table.host.name,
        places=tuple(seat.place for seat in table.seats), me=None if person is None else person.name,
        name=asked.persons.free_name() if person is None else person.name, table=table.id if sits else None,
    )  # fmt: skip


class TableView(msgspec.Struct, frozen=True, kw_only=True):
    """A live table, for who sits there; the match itself comes over its socket, `/tables/ID/socket`."""

    id: str
    game: str
    titles: Texts
    state: str
    options: dict[str, Any]
    places: tuple[Place, ...]
    seat: int
    """The seat of who asks."""
    host: bool
    """Whether who asks opened the table."""
    join: str | None
    """The path of the link that lets others in; None: nobody can join any more."""
    tick_ms: int | None
    match_id: str | None
    following: str | None
    """The id of the table of the rematch, if there is one."""


def table(asked: Asked[PlayQuery]) -> TableView:
    """The data of `/tables/ID`. Raises Problem 404: who does not sit there learns nothing of it."""
    found, seat = asked.tables.at(asked.place["id"], asked.visitor.person)
    return TableView(
        id=found.id, game=found.plan.game, titles=titles_of(found.plan.game), state=found.state, options=found.options,
        places=tuple(one.place for one in found.seats), seat=seat, host=found.host.id == found.seats[seat].person_id,
        join=f"/join/{found.code}" if found.is_joinable else None, tick_ms=found.plan.tick_ms, match_id=found.match_id,
        following=found.following,
    )  # fmt: skip


def suited_choice(library: Library, game: str, person: StoredPerson | None) -> str:
    """The choice for an opponent who is about as good as a person, or as somebody who begins. Raises ConfigError."""
    rated = ratings_of(library).get(game, [])
    return f"level:{suited_to(rated, game, '' if person is None else person.name).name}"


def ratings_of(library: Library) -> dict[str, list[PersonRating]]:
    """The ratings of all people by game; none where their matches cannot be read."""
    folder = library.out / PEOPLE
    try:
        return library.kept(("people",), folder, lambda: ratings(library.out), _MATCHES)
    except (StoreError, OSError, Problem):
        return {}


def _shown(rated: list[PersonRating], person: StoredPerson | None) -> list[PersonRating]:
    """The best, and the person who asks."""
    return [one for place, one in enumerate(rated) if place < MOST_RATED or (person is not None and one.name == person.name)]


def all_games() -> tuple[GameCard, ...]:
    """All games that can be played."""
    return tuple(map(_card, games.names()))


def _card(name: str) -> GameCard:
    found = offer(name)
    is_fast = found.real_time is not None
    seats = tuple(count for count in games.load(name).seats if not is_fast or count <= MOST_SEATS_IN_REAL_TIME)
    return GameCard(
        game=name, titles=titles_of(name), about=found.about, minutes=tuple(found.minutes), seats=seats,
        real_time=is_fast, lesson=script(name) is not None, cards=tuple(found.cards),
    )  # fmt: skip


def mine(table: Table) -> MyTable:
    """A table of the person who asks, in a list."""
    return MyTable(
        id=table.id, game=table.plan.game, titles=titles_of(table.plan.game), state=table.state,
        names=tuple(seat.name for seat in table.seats), levels=tuple(seat.place.level for seat in table.seats),
        match_id=table.match_id,
    )  # fmt: skip


def rule_option(option: Option) -> RuleOption | None:
    """An option as a form can offer it; None for one that is no single value."""
    known: dict[str, Any] = {"name": option.name, "meaning": option.meaning, "accepts": option.accepts}
    match option:
        case Flag():
            return RuleOption(**known, default=_text(option.default), values=("true", "false"))
        case Whole():
            return RuleOption(**known, default=_text(option.default), values=(), low=option.lowest, high=option.highest)
        case Choice() | Counted():
            values = tuple(map(_text, option.values)) if isinstance(option, Choice) else ()
            return RuleOption(**known, default=_text(option.default), values=values)
    values = tuple(map(_text, getattr(option, "values", ())))
    return RuleOption(**known, default=_text(option.default), values=values) if values else None


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
