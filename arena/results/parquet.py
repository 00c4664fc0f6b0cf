"""Results as Parquet: what is written and read, table by table (table_file.py: how one file is).

Matches are written and read a row group at a time: memory does not grow with the tournament.
"""

import contextlib
import itertools
import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from arena.disk import is_there
from arena.errors import NotStored, StoreError
from arena.names import in_words
from arena.records import HistoryPoint, MatchLuck, MatchRecord, Rating
from arena.results import schema
from arena.results.columns import SUMMED, Columns, sum_up
from arena.results.schema import (
    ACTIONS,
    FAULTS,
    HISTORY,
    LLM_CALLS,
    LUCK,
    MATCH_ID_BYTES,
    MATCHES,
    RATINGS,
    TOTALS,
    CostOf,
    FaultPlace,
    Row,
    SeatTotals,
    StoredCall,
    StoredFault,
)
from arena.results.table_file import TableReader, TableWriter, reading

MOST_SEATS = 127  # of a match: their numbers are stored as 8 bits
_DIFFERENT_RUNS = "the two files are of different runs"


def write_matches(
    folder: Path,
    records: Iterable[MatchRecord],
    tournament: str | None = None,
    *,
    cost_of: CostOf = lambda record, seat, call: None,
) -> None:
    """Write matches.parquet, actions.parquet and faults.parquet, and llm_calls.parquet where language models played.

    `records` in plan order; `tournament`: its name, by default the folder's; `cost_of`: what a call of a model cost.
    """
    name = folder.name if tournament is None else tournament
    with contextlib.ExitStack() as opened:
        rows, logs, faults = (opened.enter_context(TableWriter(folder, table)) for table in (MATCHES, ACTIONS, FAULTS))
        calls: TableWriter | None = None
        for record in records:
            if record.calls:
                calls = calls or opened.enter_context(TableWriter(folder, LLM_CALLS))
                calls.add(schema.call_rows(record, cost_of))
            rows.add(schema.match_rows(record, name))
            logs.add([schema.log_row(record)], len(record.actions) + len(record.delays))
            faults.add(schema.fault_rows(record))
        tables = (rows, logs, faults, *([calls] if calls is not None else []))
        for table in tables:
            table.finish()
        for table in tables:
            table.publish()


def write_ratings(folder: Path, ratings: Iterable[Rating]) -> None:
    """Write the ratings to ratings.parquet in a folder."""
    with TableWriter(folder, RATINGS) as rows:
        rows.add([schema.rating_row(rating) for rating in ratings])
        rows.finish()
        rows.publish()


def write_history(folder: Path, points: Iterable[HistoryPoint]) -> None:
    """Write the points of the ratings' history to history.parquet in a folder."""
    with TableWriter(folder, HISTORY) as rows:
        rows.add([msgspec.structs.asdict(point) for point in points])
        rows.finish()
        rows.publish()


def write_luck(folder: Path, lucks: Iterable[MatchLuck]) -> None:
    """Write luck.parquet: the luck of all matches, in plan order."""
    with TableWriter(folder, LUCK) as rows:
        for luck in lucks:
            rows.add(schema.luck_rows(luck))
        rows.finish()
        rows.publish()


def read_luck(folder: Path) -> Iterator[MatchLuck]:
    """The luck of all matches in plan order. Raises StoreError if it was not worked out, or is damaged."""
    reader = TableReader(folder, LUCK)
    for _, rows in itertools.groupby(reader.rows(), key=lambda row: row["index"]):
        yield _luck(reader.path, list(rows))


def read_luck_column(folder: Path, indices: NDArray[np.int32]) -> NDArray[np.float64]:
    """[rows]: the luck of each row of matches.parquet. `indices`: the plan index that each of those rows has.

    Raises StoreError if it was not worked out, is damaged, or is of other matches.
    """
    reader = TableReader(folder, LUCK)
    found = reader.columns([column for column in LUCK.columns if column.name in ("index", "luck")]).numbers
    if not np.array_equal(found["index"], indices):
        raise StoreError(f"{reader.path}: not the luck of these matches; work it out again")
    if not np.isfinite(found["luck"]).all():
        raise StoreError(f"{reader.path}: damaged: the luck of some match is not a number")
    luck: NDArray[np.float64] = found["luck"]
    return luck


def find_luck(folder: Path, match_id: str) -> MatchLuck | None:
    """The luck of one match; None if it was not worked out."""
    if not is_there(folder / LUCK.file):
        return None
    reader = TableReader(folder, LUCK)
    rows = reader.rows_of([_match_key(match_id)]).get(match_id.lower())
    return None if rows is None else _luck(reader.path, rows)


