"""Plans that are known from the start, deal by deal: match i is computed from i alone, without a list.

Within a deal the entries in the config's order, within an entry its tables, within a table its rotations. Entries may have
different numbers of deals, so a plan has layers: ranges of deals in which the same entries are played.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import msgspec

from arena.tournament.formats.tables import Combinations, Table, Tables, count_later


class Layout(Protocol):
    """Finds the entry, deal, table and rotation of each match of a plan."""

    def __len__(self) -> int:
        """How many matches there are."""
        ...

    def locate(self, index: int) -> tuple[int, int, Table, int]:
        """Entry, deal, table and rotation of match `index`. Raises IndexError outside the plan."""
        ...

    def count_without(self, contestants: set[int], first: int) -> int:
        """How many matches from index `first` on have none of `contestants`."""
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
        """How many matches from index `first` on have none of `contestants`: counted without listing them, where possible."""
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
