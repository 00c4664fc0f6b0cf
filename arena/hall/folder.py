"""The lasting hall: the rows of all finished tournaments beside each other, in `leaderboards/hall/`.

`hall/tournaments/` holds a folder per tournament with its manifest, rows, logs, faults and ratings, as they were at its end: to
add one is to put one more folder there, in one step, and what is there is never written again. Everything else in `hall/`
follows from these folders, whatever the order in which they came: they are read in the order of their start, then their name.

A match counts once, by its id: with a public seed, two tournaments may have matches in common, and then the one that started
first has them. Bots of one name and version whose files differ are entries of their own (`greedy@3f2a9c`). Labels are the
tournaments' own business: here, a pool is a table: game, seats, options, rules version (`nanatoridori/3/variant=advanced`).
"""

import datetime
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from arena import games
from arena.errors import ConfigError, StoreError
from arena.records import MatchRecord, canonical_json
from arena.store import parquet
from arena.store.columns import Columns, Texts, match_starts
from arena.store.manifest import FILE as MANIFEST
from arena.store.manifest import HALL_ENTRIES, BotEntry, Manifest, is_hall, read_manifest
from arena.store.schema import ACTIONS, FAULTS, HISTORY, MATCHES, RATINGS, TOTALS, Column, FaultPlace, Kind

DIGITS = 12  # of the results hash, in the name of an entry
LEAST_DIGITS = 6  # of a bot's hash, in its name
_RAW = ("index", "game", "options", "rules_version", "seat", "bot", "bot_version", "deal")  # what names and numbers follow from
_NEW = ".new-"


@dataclass(frozen=True)
class Entry:
    """A tournament in the hall."""

    folder: Path
    manifest: Manifest

    @cached_property
    def started(self) -> datetime.datetime:
        """With its time zone."""
        return _start(self.folder, self.manifest)

    @property
    def order(self) -> tuple[datetime.datetime, str, str]:
        """The place in the hall: the start, then the name, then the folder."""
        return self.started, self.manifest.name, self.folder.name


class Table(msgspec.Struct, frozen=True, order=True):
    """A pool of the hall."""

    game: str
    seats: int
    options: str
    """All that are resolved; canonical JSON."""
    rules_version: int

    @property
    def pool(self) -> str:
        """`game/seats`, then the options that are not the defaults, then the version of the rules if it is not the first.

        >>> Table("naga", 2, "{}", 1).pool
        'naga/2'
        >>> Table("whist", 4, '{"deck":"short","trumps":true}', 3).pool
        'whist/4/deck=short,trumps=true/rules=3'
        """
        options = msgspec.json.decode(self.options)
        defaults: Mapping[str, Any] = {}
        if self.game in games.names():
            try:
                defaults = games.load(self.game).resolve_options({}, self.seats)
            except ConfigError:  # this table cannot be had without options
                defaults = {}
        chosen = [
            f"{name}={_text(value)}" for name, value in options.items() if name not in defaults or defaults[name] != value
        ]
        rules = [f"rules={self.rules_version}"] if self.rules_version > 1 else []
        return "/".join([self.game, str(self.seats), *([",".join(chosen)] if chosen else []), *rules])


@dataclass(frozen=True)
class Part:
    """The rows of one tournament that count."""

    entry: Entry
    stored: int
    """Rows of its file."""
    kept: NDArray[np.int64] | None
    """Which of them, sorted: those of matches that no tournament before has; None: all."""

    @property
    def rows(self) -> int:
        """How many count."""
        return self.stored if self.kept is None else len(self.kept)

    def of(self, values: NDArray[Any]) -> NDArray[Any]:
        """Those of `values` [stored rows] that count."""
        return values if self.kept is None else values[self.kept]


@dataclass(frozen=True)
class HallRows:
    """Rows of the hall as those of one tournament: matches numbered from 0, with the hall's names of pools and bots."""

    columns: Columns
    tables: tuple[Table, ...]
    """That have rows, sorted."""
    parts: tuple[Part, ...]
    """In order."""


def match_ids(parts: Iterable[Part], rows: Iterable[int]) -> dict[int, str]:
    """The match ids (24 hex digits) of some rows, by number of the row in `read_rows`."""
    return {row: match_id for _, ids in _located(parts, rows) for row, match_id in ids.items()}