def _luck(path: Path, rows: list[Row]) -> MatchLuck:
    try:
        luck = schema.luck_from_rows(rows)
    except (ValueError, msgspec.ValidationError) as error:
        raise StoreError(f"{path}: damaged: {in_words(error)}") from None
    if not all(math.isfinite(number) for seat in luck.seats for number in (seat.luck, seat.dealt, seat.bounded)):
        raise StoreError(f"{path}: damaged: the luck of match {luck.match_id} is not a number")
    return luck


def read_history(folder: Path) -> list[HistoryPoint]:
    """All stored points of the ratings' history: pool by pool, in plan order."""
    reader = TableReader(folder, HISTORY)
    with reading(reader.path):
        return [msgspec.convert(row, HistoryPoint) for row in reader.rows()]


def read_matches(folder: Path, *, with_actions: bool = True) -> Iterator[MatchRecord]:
    """All stored matches in plan order; their notes are not stored. `with_actions=False`: without the logs, faster."""
    rows = TableReader(folder, MATCHES)
    logs = TableReader(folder, ACTIONS) if with_actions else None
    if logs is not None and (short := _counts_differ(rows, logs)):
        raise StoreError(f"{logs.path}: {short}; {_DIFFERENT_RUNS}")
    return _records(rows, logs)


def find_match(folder: Path, match_id: str) -> MatchRecord:
    """One match by its id (24 hex digits). Raises NotStored when it is not there."""
    key = match_id.lower()
    return find_matches(folder, [key])[key]


def find_matches(folder: Path, match_ids: Collection[str]) -> dict[str, MatchRecord]:
    """The matches with the given ids (24 hex digits); of other rows only ids are read. Raises NotStored if one is missing."""
    reader = TableReader(folder, MATCHES)
    keys = [_match_key(match_id) for match_id in match_ids]
    rows, logs = reader.rows_of(keys), TableReader(folder, ACTIONS).rows_of(keys)
    for match_id in match_ids:
        if match_id not in rows:
            raise NotStored(f"{reader.path}: no match {match_id}")
        if match_id not in logs:
            raise StoreError(f"{folder / ACTIONS.file}: no actions of match {match_id}; {_DIFFERENT_RUNS}")
    return {match_id: _record(reader.path, rows[match_id], logs[match_id][0]) for match_id in match_ids}


def _match_key(match_id: str) -> bytes:
    try:
        key = bytes.fromhex(match_id)
    except ValueError:
        key = b""
    if len(key) != MATCH_ID_BYTES:
        raise StoreError(f"{match_id!r} is not a match id: it has {2 * MATCH_ID_BYTES} hex digits")
    return key


def read_ratings(folder: Path) -> list[Rating]:
    """All stored ratings: pool by pool, best first."""
    reader = TableReader(folder, RATINGS)
    with reading(reader.path):
        ratings = [schema.rating_from_row(row) for row in reader.rows()]
    for rating in ratings:
        if not all(map(math.isfinite, (rating.mu, rating.sigma, rating.rating, rating.low, rating.high, rating.mean_place))):
            raise StoreError(
                f"{reader.path}: the rating of {rating.bot} in {rating.pool} is not a number, as arena once wrote where it ran "
                f"out of digits; the matches are whole: `arena rerate {folder.name}` rates them again"
            )
    return ratings


def write_totals(folder: Path, found: Iterable[SeatTotals] | None = None) -> None:
    """Write totals.parquet, by default from matches.parquet, so that a board need not read all rows."""
    found = _add_up(folder) if found is None else found
    with TableWriter(folder, TOTALS) as rows:
        rows.add([msgspec.to_builtins(total) for total in found])
        rows.finish()
        rows.publish()


def read_faults(folder: Path) -> list[StoredFault]:
    """All faults of bots, in plan order; empty for results of a version that kept none."""
    if not is_there(folder / FAULTS.file):
        return []
    reader = TableReader(folder, FAULTS)
    with reading(reader.path):
        return [msgspec.convert(row, StoredFault) for row in reader.rows()]


def read_calls(folder: Path) -> list[StoredCall]:
    """All calls of language models, in plan order; none where no model played. Raises StoreError."""
    if not is_there(folder / LLM_CALLS.file):
        return []
    reader = TableReader(folder, LLM_CALLS)
    with reading(reader.path):
        return [msgspec.convert(row, StoredCall) for row in reader.rows()]


def find_calls(folder: Path, match_id: str) -> list[StoredCall]:
    """The calls of language models in one match, in order; none where no model played. Raises StoreError."""
    if not is_there(folder / LLM_CALLS.file):
        return []
    reader = TableReader(folder, LLM_CALLS)
    with reading(reader.path):
        rows = reader.rows_of([_match_key(match_id)]).get(match_id.lower(), [])
        return [msgspec.convert(row, StoredCall) for row in rows]


