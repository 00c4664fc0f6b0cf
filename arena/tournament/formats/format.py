"""What a format of tournaments is: who sits with whom, how long it goes on, and the words in which that is told.

A format is one file of this folder (or one small package) that sets FORMAT to a subclass of `Format`; it is found by its name
in the folder. Nothing outside this folder asks which format a tournament has: it asks the format.
"""

import functools
import operator
import pkgutil
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from arena.errors import ConfigError, nearest
from arena.match.seeds import CHAIN_KEYS
from arena.results.journal import Journal
from arena.results.json_text import no_collecting
from arena.tournament.formats.tables import Stage, Tables

if TYPE_CHECKING:  # both are made of a format
    from arena.ratings.settings import RatingSettings
    from arena.tournament.formats.plan import Plan
    from arena.tournament.formats.schedule import FormatState, Schedule

CANDIDATES = {"candidates": list[str]}
"""The key and its type, as `Format.KEYS` of a format with candidates lists it."""
DEFAULT = "round_robin"
"""What is played where a config names no format."""


@dataclass(frozen=True)
class Asked:
    """What a config says that concerns its format."""

    settings: Mapping[str, Any]
    """The format's own keys, as far as the config has them, in the types of `Format.KEYS`."""
    bots: Sequence[str]
    """Names of the bots, by place."""
    own_deals: Sequence[int]
    """Places of the games that set a number of deals of their own."""
    model: str
    """The model whose ranks are the board's headline."""
    games: Sequence[str] = ()
    """Names of the games, by place."""
    takes_luck_out: bool = False
    """Whether the board's headline goes without luck."""


@dataclass(frozen=True)
class Seating:
    """What the tables of one game of a tournament depend on."""

    field: Sequence[int]
    """The bots that play the game, by their place among all contestants."""
    seats: int
    deals: int
    units: Sequence[int]
    """The team of each seat."""
    has_all: bool
    """Whether every order of a table is played."""
    stream: Callable[[int], int]
    """128 random bits by deal."""


@dataclass(frozen=True)
class EntrySize:
    """How much of one game a tournament plays."""

    tables: int | None
    """Tables per deal; None if they are chosen on the way."""
    deals: int
    matches: int | None
    """How many matches of the game are played; None if that is decided on the way."""


class Format(msgspec.Struct, frozen=True, tag_field="name"):
    """Base of all formats: the fields of a subclass are what a stored plan tells of it, its methods what it does.

    A subclass says at least `read`, `schedule` and `balance_text`, and `tables` unless it is a `Staged` one.
    """

    KEYS: ClassVar[Mapping[str, Any]] = {}
    """The format's own keys of a config, and their types."""
    VERB: ClassVar[str] = "tournament"
    """The verb of the command line that plays it."""
    IS_STAGED: ClassVar[bool] = False
    """Whether its tables are chosen stage by stage; then it has a field `stages`."""
    MAY_END_EARLY: ClassVar[bool] = False
    """Whether its number of matches is an upper bound."""
    COMPARES_PAIRS: ClassVar[bool] = False
    """Whether its leaderboard is followed by who finished before whom."""

    @classmethod
    def name(cls) -> str:
        """The format's name in configs and stored plans."""
        return str(cls.__struct_config__.tag)

    @classmethod
    def read(cls, asked: Asked) -> "Format":
        """The format with the settings of a config. Raises ConfigError that names the key."""
        raise NotImplementedError

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The stages decided so far; only a staged format has any."""
        return ()

    @property
    def uses_luck(self) -> bool:
        """Whether it decides by the luck of matches, too: its schedule is then one that can `add_luck`."""
        return False

    def check(self, plan: "Plan") -> None:
        """Raise ValueError where a stored format names what its plan, which may be somebody else's, does not have."""

    def tables(self, seating: Seating) -> Tables:
        """The tables of one game. Raises ConfigError where there are too few bots."""
        raise NotImplementedError

    def schedule(self, plan: "Plan", settings: "RatingSettings") -> "Schedule":
        """Return what decides on the way how the tournament goes on, before its first match."""
        raise NotImplementedError

    def begin(self, plan: "Plan", journal: Journal, *, has_matches: bool) -> "tuple[Plan, FormatState | None]":
        """The plan of this run, and the state of a format that remembers more than its rows.

        `plan`: by the config alone. `has_matches`: whether the journal has some. Raises StoreError.
        """
        return plan, None

    def lasting(self, document: dict[str, Any]) -> dict[str, Any]:
        """Return what all runs of one tournament have in common, of the plan's document."""
        return document

    def with_stages(self, stages: Sequence[Stage]) -> "Format":
        """The same with other stages; a format that is not staged stays as it is."""
        return self

    @property
    def links(self) -> int:
        """How many keys of a chain (match/seeds.py) the plan has used; 0: it has a single key."""
        return 0

    @property
    def most_links(self) -> int:
        """How many keys such a chain can have."""
        return CHAIN_KEYS

    def link_of(self, index: int) -> int:
        """The link of the chain of keys that seeds match `index`."""
        return 0

    def most_matches(self, plan: "Plan") -> int:
        """The number of matches, or at most so many. Raises ConfigError where there are too few bots."""
        return len(plan)

    def size_text(self, plan: "Plan") -> str:
        """Return how many matches a run plays, in words."""
        return f"{'at most ' if self.MAY_END_EARLY else ''}{self.most_matches(plan):,} matches"

    def notes(self, plan: "Plan") -> list[str]:
        """Lines that are told before the first match."""
        return []

    def entry_size(self, plan: "Plan", place: int) -> EntrySize:
        """Return how much is played of the game at `place` in the config."""
        tables, deals = plan.tables[place].per_deal, plan.entries[place].deals
        return EntrySize(tables, deals, tables * plan.matches_at(place))

    def balance_text(self, plan: "Plan", place: int) -> str:
        """Return how often the bots meet in the game at `place`, over all its deals, in words."""
        raise NotImplementedError

    def trial(self) -> "Format":
        """A format whose matches are known from the start and cost as much as this one's: for estimates of the time."""
        return self


