"""The rows of the archive as those of one tournament, and the way from such a row back to the match it belongs to.

A match counts once, by its id: with a public seed, two tournaments may have matches in common, and then the one that started
first has them. Matches are numbered anew, and bots and pools have the archive's names (names.py).
"""

import datetime
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from arena.errors import StoreError
from arena.records import MatchRecord
from arena.results import parquet
from arena.results.columns import Columns, Texts, match_starts
from arena.results.schema import MATCHES, Column, FaultPlace, Kind
from arena.tournament.archive.finding import public_keys
from arena.tournament.archive.folder import ENTRIES, Entry, rated_entries
from arena.tournament.archive.names import BotIdentity, Pool, bot_names, identity
from arena.tournament.formats.plan import POOL_OF_MODELS

_RAW = ("index", "game", "options", "rules_version", "seat", "bot", "bot_version", "deal", "pool")
"""The columns from which names and numbers follow."""


@dataclass(frozen=True)
class Part:
    """The rows of one tournament that count in the archive."""

    entry: Entry
    stored: int
    """The number of rows in the tournament's file."""
    kept: NDArray[np.int64] | None
    """The rows that count, sorted: those of matches that no earlier tournament has; None: all rows."""

    @property
    def rows(self) -> int:
        """The number of rows that count."""
        return self.stored if self.kept is None else len(self.kept)

    def of(self, values: NDArray[Any]) -> NDArray[Any]:
        """The values of the rows that count. `values`: [stored rows]."""
        return values if self.kept is None else values[self.kept]


@dataclass(frozen=True)
class ArchiveRows:
    """The rows of the archive as those of one tournament: matches numbered from 0, pools and bots named as in the archive."""

    columns: Columns
    pools: tuple[Pool, ...]
    """The pools that have rows, sorted."""
    parts: tuple[Part, ...]
    """The tournaments, in the order of their rows."""


def read_rows(everything: Sequence[Entry], names: Sequence[str], *, since: datetime.datetime | None = None) -> ArchiveRows:
    """Columns of the rows of these tournaments. Raises StoreError.

    Besides the named columns, it reads those from which pools, bots and deals follow. `since`: only tournaments that started
    then or later.
    """
    bots = bot_names(everything)  # of all, so that a name is the same in every selection
    parts = counted([entry for entry in everything if since is None or entry.started >= since])
    wanted = [column for column in MATCHES.columns if column.name in {*names, *_RAW}]
    arrays = _Arrays(wanted, sum(part.rows for part in parts))
    pools: set[Pool] = set()
    deals: dict[str, list[slice]] = {}
    for part in parts:
        found = parquet.read_columns(part.entry.folder, [column.name for column in wanted])
        here = _entry_pools(found, match_starts(found))
        pools |= {here.pools[code] for code in np.unique(part.of(here.codes)).tolist()}
        changed = {"pool": Texts(tuple(pool.name for pool in here.pools), here.codes), "bot": _renamed(found, part, bots)}
        added = arrays.add(part, found, changed)
        deals.setdefault(part.entry.manifest.commitment or part.entry.folder.name, []).append(added)
    _separate(arrays.arrays["deal"], deals.values())
    folder = everything[0].folder.parent if everything else Path(ENTRIES)
    return ArchiveRows(arrays.columns(folder), tuple(sorted(pools)), parts)


def counted(chosen: Sequence[Entry]) -> tuple[Part, ...]:
    """The rows that count of each of these tournaments, which must be in order. Raises StoreError."""
    return tuple(_part(entry, chosen[:number]) for number, entry in enumerate(chosen))


def match_ids(parts: Iterable[Part], rows: Iterable[int]) -> dict[int, str]:
    """The match ids (24 hex digits) of some rows, by row number in `read_rows`."""
    return {row: match_id for _, ids in _located(parts, rows) for row, match_id in ids.items()}


def find_matches(archive: Path, rows: Iterable[int]) -> dict[int, tuple[MatchRecord, str | None]]:
    """The matches of some rows of the rated archive, with its names of bots, and the keys of their deals; by row number."""
    everything = rated_entries(archive)
    names = bot_names(everything)
    found: dict[int, tuple[MatchRecord, str | None]] = {}
    for entry, ids in _located(counted(everything), rows):
        records = parquet.find_matches(entry.folder, sorted(set(ids.values())))
        keys = public_keys(entry.folder, records.values())
        for row, match_id in ids.items():
            record = records[match_id]
            found[row] = _with_names(record, names), keys[match_id]
    return found


def locate_faults(archive: Path) -> list[FaultPlace]:
    """The faults in the rows that count, in order, with their row numbers in `read_rows` and the archive's names of bots."""
    everything = rated_entries(archive)
    names, begin = bot_names(everything), 0
    found: list[FaultPlace] = []
    for part in counted(everything):
        called = {(bot.name, bot.version): names[identity(bot)] for bot in part.entry.manifest.bots}
        for place in parquet.locate_faults(part.entry.folder):
            row = place.row if part.kept is None else int(np.searchsorted(part.kept, place.row))
            if part.kept is not None and (row == len(part.kept) or part.kept[row] != place.row):
                continue
            name = called.get((place.fault.bot, place.fault.bot_version), place.fault.bot)
            fault = msgspec.structs.replace(place.fault, bot=name)
            found.append(FaultPlace(fault, begin + row, place.folder))
        begin += part.rows
    return found


