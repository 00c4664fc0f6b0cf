"""What is to be played, as a pure function: match i of a tournament is computed from i alone.

Plan order is deal by deal; within a deal the config's entries in order, within an entry its tables, within a table its
rotations. So an interrupted run has played every table about equally often, and ten million matches need no list.
"""

import hashlib
import itertools
import math
from bisect import bisect_right
from functools import cached_property
from typing import Any

import msgspec

from arena import game as games
from arena import rng
from arena.errors import ConfigError
from arena.match import FaultPolicy, MatchSetup, Player
from arena.options import OptionValue
from arena.records import Clock, canonical_json

CYCLIC, ALL = "cyclic", "all"
ALL_UP_TO = 4  # seats: n! rotations
KEY_BYTES = 32
MATCH_ID_DIGITS = 24  # 96 bits


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
    memory: int
    """Bytes per seat."""
    faults: FaultPolicy
    key: bytes
    """Secret of this tournament: all seeds derive from it."""
    seed: int | None
    """The public seed that the key was derived from; None for a secret key."""

    def __len__(self) -> int:
        return sum(layer.size * layer.deals for layer in self._layers)

    @property
    def commitment(self) -> str:
        """SHA-256 of the key: published first, it proves at the end that the deals were not chosen."""
        return hashlib.sha256(self.key).hexdigest()

    @cached_property
    def document(self) -> dict[str, Any]:
        """What two runs must have in common to be one tournament."""
        whole: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self))  # as it reads from the manifest
        del whole["key"]
        whole["commitment"] = self.commitment
        for contestant in whole["contestants"]:
            del contestant["trusted"]
        return whole

    @property
    def sha256(self) -> str:
        """Hash of `document`."""
        return hashlib.sha256(canonical_json(self.document).encode()).hexdigest()

    def setup(self, index: int) -> MatchSetup:
        """Match number `index`."""
        entry, deal, table, rotation = self._coordinates(index)
        order = self._orders(entry.seats)[rotation]
        bots = [self.contestants[table[place]] for place in order]
        match_id = self._match_id(entry, deal, bots)
        seats = range(entry.seats)
        return MatchSetup(
            index=index,
            match_id=match_id,
            game=entry.game,
            pool=entry.pool,
            options=entry.options,
            deal=deal,
            rotation=rotation,
            players=tuple(bot.player for bot in bots),
            deal_seed=deal_seed(self.key, entry.game, entry.seats, canonical_json(entry.options), deal),
            bot_seeds=tuple(rng.derive(self.key, "bot", match_id, seat) for seat in seats),
            fallback_seeds=tuple(rng.derive(self.key, "fallback", match_id, seat) for seat in seats),
            clock=self.clock,
            faults=self.faults,
        )

    def bots(self, index: int) -> tuple[int, ...]:
        """The contestants of match `index`, by their place in the field, in no particular seat order."""
        return self._coordinates(index)[2]

    def count_without(self, places: set[int], first: int = 0) -> int:
        """How many matches from index `first` on have none of the contestants `places`: counted without listing them."""
        count = 0
        for layer in self._layers:
            deals, rest = divmod(min(max(0, first - layer.first_index), layer.size * layer.deals), layer.size)
            of_a_deal = [self._count_part(entry, places, max(0, rest - offset)) for offset, entry in layer.parts]
            whole = [self._count_part(entry, places, 0) for _, entry in layer.parts]
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
            for entry in self.entries:
                if entry.deals >= last_deal:
                    parts.append((size, entry))
                    size += math.comb(len(self.field(entry)), entry.seats) * len(self._orders(entry.seats))
            layers.append(_Layer(first_index, first_deal, last_deal - first_deal, size, tuple(parts)))
            first_index += size * (last_deal - first_deal)
            first_deal = last_deal
        return layers

    def _coordinates(self, index: int) -> tuple[Entry, int, tuple[int, ...], int]:
        """Entry, deal, table (contestants, ascending) and rotation of match `index`."""
        if not 0 <= index < len(self):
            raise IndexError(index)
        layer = self._layers[bisect_right([layer.first_index for layer in self._layers], index) - 1]
        deal, rest = divmod(index - layer.first_index, layer.size)
        offset, entry = layer.parts[bisect_right([offset for offset, _ in layer.parts], rest) - 1]
        table, rotation = divmod(rest - offset, len(self._orders(entry.seats)))
        return entry, layer.first_deal + deal, _combination(self.field(entry), entry.seats, table), rotation

    def _count_part(self, entry: Entry, without: set[int], first: int) -> int:
        """Matches of one deal of an entry from the `first`-th on whose table has none of the contestants `without`."""
        field, orders = self.field(entry), len(self._orders(entry.seats))
        table, rotation = divmod(first, orders)
        if table >= math.comb(len(field), entry.seats):
            return 0
        begun = _combination(field, entry.seats, table)
        count = orders * _count_later(field, begun, without)
        return count + (orders - rotation if without.isdisjoint(begun) else 0)

    def _orders(self, seats: int) -> list[tuple[int, ...]]:
        """Per rotation: which member of the table sits at each seat."""
        if self.rotations == ALL:
            return list(itertools.permutations(range(seats)))
        return [tuple((seat + rotation) % seats for seat in range(seats)) for rotation in range(seats)]

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
    parts: tuple[tuple[int, Entry], ...]
    """Where each entry begins within a deal."""