class Staged(Format, frozen=True):
    """Base of formats whose tables are chosen stage by stage; a subclass has a field `stages: tuple[Stage, ...]`."""

    IS_STAGED = True

    def check(self, plan: "Plan") -> None:
        """Raise ValueError where a stored stage names what its plan does not have, or stages are not in order."""
        begin = 0
        for number, stage in enumerate(self.stages):
            if (stage.number, stage.first_index) != (number, begin) or not stage.tables:
                raise ValueError(f"stages[{number}]: empty, or not where the one before ends")
            for place, table in stage.tables:
                seats = plan.entries[place].seats if 0 <= place < len(plan.entries) else None
                if len(table) != seats or not are_places(table, len(plan.contestants)):
                    raise ValueError(f"stages[{number}]: a table that the plan does not have")
                begin += plan.matches_at(place)

    def with_stages(self, stages: Sequence[Stage]) -> Format:
        """The same format with other stages."""
        return msgspec.structs.replace(self, stages=tuple(stages))

    def lasting(self, document: dict[str, Any]) -> dict[str, Any]:
        """The plan's document without the stages, which follow from the rows."""
        return {**document, "format": {**document["format"], "stages": []}}

    def trial(self) -> Format:
        """The default format, which needs no stages."""
        return default_format()


def are_places(places: Collection[int], count: int) -> bool:
    """Return whether these are different places among so many."""
    return len(set(places)) == len(places) and all(0 <= place < count for place in places)


def read_candidates(asked: Asked, format: str) -> list[int]:
    """The candidates by their place among the bots. Raises ConfigError where none is named, or one that is no bot."""
    names = asked.settings.get("candidates")
    if not names:
        raise ConfigError(f"candidates: this key is needed for format: {format}, with names of bots")
    for place, name in enumerate(names):
        if name not in asked.bots:
            raise ConfigError(f'candidates[{place}]: no bot is called "{name}"; {nearest(name, asked.bots)}')
        if name in names[:place]:
            raise ConfigError(f'candidates[{place}]: "{name}" is there twice')
    return [asked.bots.index(name) for name in names]


@functools.cache
def formats() -> Mapping[str, type[Format]]:
    """All formats by name."""
    names = sorted(module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)]))
    kinds = [getattr(import_module(f"arena.tournament.formats.{name}"), "FORMAT", None) for name in names]
    return {kind.name(): kind for kind in kinds if kind is not None}


@functools.cache
def keys() -> Mapping[str, Any]:
    """The keys of configs that belong to a format, or to several that agree on the type, and their types."""
    found: dict[str, Any] = {}
    for kind in formats().values():
        for key, of_key in kind.KEYS.items():
            assert found.setdefault(key, of_key) == of_key, f"formats do not agree on {key}"
    return found


def default_format() -> Format:
    """Return what is played where a plan names no format."""
    return formats()[DEFAULT]()


def read_format(document: object) -> Format:
    """A format as a stored plan tells it. Raises msgspec.ValidationError."""
    with no_collecting():
        found: Format = msgspec.convert(document, functools.reduce(operator.or_, formats().values()))
    return found
