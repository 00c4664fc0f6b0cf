"""What is to be played, as a pure function: match i of a tournament is computed from i alone.

Plan order is deal by deal; within a deal the config's entries in order, within an entry its tables (tables.py), within a
table its rotations. So an interrupted run has played every table about equally often, and ten million matches need no list.

A ladder's plan is its stages, which grow in number: stage by stage, within a stage table by table, within a table deal by
deal. Every leg has a key of its own, published when the leg is over; all of them are fixed by the first commitment
(`seeds.key_of_link`), so nobody can choose the deals to come, and nobody can tell them from those that were.
"""

import hashlib
import itertools
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import msgspec

from arena import games
from arena.engine.options import OptionValue
from arena.errors import ConfigError
from arena.faults import FaultPolicy
from arena.formats.tables import (
    Combinations,
    Format,
    Ladder,
    Leg,
    RoundRobin,
    Stage,
    Table,
    Tables,
    count_later,
    orders,
    tables_of,
)
from arena.match import MatchSetup, Player
from arena.records import Clock, Limits, canonical_json
from arena.seeds import MATCH_ID_DIGITS, commitment, key_of_link, match_seeds, table_dice

CYCLIC, ALL = "cyclic", "all"
ALL_UP_TO = 4  # seats: n! rotations


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One game of the tournament."""

    game: str
    rules_version: int
    seats: int
    options: dict[str, OptionValue]
    """Resolved."""
    deals: int
    """Deals per table; every table plays the same ones."""
    pool: str
    """Rating pool."""


class Contestant(msgspec.Struct, frozen=True, kw_only=True):
    """One bot of the field."""

    name: str
    sha256: str
    games: tuple[str, ...]
    """What it plays here."""
    params: dict[str, Any] = {}
    version: int = 1
    trusted: bool = False

    @property
    def player(self) -> Player:
        """Its identity in records."""
        return Player(self.name, self.sha256, canonical_json(self.params), self.version)

    @property
    def identity(self) -> str:
        """Name, content hash and params hash."""
        params = hashlib.sha256(canonical_json(self.params).encode()).hexdigest()
        return f"{self.name}:{self.sha256}:{params}"


class Plan(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """All that fixes a tournament's matches but the bots' code."""

    entries: tuple[Entry, ...]
    contestants: tuple[Contestant, ...]
    rotations: str
    clock: Clock
    limits: Limits
    """What each locked bot may use."""
    faults: FaultPolicy
    key: bytes
    """Secret of this tournament: all seeds derive from it. Of a ladder, that of its newest leg."""
    seed: int | None
    """The public seed that the key was derived from; None for a secret key."""
    format: Format = RoundRobin()

    def __len__(self) -> int:
        if isinstance(self.format, Ladder):
            last = self.format.stages[-1:]
            return last[0].first_index + self._starts(last[0])[-1] if last else 0
        return sum(layer.size * layer.deals for layer in self._layers)

    @property
    def commitment(self) -> str:
        """SHA-256 of the key: published first, it proves at the end that the deals were not chosen."""
        return commitment(key_of_link(self.key, len(self.legs), 0))

    @property
    def legs(self) -> Sequence[Leg]:
        """Of a ladder."""
        return self.format.legs if isinstance(self.format, Ladder) else ()

    @cached_property
    def document(self) -> dict[str, Any]:
        """What two runs must have in common to be one tournament."""
        whole: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self))  # as it reads from the manifest
        del whole["key"]
        whole |= whole.pop("limits")  # beside the other fields: a plan of before has a field `memory`
        whole["commitment"] = self.commitment
        for contestant in whole["contestants"]:
            del contestant["trusted"]
        return whole

    @property
    def lasting_document(self) -> dict[str, Any]:
        """What all runs must have in common: of a ladder not its bots, legs and stages."""
        lasting = {"contestants": [], "format": {"name": "ladder"}} if isinstance(self.format, Ladder) else {}
        return {**self.document, **lasting}

    @property
    def sha256(self) -> str:
        """Hash of `document`."""
        return hashlib.sha256(canonical_json(self.document).encode()).hexdigest()

    def setup(self, index: int) -> MatchSetup:
        """Match number `index`."""
        entry, deal, table, rotation = self._coordinates(index)
        order = orders(entry.seats, has_all=self.has_all)[rotation]
        bots = [self.contestants[table[place]] for place in order]
        match_id = self._match_id(entry, deal, bots)
        options = canonical_json(entry.options)
        seeds = match_seeds(self.key_of(index), match_id, entry.game, entry.seats, options, deal)
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
        return self._coordinates(index)[2]

    def key_of(self, index: int) -> bytes:
        """The key that the seeds of match `index` derive from."""
        return key_of_link(self.key, len(self.legs), leg_of(self.format, index))

    def add_stage(self, tables: Sequence[tuple[int, Table]]) -> "Plan":
        """A ladder's plan with one more stage."""
        assert isinstance(self.format, Ladder)
        stage = Stage(len(self.format.stages), len(self), tuple(tables))
        return msgspec.structs.replace(self, format=msgspec.structs.replace(self.format, stages=(*self.format.stages, stage)))

    def without_stages(self) -> "Plan":
        """A ladder's plan as it is sent to workers, which get the stages one by one; any other as it is."""
        if not isinstance(self.format, Ladder):
            return self
        return msgspec.structs.replace(self, format=msgspec.structs.replace(self.format, stages=()))

    def with_stage(self, stage: Stage) -> "Plan":
        """A ladder's plan with this stage alone: enough for its matches."""
        return msgspec.structs.replace(self, format=msgspec.structs.replace(self.format, stages=(stage,)))

    def count_without(self, places: set[int], first: int = 0) -> int:
        """How many matches from index `first` on have none of the contestants `places`: counted without listing them."""
        if not all(isinstance(tables, Combinations) for tables in self.tables):
            return sum(places.isdisjoint(self.bots(index)) for index in range(first, len(self)))
        count = 0
        for layer in self._layers:
            deals, rest = divmod(min(max(0, first - layer.first_index), layer.size * layer.deals), layer.size)
            of_a_deal = [self._count_part(place, places, max(0, rest - offset)) for offset, place in layer.parts]
            whole = [self._count_part(place, places, 0) for _, place in layer.parts]
            if deals < layer.deals:
                count += sum(of_a_deal) + sum(whole) * (layer.deals - deals - 1)
        return count

    def field(self, entry: Entry) -> list[int]:
        """The contestants that play an entry."""
        return [place for place, bot in enumerate(self.contestants) if entry.game in bot.games]

    def pools(self, *, with_measured: bool = True) -> dict[str, list[tuple[str, int]]]:
        """Per rating pool, in config order: its field, as name and version.

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
    def _layers(self) -> list["_Layer"]:
        """Stretches of deals in which the same entries are played, with where each begins in the plan."""
        layers: list[_Layer] = []
        first_index, first_deal = 0, 0
        for last_deal in sorted({entry.deals for entry in self.entries}):
            parts, size = [], 0
            for place, entry in enumerate(self.entries):
                if entry.deals >= last_deal:
                    parts.append((size, place))
                    size += self.tables[place].per_deal * len(orders(entry.seats, has_all=self.has_all))
            layers.append(_Layer(first_index, first_deal, last_deal - first_deal, size, tuple(parts)))
            first_index += size * (last_deal - first_deal)
            first_deal = last_deal
        return layers

    @cached_property
    def tables(self) -> list[Tables]:
        """By entry. Not of a ladder. Raises ConfigError where the bots of one are too few."""
        found = []
        for place, entry in enumerate(self.entries):
            game, options = games.load(entry.game), canonical_json(entry.options)

            def dice(deal: int, entry: Entry = entry, options: str = options) -> int:
                return table_dice(self.key, entry.game, entry.seats, options, deal)

            units = game.units(entry.seats, entry.options)
            try:
                found.append(
                    tables_of(
                        self.format, self.field(entry), entry.seats, entry.deals, units=units, has_all=self.has_all, dice=dice
                    )
                )  # fmt: skip
            except ConfigError as error:
                raise ConfigError(f"games[{place}]: {entry.game}: {error}") from None
        return found

    def _coordinates(self, index: int) -> tuple[Entry, int, Table, int]:
        """Entry, deal, table and rotation of match `index`."""
        if isinstance(self.format, Ladder):
            return self._of_stage(self.format.stages, index)
        if not 0 <= index < len(self):
            raise IndexError(index)
        layer = self._layers[bisect_right([layer.first_index for layer in self._layers], index) - 1]
        deal, rest = divmod(index - layer.first_index, layer.size)
        offset, place = layer.parts[bisect_right([offset for offset, _ in layer.parts], rest) - 1]
        entry = self.entries[place]
        number, rotation = divmod(rest - offset, len(orders(entry.seats, has_all=self.has_all)))
        return entry, layer.first_deal + deal, self.tables[place].table(layer.first_deal + deal, number), rotation

    def _of_stage(self, stages: Sequence[Stage], index: int) -> tuple[Entry, int, Table, int]:
        stage = stages[bisect_right(stages, index, key=lambda stage: stage.first_index) - 1] if stages else None
        if stage is None or not 0 <= index - stage.first_index < self._starts(stage)[-1]:
            raise IndexError(index)
        starts = self._starts(stage)
        number = bisect_right(starts, index - stage.first_index) - 1
        place, table = stage.tables[number]
        entry = self.entries[place]
        deal, rotation = divmod(index - stage.first_index - starts[number], len(orders(entry.seats, has_all=self.has_all)))
        return entry, stage.number * max(entry.deals for entry in self.entries) + deal, table, rotation

    def _starts(self, stage: Stage) -> list[int]:
        """Where each table of a stage begins, counted from its first match, and where the stage ends."""
        sizes = [self.matches_at(place) for place, _ in stage.tables]
        return [0, *itertools.accumulate(sizes)]

    def matches_at(self, place: int) -> int:
        """Matches that a table of entry `place` plays on all deals of the entry: of a ladder, in one stage."""
        entry = self.entries[place]
        return entry.deals * len(orders(entry.seats, has_all=self.has_all))

    @property
    def has_all(self) -> bool:
        """Whether a table is played in every order."""
        return self.rotations == ALL

    def _count_part(self, place: int, without: set[int], first: int) -> int:
        """Matches of one deal of an entry from the `first`-th on whose table has none of the contestants `without`."""
        number, rotation = divmod(first, rotations := len(orders(self.entries[place].seats, has_all=self.has_all)))
        tables = self.tables[place]
        if number >= tables.per_deal:
            return 0
        begun = tables.table(0, number)
        count = rotations * count_later(self.field(self.entries[place]), begun, without)
        return count + (rotations - rotation if without.isdisjoint(begun) else 0)

    def _match_id(self, entry: Entry, deal: int, bots: list[Contestant]) -> str:
        secret = f"seed:{self.seed}" if self.seed is not None else self.commitment
        identities = [bot.identity for bot in bots]
        parts = [entry.game, entry.options, entry.seats, deal, identities, entry.rules_version, secret]
        return hashlib.sha256(canonical_json(parts).encode()).hexdigest()[:MATCH_ID_DIGITS]


class _Layer(msgspec.Struct, frozen=True):
    first_index: int
    first_deal: int
    deals: int
    size: int
    """Matches per deal."""
    parts: tuple[tuple[int, int], ...]
    """Where each entry begins within a deal, and its place in the config."""


class _ReadEntry(Entry, frozen=True, kw_only=True):
    options: dict[str, Any]  # msgspec cannot check a type that contains itself; the room does (`resolve_options`)


class _ReadPlan(Plan, frozen=True, kw_only=True, dict=True):
    entries: tuple[_ReadEntry, ...]


def read_plan(document: dict[str, Any], key: bytes) -> Plan:
    """A plan from its document and its key. Raises ValueError that says what is wrong with the document."""
    try:
        plan = msgspec.convert({**document, "key": key, "limits": document}, _ReadPlan)
        for entry in plan.entries:
            game = games.load(entry.game)
            game.check_seats(entry.seats)
            if game.resolve_options(entry.options, entry.seats) != entry.options:
                raise ValueError(f"options of {entry.game}: not resolved")
    except (msgspec.ValidationError, ConfigError) as error:
        raise ValueError(str(error)) from None
    return plan


def leg_of(format: Format, index: int) -> int:
    """The leg that match `index` belongs to; 0 where there are none."""
    if not isinstance(format, Ladder) or not format.legs:
        return 0
    stage = bisect_right(format.stages, index, key=lambda stage: stage.first_index) - 1
    number = format.stages[max(0, stage)].number if format.stages else 0
    return max(0, bisect_right(format.legs, number, key=lambda leg: leg.first_stage) - 1)