def find_matches(hall: Path, rows: Iterable[int]) -> dict[int, tuple[MatchRecord, str | None]]:
    """The matches that some rows of the rated hall are of, with the keys of their deals and the hall's names of bots."""
    everything = rated_entries(hall)
    names = bot_names(everything)
    found: dict[int, tuple[MatchRecord, str | None]] = {}
    for entry, ids in _located(counted(everything), rows):
        records = parquet.find_matches(entry.folder, sorted(set(ids.values())))
        key = entry.manifest.key
        found |= {row: (_with_names(records[match_id], names), key) for row, match_id in ids.items()}
    return found


def locate_faults(hall: Path) -> list[FaultPlace]:
    """The faults in rows that count, in order, with the rows' numbers in `read_rows` and the hall's names of bots."""
    everything = rated_entries(hall)
    names, begin = bot_names(everything), 0
    found: list[FaultPlace] = []
    for part in counted(everything):
        called = {(bot.name, bot.version): names[_identity(bot)] for bot in part.entry.manifest.bots}
        for place in parquet.locate_faults(part.entry.folder):
            row = place.row if part.kept is None else int(np.searchsorted(part.kept, place.row))
            if part.kept is not None and (row == len(part.kept) or part.kept[row] != place.row):
                continue
            name = called.get((place.fault.bot, place.fault.bot_version), place.fault.bot)
            fault = msgspec.structs.replace(place.fault, bot=name)
            found.append(FaultPlace(fault, begin + row, place.folder))
        begin += part.rows
    return found


def _located(parts: Iterable[Part], rows: Iterable[int]) -> Iterator[tuple[Entry, dict[int, str]]]:
    """Where these rows are, with their match ids."""
    wanted, begin = sorted(set(rows)), 0
    for part in parts:
        own = [row - begin for row in wanted if begin <= row < begin + part.rows]
        stored = {row if part.kept is None else int(part.kept[row]): begin + row for row in own}
        if own:
            ids = parquet.read_match_ids(part.entry.folder, stored)
            yield part.entry, {stored[row]: match_id for row, match_id in ids.items()}
        begin += part.rows


def _with_names(record: MatchRecord, names: Mapping[tuple[str, int, str, str], str]) -> MatchRecord:
    seats = tuple(
        msgspec.structs.replace(seat, bot=names.get((seat.bot, seat.bot_version, seat.bot_sha256, seat.params), seat.bot))
        for seat in record.seats
    )
    return msgspec.structs.replace(record, seats=seats)


def add(hall: Path, folder: Path) -> Entry | None:
    """Add a finished tournament's folder; None when it is there already. Raises StoreError.

    The files are linked, not copied, where the file system can: they cost no space, and stay when the folder goes.
    """
    manifest = read_manifest(folder)
    if not manifest.finished or manifest.results_sha256 is None:
        raise StoreError(f"{folder}: not finished; only what is over enters the hall")
    start = _start(folder, manifest).astimezone(datetime.UTC)
    target = hall / HALL_ENTRIES / f"{start:%Y%m%dT%H%M%SZ}-{manifest.name}-{manifest.results_sha256[:DIGITS]}"
    if target.exists():
        return None
    check_place(hall)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=_NEW, dir=target.parent))
        try:
            temporary.chmod(0o755)
            for file in (MANIFEST, MATCHES.file, ACTIONS.file, RATINGS.file):  # what an audit reads
                _link(folder / file, temporary / file)
            if (folder / FAULTS.file).exists():  # what authors of bots read; older results have none
                _link(folder / FAULTS.file, temporary / FAULTS.file)
            _check(folder, manifest, temporary)
            _sync(temporary)
            try:
                temporary.rename(target)
            except OSError:
                if target.exists():  # somebody was faster with the same
                    return None
                raise
            _sync(target.parent)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    except OSError as error:
        raise StoreError(f"{target.parent}: cannot be written: {error.strerror}") from None
    return Entry(target, manifest)


def _check(folder: Path, manifest: Manifest, linked: Path) -> None:
    """Raise StoreError where the files are not of the tournament that the manifest tells of: a run may be writing there."""
    _, matches = parquet.check_matches(linked)
    if read_manifest(linked) != manifest or matches != manifest.played:
        raise StoreError(f"{folder}: {MANIFEST} tells of {manifest.played} matches, {MATCHES.file} has {matches}")


def check_place(hall: Path) -> None:
    """Raise StoreError where a tournament has the place of the hall: from before that name was taken."""
    if hall.exists() and not is_hall(hall) and any((hall / file).exists() for file in (MANIFEST, MATCHES.file)):
        raise StoreError(f"{hall}: a tournament of that name is where the hall has its place; rename its folder")