class _Arrays:
    """Columns that are filled tournament by tournament; they have their final size from the beginning."""

    def __init__(self, wanted: Sequence[Column], rows: int) -> None:
        self._numbers: dict[str, dict[str, int]] = {column.name: {} for column in wanted if column.kind is Kind.TEXT}
        self.arrays: dict[str, NDArray[Any]] = {
            column.name: np.empty(rows, np.int32 if column.kind is Kind.TEXT else column.kind.value) for column in wanted
        }
        self._rows = self._matches = 0

    def add(self, part: Part, columns: Columns, changed: Mapping[str, Texts]) -> slice:
        """Add the rows of a tournament that count. `changed`: texts that replace stored ones. Returns where they are."""
        added = slice(self._rows, self._rows + part.rows)
        for name, array in self.arrays.items():
            if name not in self._numbers:
                array[added] = part.of(columns.numbers[name])
                continue
            text, known = changed.get(name) or columns.texts[name], self._numbers[name]
            codes = np.array([known.setdefault(value, len(known)) for value in text.values], np.int32)
            array[added] = codes[part.of(text.codes)] if part.rows else 0
        index = self.arrays["index"][added]
        if part.rows:
            index[:] = self._matches + np.concatenate([np.zeros(1, np.int64), np.cumsum(np.diff(index) > 0)])
            self._matches = int(index[-1]) + 1
        self._rows = added.stop
        return added

    def columns(self, path: Path) -> Columns:
        """The columns filled so far."""
        return Columns(
            path,
            {name: array for name, array in self.arrays.items() if name not in self._numbers},
            {name: Texts(tuple(known), self.arrays[name]) for name, known in self._numbers.items()},
        )


def _part(entry: Entry, before: Sequence[Entry]) -> Part:
    """Return which rows of a tournament count: not those of matches that an earlier one has.

    Only tournaments of one key share any.
    """
    stored, _ = parquet.check_matches(entry.folder)
    key = entry.manifest.commitment
    related = [other.folder for other in before if key and other.manifest.commitment == key]
    if not related:
        return Part(entry, stored, None)
    known = np.concatenate([parquet.read_all_match_ids(folder) for folder in related])
    return Part(entry, stored, np.flatnonzero(~np.isin(parquet.read_all_match_ids(entry.folder), known)))


@dataclass(frozen=True)
class _EntryPools:
    """The pools of one tournament's rows."""

    pools: tuple[Pool, ...]
    codes: NDArray[np.int32]
    """[rows]: the position of each row's pool in `pools`."""


def _entry_pools(columns: Columns, starts: NDArray[np.int64]) -> _EntryPools:
    heads, seats = starts[:-1], np.diff(starts)
    game, options, rules = columns.texts["game"], columns.texts["options"], columns.numbers["rules_version"]
    own = columns.texts["pool"]  # only what it begins with counts: else it is the tournament's affair
    models = np.array([name.startswith(POOL_OF_MODELS) for name in own.values], np.int64)[own.codes[heads]]
    shape = (len(game.values), 1 << 16, len(options.values), 1 << 16, 2)
    keys = np.ravel_multi_index((game.codes[heads], seats, options.codes[heads], rules[heads].astype(np.uint16), models), shape)
    different, codes = np.unique(keys, return_inverse=True)
    pools = tuple(
        Pool(game.values[name], number, options.values[text], version, bool(asks))
        for name, number, text, version, asks in zip(*(part.tolist() for part in np.unravel_index(different, shape)))
    )
    return _EntryPools(pools, np.repeat(codes.astype(np.int32), seats))


def _renamed(columns: Columns, part: Part, names: Mapping[BotIdentity, str]) -> Texts:
    """The column of bots, with the archive's names."""
    known = {(bot.name, bot.version): names[identity(bot)] for bot in part.entry.manifest.bots}
    own, versions = columns.texts["bot"], columns.numbers["bot_version"]
    if not len(versions):
        return own
    if np.all(versions == versions[0]):  # the common case, without sorting the rows
        version = int(versions[0])
        return Texts(tuple(known.get((name, version), name) for name in own.values), own.codes)
    pairs, codes = np.unique(own.codes.astype(np.int64) << 32 | versions, return_inverse=True)
    keys = [(own.values[pair >> 32], pair & 0xFFFFFFFF) for pair in pairs.tolist()]
    return Texts(tuple(known.get(key, key[0]) for key in keys), codes.astype(np.int32))


def _separate(deals: NDArray[np.int32], groups: Iterable[Sequence[slice]]) -> None:
    """Number deals so that tournaments with different keys share none."""
    first = 0
    for parts in groups:
        last = max((int(deals[part].max()) for part in parts if part.stop > part.start), default=-1)
        if first + last > np.iinfo(np.int32).max:
            raise StoreError("the archive has more deals than can be numbered")
        for part in parts:
            deals[part] += first
        first += last + 1


def _located(parts: Iterable[Part], rows: Iterable[int]) -> Iterator[tuple[Entry, dict[int, str]]]:
    """Each tournament that has some of these rows, with the match ids by row number."""
    wanted, begin = sorted(set(rows)), 0
    for part in parts:
        own = [row - begin for row in wanted if begin <= row < begin + part.rows]
        stored = {row if part.kept is None else int(part.kept[row]): begin + row for row in own}
        if own:
            ids = parquet.read_match_ids(part.entry.folder, stored)
            yield part.entry, {stored[row]: match_id for row, match_id in ids.items()}
        begin += part.rows


def _with_names(record: MatchRecord, names: Mapping[BotIdentity, str]) -> MatchRecord:
    seats = tuple(
        msgspec.structs.replace(seat, bot=names.get((seat.bot, seat.bot_version, seat.bot_sha256, seat.params), seat.bot))
        for seat in record.seats
    )
    return msgspec.structs.replace(record, seats=seats)
