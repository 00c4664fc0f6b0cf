"""Who sits with whom, and which match of a plan is number i: tables, and the two ways in which plans are laid out.

A table is its bots in order round it; the rotations turn it, or permute it. Tables of one deal share its cards. What a format
plays is in its own file. Match i is computed from i alone, without a list:

- *Layers*, where all tables are known from the start: deal by deal, within a deal the entries in the config's order, within an
  entry its tables, within a table its rotations. Entries may have different numbers of deals, so a plan has layers: ranges of
  deals in which the same entries are played.
- *Stages*, where tables are chosen together from the rows of all stages before: stage by stage, within a stage table by table,
  within a table deal by deal, within a deal rotation by rotation. Every stage plays deals of its own.
"""

import itertools
import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol

import msgspec

from arena.engine import rng
from arena.errors import ConfigError

Table = tuple[int, ...]
"""Contestants, by their place in the field, in order round the table."""


class Tables(Protocol):
    """The tables of one entry."""

    @property
    def per_deal(self) -> int:
        """How many are played on each deal."""
        ...

    def table(self, deal: int, number: int) -> Table:
        """Table `number` of a deal."""
        ...


class Combinations(msgspec.Struct, frozen=True):
    """All tables of `seats` out of `field`, in lexicographic order."""

    field: Sequence[int]
    seats: int

    @property
    def per_deal(self) -> int:
        """How many there are."""
        return math.comb(len(self.field), self.seats)

    def table(self, _deal: int, number: int) -> Table:
        """Table `number`, which is the same on every deal.

        >>> [Combinations([0, 1, 2, 3], 2).table(0, number) for number in range(6)]
        [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
        """
        chosen: list[int] = []
        place = 0
        while len(chosen) < self.seats:
            with_this = math.comb(len(self.field) - place - 1, self.seats - len(chosen) - 1)
            if number < with_this:
                chosen.append(self.field[place])
            else:
                number -= with_this
            place += 1
        return tuple(chosen)


def count_later(field: Sequence[int], table: tuple[int, ...], without: set[int]) -> int:
    """Return how many tables without the contestants `without` come after `table` in lexicographic order.

    >>> count_later([0, 1, 2, 3], (0, 2), set()), count_later([0, 1, 2, 3], (0, 2), {1})
    (4, 2)
    """
    free = [place for place in field if place not in without]
    count = 0
    for seat, place in enumerate(table):  # tables that first differ here
        count += math.comb(len(free) - bisect_right(free, place), len(table) - seat)
        if place in without:
            break
    return count


def require(there: int, needed: int, text: str) -> None:
    """Raise ConfigError if `there` are fewer bots than `needed`. `text`: what needs them."""
    if there < needed:
        raise ConfigError(f"{text}, there are {there}")


@cache
def orders(seats: int, *, has_all: bool) -> Sequence[Table]:
    """The seating of each rotation: which member of the table sits at each seat."""
    if has_all:
        return tuple(itertools.permutations(range(seats)))
    return tuple(tuple((seat + rotation) % seats for seat in range(seats)) for rotation in range(seats))


def orders_text(*, has_all: bool) -> str:
    """Return how the bots of a table change seats on a deal, in words."""
    return "all orders of a table" if has_all else "each bot of a table in each seat once a deal"


def shuffled(table: Sequence[int], stream: int) -> Table:
    """The bots of a table in random order. `stream`: 128 random bits."""
    words = rng.seed_words(stream)
    rng.seed_fast(words, words.copy())
    return tuple(table[place] for place in ordered_sample(len(table), len(table), words))


def ordered_sample(size: int, count: int, stream: rng.Words) -> list[int]:
    """`count` different numbers below `size`, in random order."""
    left = list(range(size))
    return [left.pop(rng.below(stream, len(left))) for _ in range(count)]


class Layout(Protocol):
    """Finds the entry, deal, table and rotation of each match of a plan."""

    def __len__(self) -> int:
        """Return how many matches there are."""
        ...

    def locate(self, index: int) -> tuple[int, int, Table, int]:
        """Entry, deal, table and rotation of match `index`. Raises IndexError outside the plan."""
        ...

    def count_without(self, contestants: set[int], first: int) -> int:
        """Return how many matches from index `first` on have none of `contestants`."""
        ...


@dataclass(frozen=True)
class EntryTables:
    """What the layers are made of: one game of a tournament."""

    deals: int
    tables: Tables
    orders: int
    """How many rotations of a table are played."""
    field: Sequence[int]
    """The contestants that play it."""