def is_rated(hall: Path) -> bool:
    """Whether the stored board is of just the tournaments that are there."""
    files = (MANIFEST, RATINGS.file, HISTORY.file, TOTALS.file)
    if not all((hall / file).is_file() for file in files):
        return False
    try:
        rated = read_manifest(hall).tournaments
    except StoreError:  # it can be written anew
        return False
    return rated == tuple(entry.folder.name for entry in entries(hall))


def entries(hall: Path) -> list[Entry]:
    """The tournaments in the hall, in order. Raises StoreError."""
    folders = [path.parent for path in (hall / HALL_ENTRIES).glob(f"*/{MANIFEST}") if not path.parent.name.startswith(_NEW)]
    return sorted((Entry(folder, read_manifest(folder)) for folder in folders), key=lambda entry: entry.order)


def rated_entries(hall: Path) -> list[Entry]:
    """Those that its stored board is of, in order: the same ones also while others are added. Raises StoreError."""
    folders = [hall / HALL_ENTRIES / name for name in read_manifest(hall).tournaments]
    return [Entry(folder, read_manifest(folder)) for folder in folders]


def read_rows(everything: Sequence[Entry], names: Sequence[str], *, since: datetime.datetime | None = None) -> HallRows:
    """Columns of the hall with these entries; at least those that pools, bots and deals follow from. Raises StoreError.

    `since`: only the entries that started then or later.
    """
    bots = bot_names(everything)  # of all, so that a name is the same in every selection
    parts = counted([entry for entry in everything if since is None or entry.started >= since])
    wanted = [column for column in MATCHES.columns if column.name in {*names, *_RAW}]
    arrays = _Arrays(wanted, sum(part.rows for part in parts))
    tables: set[Table] = set()
    deals: dict[str, list[slice]] = {}
    for part in parts:
        found = parquet.read_columns(part.entry.folder, [column.name for column in wanted])
        here = _entry_tables(found, match_starts(found))
        tables |= {here.tables[code] for code in np.unique(part.of(here.codes)).tolist()}
        changed = {"pool": Texts(tuple(table.pool for table in here.tables), here.codes), "bot": _renamed(found, part, bots)}
        added = arrays.add(part, found, changed)
        deals.setdefault(part.entry.manifest.commitment or part.entry.folder.name, []).append(added)
    _separate(arrays.arrays["deal"], deals.values())
    folder = everything[0].folder.parent if everything else Path(HALL_ENTRIES)
    return HallRows(arrays.columns(folder), tuple(sorted(tables)), parts)


def counted(chosen: Sequence[Entry]) -> tuple[Part, ...]:
    """What counts of each of these tournaments, which are in order. Raises StoreError."""
    return tuple(_part(entry, chosen[:number]) for number, entry in enumerate(chosen))


class _Arrays:
    """Columns that grow part by part, of their final size from the beginning."""

    def __init__(self, wanted: Sequence[Column], rows: int) -> None:
        self._numbers: dict[str, dict[str, int]] = {column.name: {} for column in wanted if column.kind is Kind.TEXT}
        self.arrays: dict[str, NDArray[Any]] = {
            column.name: np.empty(rows, np.int32 if column.kind is Kind.TEXT else column.kind.value) for column in wanted
        }
        self._rows = self._matches = 0

    def add(self, part: Part, columns: Columns, changed: Mapping[str, Texts]) -> slice:
        """Take in the rows that count; `changed`: texts that are not the stored ones. Returns where they are."""
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
        """All that was added."""
        return Columns(
            path,
            {name: array for name, array in self.arrays.items() if name not in self._numbers},
            {name: Texts(tuple(known), self.arrays[name]) for name, known in self._numbers.items()},
        )


def bot_names(chosen: Iterable[Entry]) -> dict[tuple[str, int, str, str], str]:
    """The hall's name of a bot by its name, version, content hash and parameters.

    Its own, where all of this name and version are the same; else with the first digits of its hash, and where that is not
    enough, with its parameters.
    """
    variants: dict[tuple[str, int], set[tuple[str, str]]] = {}
    for entry in chosen:
        for bot in entry.manifest.bots:
            variants.setdefault((bot.name, bot.version), set()).add((bot.sha256, bot.params))
    return {
        (name, version, sha256, params): _bot_name(name, sha256, params, known)
        for (name, version), known in variants.items()
        for sha256, params in known
    }