class _ReadEntry(Entry, frozen=True, kw_only=True):
    options: dict[str, Any]  # msgspec cannot check a type that contains itself; the room does (`resolve_options`)


class _ReadPlan(Plan, frozen=True, kw_only=True, dict=True):
    entries: tuple[_ReadEntry, ...]


def read_plan(document: dict[str, Any], key: bytes) -> Plan:
    """A plan from its document and its key. Raises ValueError that says what is wrong with the document."""
    try:
        plan = msgspec.convert({**document, "key": key}, _ReadPlan)
        for entry in plan.entries:
            game = games.load(entry.game)
            game.check_seats(entry.seats)
            if game.resolve_options(entry.options, entry.seats) != entry.options:
                raise ValueError(f"options of {entry.game}: not resolved")
    except (msgspec.ValidationError, ConfigError) as error:
        raise ValueError(str(error)) from None
    return plan


def key_from_seed(seed: int) -> bytes:
    """The key of a reproducible run."""
    return hashlib.sha256(f"arena seed {seed}".encode()).digest()


def deal_seed(key: bytes, game: str, seats: int, options: str, deal: int) -> int:
    """The 128-bit seed of a deal. `options`: canonical JSON. Tables and rotations share it: the cards do not decide."""
    options_hash = hashlib.sha256(options.encode()).hexdigest()[:16]
    return rng.derive(key, "deal", game, seats, options_hash, deal)


def _combination(field: list[int], size: int, number: int) -> tuple[int, ...]:
    """The `number`-th table of `size` out of `field`, in lexicographic order.

    >>> [_combination([0, 1, 2, 3], 2, number) for number in range(6)]
    [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    """
    chosen: list[int] = []
    place = 0
    while len(chosen) < size:
        with_this = math.comb(len(field) - place - 1, size - len(chosen) - 1)
        if number < with_this:
            chosen.append(field[place])
        else:
            number -= with_this
        place += 1
    return tuple(chosen)


def _count_later(field: list[int], table: tuple[int, ...], without: set[int]) -> int:
    """How many tables without the contestants `without` come after `table` in lexicographic order.

    >>> _count_later([0, 1, 2, 3], (0, 2), set()), _count_later([0, 1, 2, 3], (0, 2), {1})
    (4, 2)
    """
    free = [place for place in field if place not in without]
    count = 0
    for seat, place in enumerate(table):  # tables that first differ here
        count += math.comb(len(free) - bisect_right(free, place), len(table) - seat)
        if place in without:
            break
    return count