class Layers:
    """The matches of all entries, deal by deal; implements Layout."""

    def __init__(self, entries: Sequence[EntryTables]) -> None:
        self._entries = entries
        self._layers = _layers(entries)

    def __len__(self) -> int:
        return sum(layer.size * layer.deals for layer in self._layers)

    def locate(self, index: int) -> tuple[int, int, Table, int]:
        """Entry, deal, table and rotation of match `index`. Raises IndexError outside the plan."""
        if not 0 <= index < len(self):
            raise IndexError(index)
        layer = self._layers[bisect_right([layer.first_index for layer in self._layers], index) - 1]
        deal, rest = divmod(index - layer.first_index, layer.size)
        offset, place = layer.parts[bisect_right([offset for offset, _ in layer.parts], rest) - 1]
        entry = self._entries[place]
        number, rotation = divmod(rest - offset, entry.orders)
        return place, layer.first_deal + deal, entry.tables.table(layer.first_deal + deal, number), rotation

    def count_without(self, contestants: set[int], first: int) -> int:
        """Return how many matches from index `first` on have none of `contestants`, without listing them where possible."""
        if not all(isinstance(entry.tables, Combinations) for entry in self._entries):
            return sum(contestants.isdisjoint(self.locate(index)[2]) for index in range(first, len(self)))
        count = 0
        for layer in self._layers:
            deals, rest = divmod(min(max(0, first - layer.first_index), layer.size * layer.deals), layer.size)
            of_a_deal = [_count_part(self._entries[p], contestants, max(0, rest - offset)) for offset, p in layer.parts]
            whole = [_count_part(self._entries[place], contestants, 0) for _, place in layer.parts]
            if deals < layer.deals:
                count += sum(of_a_deal) + sum(whole) * (layer.deals - deals - 1)
        return count


class _Layer(msgspec.Struct, frozen=True):
    first_index: int
    first_deal: int
    deals: int
    size: int
    """How many matches of all entries one deal has."""
    parts: tuple[tuple[int, int], ...]
    """For each entry the number of its first match within a deal, and its place in the config."""


def _layers(entries: Sequence[EntryTables]) -> list[_Layer]:
    """Ranges of deals in which the same entries are played, with where each begins in the plan."""
    layers: list[_Layer] = []
    first_index, first_deal = 0, 0
    for last_deal in sorted({entry.deals for entry in entries}):
        parts, size = [], 0
        for place, entry in enumerate(entries):
            if entry.deals >= last_deal:
                parts.append((size, place))
                size += entry.tables.per_deal * entry.orders
        layers.append(_Layer(first_index, first_deal, last_deal - first_deal, size, tuple(parts)))
        first_index += size * (last_deal - first_deal)
        first_deal = last_deal
    return layers


def _count_part(entry: EntryTables, without: set[int], first: int) -> int:
    """Matches of one deal of an entry from the `first`-th on whose table has none of the contestants `without`."""
    number, rotation = divmod(first, entry.orders)
    if number >= entry.tables.per_deal:
        return 0
    begun = entry.tables.table(0, number)
    count = entry.orders * count_later(entry.field, begun, without)
    return count + (entry.orders - rotation if without.isdisjoint(begun) else 0)


class Stage(msgspec.Struct, frozen=True, array_like=True):
    """Tables that were chosen together."""

    number: int
    first_index: int
    tables: tuple[tuple[int, Table], ...]
    """Entry and contestants; each plays its entry's deals."""


class StageLayout:
    """Finds each match of the stages; implements Layout."""

    def __init__(self, stages: Sequence[Stage], deals: Sequence[int], orders: Sequence[int]) -> None:
        """`deals`, `orders`: by entry, how many of a table's deals and orders are played in one stage."""
        self._stages, self._deals, self._orders = stages, deals, orders

    def __len__(self) -> int:
        return self._stages[-1].first_index + self._starts(self._stages[-1])[-1] if self._stages else 0

    def locate(self, index: int) -> tuple[int, int, Table, int]:
        """Entry, deal, table and rotation of match `index`. Raises IndexError outside the stages that are known."""
        stages = self._stages
        stage = stages[bisect_right(stages, index, key=lambda stage: stage.first_index) - 1] if stages else None
        if stage is None or not 0 <= index - stage.first_index < self._starts(stage)[-1]:
            raise IndexError(index)
        starts = self._starts(stage)
        number = bisect_right(starts, index - stage.first_index) - 1
        place, table = stage.tables[number]
        deal, rotation = divmod(index - stage.first_index - starts[number], self._orders[place])
        return place, stage.number * max(self._deals) + deal, table, rotation

    def count_without(self, contestants: set[int], first: int) -> int:
        """Return how many matches from index `first` on have none of `contestants`."""
        return sum(contestants.isdisjoint(self.locate(index)[2]) for index in range(first, len(self)))

    def _starts(self, stage: Stage) -> list[int]:
        """The number of the first match of each table of a stage, counted within the stage, and the number of its matches."""
        sizes = [self._deals[place] * self._orders[place] for place, _ in stage.tables]
        return [0, *itertools.accumulate(sizes)]