def hall_bots(chosen: Sequence[Entry]) -> tuple[BotEntry, ...]:
    """Everybody of these tournaments once, under the hall's names, sorted."""
    names = bot_names(chosen)
    found: dict[tuple[str, int], BotEntry] = {}
    for entry in chosen:
        for bot in entry.manifest.bots:
            name = names[_identity(bot)]
            known = found.get((name, bot.version), bot)
            played = tuple(sorted({*known.games, *bot.games}))
            found[name, bot.version] = msgspec.structs.replace(bot, name=name, games=played, retired=False)
    return tuple(found[key] for key in sorted(found))


@dataclass(frozen=True)
class _Tables:
    """The tables of one entry."""

    tables: tuple[Table, ...]
    codes: NDArray[np.int32]
    """[rows], places in `tables`."""


def _entry_tables(columns: Columns, starts: NDArray[np.int64]) -> _Tables:
    heads, seats = starts[:-1], np.diff(starts)
    game, options, rules = columns.texts["game"], columns.texts["options"], columns.numbers["rules_version"]
    shape = (len(game.values), 1 << 16, len(options.values), 1 << 16)
    keys = np.ravel_multi_index((game.codes[heads], seats, options.codes[heads], rules[heads].astype(np.uint16)), shape)
    different, codes = np.unique(keys, return_inverse=True)
    tables = tuple(
        Table(game.values[name], number, options.values[text], version)
        for name, number, text, version in zip(*(part.tolist() for part in np.unravel_index(different, shape)))
    )
    return _Tables(tables, np.repeat(codes.astype(np.int32), seats))


def _renamed(columns: Columns, part: Part, names: Mapping[tuple[str, int, str, str], str]) -> Texts:
    """The column of bots with the hall's names."""
    known = {(bot.name, bot.version): names[_identity(bot)] for bot in part.entry.manifest.bots}
    own, versions = columns.texts["bot"], columns.numbers["bot_version"]
    if not len(versions):
        return own
    if np.all(versions == versions[0]):  # the common case, without sorting the rows
        version = int(versions[0])
        return Texts(tuple(known.get((name, version), name) for name in own.values), own.codes)
    pairs, codes = np.unique(own.codes.astype(np.int64) << 32 | versions, return_inverse=True)
    keys = [(own.values[pair >> 32], pair & 0xFFFFFFFF) for pair in pairs.tolist()]
    return Texts(tuple(known.get(key, key[0]) for key in keys), codes.astype(np.int32))


def _part(entry: Entry, before: Sequence[Entry]) -> Part:
    """Which rows of an entry count: not those of matches that one before it has. Only with the same key it can."""
    stored, _ = parquet.check_matches(entry.folder)
    key = entry.manifest.commitment
    related = [other.folder for other in before if key and other.manifest.commitment == key]
    if not related:
        return Part(entry, stored, None)
    known = np.concatenate([parquet.read_all_match_ids(folder) for folder in related])
    return Part(entry, stored, np.flatnonzero(~np.isin(parquet.read_all_match_ids(entry.folder), known)))


def _separate(deals: NDArray[np.int32], groups: Iterable[Sequence[slice]]) -> None:
    """Give tournaments with keys of their own deals of their own numbers."""
    first = 0
    for parts in groups:
        last = max((int(deals[part].max()) for part in parts if part.stop > part.start), default=-1)
        if first + last > np.iinfo(np.int32).max:
            raise StoreError("the hall has more deals than can be numbered")
        for part in parts:
            deals[part] += first
        first += last + 1


def _bot_name(name: str, sha256: str, params: str, known: set[tuple[str, str]]) -> str:
    hashes = {other for other, _ in known}
    if len(hashes) > 1:
        digits = next(
            (count for count in range(LEAST_DIGITS, 64) if len({other[:count] for other in hashes}) == len(hashes)), 64
        )
        name = f"{name}@{sha256[:digits]}"
    return name + params if len([1 for other, _ in known if other == sha256]) > 1 else name


def _identity(bot: BotEntry) -> tuple[str, int, str, str]:
    return bot.name, bot.version, bot.sha256, bot.params


def _start(folder: Path, manifest: Manifest) -> datetime.datetime:
    try:
        start = datetime.datetime.fromisoformat(manifest.started)
    except ValueError:
        raise StoreError(f"{folder / MANIFEST}: damaged: started: {manifest.started!r} is no ISO 8601 time") from None
    return start if start.tzinfo is not None else start.replace(tzinfo=datetime.UTC)


def _text(value: object) -> str:
    return value if isinstance(value, str) else canonical_json(value)


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except FileNotFoundError:
        raise
    except OSError:  # another file system, or one without links
        shutil.copyfile(source, target)
        _sync(target)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