def locate_faults(folder: Path) -> list[FaultPlace]:
    """All faults of bots, in plan order, each with the number of its row in `read_columns`."""
    faults = read_faults(folder)
    if not faults:
        return []
    indices = read_columns(folder, ("index",)).numbers["index"]
    first = np.searchsorted(indices, [fault.index for fault in faults]).tolist()
    return [FaultPlace(fault, row + fault.seat, folder) for fault, row in zip(faults, first)]


def read_totals(folder: Path) -> list[SeatTotals]:
    """Decisions, CPU time and endings per pool and bot, from totals.parquet or, if there is none, from the rows."""
    if not (folder / TOTALS.file).exists():
        return _add_up(folder)
    reader = TableReader(folder, TOTALS)
    with reading(reader.path):
        return [msgspec.convert(row, SeatTotals) for row in reader.rows()]


def _add_up(folder: Path) -> list[SeatTotals]:
    columns = read_columns(folder, SUMMED)
    with reading(columns.path):
        return sum_up(columns)


def read_columns(folder: Path, names: Sequence[str]) -> Columns:
    """Columns of matches.parquet as arrays of all rows: numbers and texts that are never null."""
    return TableReader(folder, MATCHES).columns([column for column in MATCHES.columns if column.name in names])


def check_matches(folder: Path) -> tuple[int, int]:
    """The numbers of rows and matches. Raises StoreError if a file is not ours or the two do not belong together."""
    rows, logs = TableReader(folder, MATCHES), TableReader(folder, ACTIONS)
    if short := _counts_differ(rows, logs):
        raise StoreError(f"{logs.path}: {short}; {_DIFFERENT_RUNS}")
    return rows.rows_stored, logs.rows_stored


def read_all_match_ids(folder: Path) -> NDArray[np.bytes_]:
    """[rows]: the match id of every row, 12 bytes each."""
    return TableReader(folder, MATCHES).all_match_ids()


def ids_between(folder: Path, low: str, high: str) -> list[str]:
    """The ids of stored matches from `low` to `high`, which count."""
    ids = read_all_match_ids(folder)
    found = np.unique(ids[(ids >= bytes.fromhex(low)) & (ids <= bytes.fromhex(high))]).tolist()
    return [bytes(match_id).ljust(MATCH_ID_BYTES, b"\0").hex() for match_id in found]  # numpy drops zeros at the end


def read_match_ids(folder: Path, rows: Iterable[int]) -> dict[int, str]:
    """The match ids (24 hex digits) of some rows of matches.parquet, by row number."""
    return TableReader(folder, MATCHES).match_ids(sorted(set(rows)))


def unknown_columns(folder: Path) -> dict[str, tuple[str, ...]]:
    """Columns that this version ignores because a newer one wrote them, by file, of the matches and actions."""
    found = {table.file: TableReader(folder, table).unknown for table in (MATCHES, ACTIONS)}
    return {file: names for file, names in found.items() if names}


def _counts_differ(rows: TableReader, logs: TableReader) -> str:
    """Why the number of logs cannot belong to the number of rows, or nothing."""
    if logs.rows_stored <= rows.rows_stored and bool(logs.rows_stored) == bool(rows.rows_stored):
        return ""
    return f"{logs.rows_stored} action logs beside {rows.rows_stored} rows of {rows.path.name}"


def _records(rows: TableReader, logs: TableReader | None) -> Iterator[MatchRecord]:
    matches = itertools.groupby(rows.rows(), key=lambda row: row["index"])
    log_rows = logs.rows() if logs is not None else None
    last = -1
    for index, seats in matches:
        if index <= last:
            raise StoreError(f"{rows.path}: damaged: match {index} after match {last}")
        last = index
        rows_of_match = list(itertools.islice(seats, MOST_SEATS + 1))
        if len(rows_of_match) > MOST_SEATS:
            raise StoreError(f"{rows.path}: damaged: match {index} has more than {MOST_SEATS} rows")
        log = next(log_rows, None) if log_rows is not None else None
        if logs is not None and log is None:
            raise StoreError(f"{logs.path}: no actions of match {index}; {_DIFFERENT_RUNS}")
        yield _record(rows.path, rows_of_match, log)
    if logs is not None and log_rows is not None and next(log_rows, None) is not None:
        raise StoreError(f"{logs.path}: more matches than {rows.path.name}; {_DIFFERENT_RUNS}")


def _record(path: Path, rows: list[Row], log: Row | None) -> MatchRecord:
    try:
        return schema.record_from_rows(rows, log)
    except (ValueError, msgspec.ValidationError) as error:
        raise StoreError(f"{path}: damaged: {in_words(error)}") from None
