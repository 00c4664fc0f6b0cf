"""What is to be played, as a pure function: match i of a tournament is computed from i alone.

Where match i is follows from the format: deal by deal over tables that are known from the start, or stage by stage over tables
that were chosen on the way (tables.py).
"""

import hashlib
from collections.abc import Sequence
from functools import cached_property
from typing import Annotated, Any

import msgspec

from arena import games
from arena.engine.options import OptionValue
from arena.errors import ConfigError
from arena.match import MatchSetup, Player
from arena.match.faults import FaultPolicy
from arena.match.seeds import commitment, key_from_seed, key_of_link, match_seeds, newest_key, table_stream
from arena.names import MATCH_ID_DIGITS
from arena.records import MOST_DEALS, Clock, Limits, canonical_json
from arena.results import json_text
from arena.tournament.formats.format import Format, Seating, default_format, read_format
from arena.tournament.formats.tables import EntryTables, Layers, Layout, Stage, StageLayout, Table, Tables, orders

CYCLIC, ALL = "cyclic", "all"
ALL_UP_TO = 4  # seats: n! rotations
POOL_OF_MODELS = "llm/"
"""What the pools of tournaments with language models begin with, unless their config mixes them with other bots' pools."""


class Entry(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """One game of the tournament."""

    game: str
    rules_version: int
    seats: Annotated[int, msgspec.Meta(ge=1, le=127)]
    options: dict[str, OptionValue]
    """The rule options, resolved."""
    deals: Annotated[int, msgspec.Meta(ge=1, le=MOST_DEALS)]
    """Deals per table; every table plays the same ones."""
    pool: str
    """The label of the pool in which the matches are rated."""

    @cached_property
    def options_text(self) -> str:
        """The options as canonical JSON."""
        return canonical_json(self.options)


class Contestant(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """One bot of the field."""

    name: str
    sha256: str
    games: tuple[str, ...]
    """The games that the bot plays in this tournament."""
    params: dict[str, Any] = {}
    version: int = 1
    trusted: bool = False

    @cached_property
    def player(self) -> Player:
        """The bot as records of matches name it."""
        return Player(self.name, self.sha256, canonical_json(self.params), self.version)

    @cached_property
    def identity(self) -> str:
        """Name, content hash and params hash."""
        params = hashlib.sha256(canonical_json(self.params).encode()).hexdigest()
        return f"{self.name}:{self.sha256}:{params}"


class Plan(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """Everything that fixes the matches of a tournament, except the bots' code."""

    entries: tuple[Entry, ...]
    contestants: tuple[Contestant, ...]
    rotations: str
    clock: Clock
    limits: Limits
    """What each locked bot may use."""
    faults: FaultPolicy
    key: bytes
    """Secret of this tournament: all seeds derive from it. Where there is a chain of keys (match/seeds.py), the newest one."""
    seed: int | None
    """The public seed that the key was derived from; None for a secret key."""
    format: Format = msgspec.field(default_factory=default_format)

    def __len__(self) -> int:
        try:
            return len(self._layout)
        except OverflowError:
            raise ConfigError("deals: more matches than can be numbered") from None

    @cached_property
    def commitment(self) -> str:
        """SHA-256 of the key: published first, it proves at the end that the deals were not chosen."""
        return commitment(key_of_link(self.key, self.format.links, 0))

    @cached_property
    def document(self) -> dict[str, Any]:
        """What two runs must have in common to be one tournament."""
        whole = json_text.decode(msgspec.json.encode(self), dict[str, Any])  # as it reads from the manifest
        del whole["key"]
        whole |= whole.pop("limits")  # beside the other fields: a plan of before has a field `memory`
        whole["commitment"] = self.commitment
        for contestant in whole["contestants"]:
            del contestant["trusted"]
        return whole

    @property
    def lasting_document(self) -> dict[str, Any]:
        """What all runs must have in common; what a run adds to a plan is not in it."""
        return self.format.lasting(self.document)

    @property
    def sha256(self) -> str:
        """The plan hash: SHA-256 of `document`."""
        return hashlib.sha256(canonical_json(self.document).encode()).hexdigest()

    def setup(self, index: int) -> MatchSetup:
        """Return what match number `index` needs: table, deal, rotation and seeds."""
        place, deal, table, rotation = self._layout.locate(index)
        entry = self.entries[place]
        order = orders(entry.seats, has_all=self.has_all)[rotation]
        bots = [self.contestants[table[seat]] for seat in order]
        match_id = self._match_id(entry, deal, bots)
        seeds = match_seeds(self.key_of(index), match_id, entry.game, entry.seats, entry.options_text, deal)
        return MatchSetup(
            index=index,
            match_id=match_id,
            game=entry.game,
            pool=entry.pool,
            options=entry.options,
            deal=deal,
            rotation=rotation,
            players=tuple(bot.player for bot in bots),
            deal_seed=seeds.deal,
            bot_seeds=seeds.bots,
            fallback_seeds=seeds.fallbacks,
            clock=self.clock,
            faults=self.faults,
        )

    def bots(self, index: int) -> tuple[int, ...]:
        """The contestants of match `index`, by their place in the field, in no particular seat order."""
        return self._layout.locate(index)[2]

    def entry_of(self, index: int) -> int:
        """The entry of match `index`, by its place in the config."""
        return self._layout.locate(index)[0]

    def deal_of(self, index: int) -> tuple[int, int]:
        """The entry and the deal of match `index`: where both are the same, so are the cards."""
        return self._layout.locate(index)[:2]

    def key_of(self, index: int) -> bytes:
        """The key that the seeds of match `index` derive from."""
        return key_of_match(self.format, self.key, index)

    def key_from_seed(self) -> bytes | None:
        """The key that the public seed gives; None for a secret key."""
        if self.seed is None:
            return None
        key = key_from_seed(self.seed)
        return newest_key(key, self.format.links, self.format.most_links) if self.format.links else key

    def add_stage(self, tables: Sequence[tuple[int, Table]]) -> "Plan":
        """The plan of a staged format with one more stage."""
        stages = self.format.stages
        return self._with_stages([*stages, Stage(len(stages), len(self), tuple(tables))])

    def without_stages(self) -> "Plan":
        """The plan as it is sent to workers, which get the stages one by one; without stages it is the plan as it is."""
        return self._with_stages([])

    def with_stage(self, stage: Stage) -> "Plan":
        """The plan with this stage alone: enough for its matches."""
        return self._with_stages([stage])

    def stage_from(self, first: int) -> Stage | None:
        """The stage whose first match is `first`; None where there is none."""
        return next((stage for stage in self.format.stages if stage.first_index == first), None)

    def count_without(self, places: set[int], first: int = 0) -> int:
        """Return how many matches from index `first` on have none of the contestants `places`."""
        return self._layout.count_without(places, first)

    def field(self, entry: Entry) -> list[int]:
        """The contestants that play an entry."""
        return [place for place, bot in enumerate(self.contestants) if entry.game in bot.games]

    def pools(self, *, with_measured: bool = True) -> dict[str, list[tuple[str, int]]]:
        """The field of each rating pool, in config order; bots as name and version.

        `with_measured`: also those of entries in which thinking time becomes ticks of the game.
        """
        pools: dict[str, list[tuple[str, int]]] = {}
        for entry in self.entries:
            if not with_measured and games.load(entry.game).ms_per_tick(entry.options) is not None:
                continue
            known = pools.setdefault(entry.pool, [])
            bots = [self.contestants[place] for place in self.field(entry)]
            known += [bot for bot in ((bot.name, bot.version) for bot in bots) if bot not in known]
        return pools

    @cached_property
    def _layout(self) -> Layout:
        """The object that finds each match of the plan."""
        orders = [self.orders_at(place) for place in range(len(self.entries))]
        if self.format.IS_STAGED:
            return StageLayout(self.format.stages, [entry.deals for entry in self.entries], orders)
        parts = zip(self.entries, self.tables, orders)
        return Layers([EntryTables(entry.deals, tables, each, self.field(entry)) for entry, tables, each in parts])

    @cached_property
    def tables(self) -> list[Tables]:
        """The tables of each entry; a staged format has none. Raises ConfigError if an entry has too few bots."""
        return [self._tables_at(place) for place in range(len(self.entries))]

    def _tables_at(self, place: int) -> Tables:
        entry = self.entries[place]
        seating = Seating(
            field=self.field(entry), seats=entry.seats, deals=entry.deals, has_all=self.has_all,
            units=games.load(entry.game).units(entry.seats, entry.options),
            stream=lambda deal: table_stream(self.key, entry.game, entry.seats, entry.options_text, deal),
        )  # fmt: skip
        try:
            return self.format.tables(seating)
        except ConfigError as error:
            raise ConfigError(f"games[{place}]: {entry.game}: {error}") from None

    def orders_at(self, place: int) -> int:
        """Return how many rotations of a table of entry `place` are played on a deal."""
        return len(orders(self.entries[place].seats, has_all=self.has_all))

    def matches_at(self, place: int) -> int:
        """Matches that a table of entry `place` plays on all deals of the entry; in one stage, where there are stages."""
        return self.entries[place].deals * self.orders_at(place)

    @property
    def has_all(self) -> bool:
        """Whether a table is played in every order."""
        return self.rotations == ALL

    def _with_stages(self, stages: Sequence[Stage]) -> "Plan":
        return msgspec.structs.replace(self, format=self.format.with_stages(stages))

    def _match_id(self, entry: Entry, deal: int, bots: list[Contestant]) -> str:
        secret = f"seed:{self.seed}" if self.seed is not None else self.commitment
        identities = [bot.identity for bot in bots]
        parts = [entry.game, entry.options, entry.seats, deal, identities, entry.rules_version, secret]
        return hashlib.sha256(canonical_json(parts).encode()).hexdigest()[:MATCH_ID_DIGITS]


class _ReadEntry(Entry, frozen=True, kw_only=True, dict=True):
    options: dict[str, Any]  # msgspec cannot check a type that contains itself; the game does (`resolve_options`)


class _ReadPlan(Plan, frozen=True, kw_only=True, dict=True):
    entries: tuple[_ReadEntry, ...]
    format: Any  # which formats there are is known when one is read


def read_plan(document: dict[str, Any], key: bytes) -> Plan:
    """A plan from its document and its key. Raises ValueError that says what is wrong with the document."""
    try:
        format = read_format(document["format"]) if "format" in document else default_format()
        with json_text.no_collecting():
            plan = msgspec.convert({**document, "key": key, "limits": document, "format": format}, _ReadPlan)
        for entry in plan.entries:
            game = games.load(entry.game)
            game.check_seats(entry.seats)
            if game.resolve_options(entry.options, entry.seats) != entry.options:
                raise ValueError(f"options of {entry.game}: not resolved")
        plan.format.check(plan)
    except (msgspec.ValidationError, ConfigError) as error:
        raise ValueError(str(error)) from None
    return plan


def key_of_match(format: Format, newest: bytes, index: int) -> bytes:
    """The key that the seeds of match `index` derive from. `newest`: the key of the plan, or the newest one of its chain."""
    return key_of_link(newest, format.links, format.link_of(index))
