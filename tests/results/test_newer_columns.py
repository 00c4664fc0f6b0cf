"""A column that was added to a stored table: older files read its default, and the hash of older results stays the same."""

from pathlib import Path

import numpy as np
import pytest

from arena.errors import StoreError
from arena.records import HistoryPoint, MatchRecord, Rating, SeatRecord, canonical_json
from arena.results import parquet, schema
from arena.results.hashing import canonical_bytes, hashed_values
from arena.results.schema import ACTIONS, FAULTS, HISTORY, MATCHES, RATINGS, TOTALS, Column, Kind, StoredFault
from arena.results.table_file import TableReader
from helpers.newer_columns import FRIEND, LONGER, MOOD, PAUSES, with_more, write_longer
from helpers.records import make_record, numbered

TABLES = (MATCHES, ACTIONS, RATINGS, HISTORY, FAULTS, TOTALS)
RECORDS = (MatchRecord, SeatRecord, Rating, HistoryPoint, StoredFault, schema.SeatTotals)


def test_rows_of_an_older_file_have_the_defaults(tmp_path: Path) -> None:
    records = numbered([make_record() for _ in range(3)])
    parquet.write_matches(tmp_path, records)
    rows = list(TableReader(tmp_path, LONGER).rows())
    assert [row["bot"] for row in rows] == [seat.bot for record in records for seat in record.seats]
    assert {(row["mood"], row["energy"], row["pauses"], row["friend"]) for row in rows} == {("calm", 0.1, -1, None)}
    found = TableReader(tmp_path, LONGER).rows_of([bytes.fromhex(records[1].match_id)])
    assert [row["mood"] for row in found[records[1].match_id]] == ["calm", "calm"]


def test_columns_of_an_older_file_have_the_defaults(tmp_path: Path) -> None:
    parquet.write_matches(tmp_path, numbered([make_record() for _ in range(3)]))
    found = TableReader(tmp_path, LONGER).columns([MOOD, PAUSES, MATCHES.columns[0]])
    assert found.texts["mood"].values == ("calm",) and found.texts["mood"].codes.tolist() == [0] * 6
    assert found.numbers["pauses"].tolist() == [-1] * 6 and found.numbers["pauses"].dtype == np.int32
    assert found.numbers["index"].tolist() == [0, 0, 1, 1, 2, 2]
    alone = TableReader(tmp_path, LONGER).columns([MOOD])
    assert alone.texts["mood"].codes.tolist() == [0] * 6
    with pytest.raises(StoreError, match="empty fields"):  # columns as arrays are never null
        TableReader(tmp_path, LONGER).columns([FRIEND])


def test_a_newer_file_has_what_was_written(tmp_path: Path) -> None:
    write_longer(tmp_path, numbered([make_record() for _ in range(3)]), mood="merry", energy=2.5, pauses=7, friend="bob")
    rows = list(TableReader(tmp_path, LONGER).rows())
    assert {(row["mood"], row["energy"], row["pauses"], row["friend"]) for row in rows} == {("merry", 2.5, 7, "bob")}
    assert TableReader(tmp_path, LONGER).columns([MOOD]).texts["mood"].values == ("merry",)


def test_a_column_without_a_default_must_be_there(tmp_path: Path) -> None:
    parquet.write_matches(tmp_path, numbered([make_record() for _ in range(3)]))
    with pytest.raises(StoreError, match="no column luck"):
        TableReader(tmp_path, with_more(MATCHES, Column("luck", Kind.INT8, "new, and no default")))


def test_older_rows_keep_their_hash() -> None:
    """A column with its default says nothing that the older row did not say."""
    record = make_record()
    for row in schema.match_rows(record, ""):
        longer = row | {"mood": "calm", "energy": 0.1, "pauses": 5, "friend": None}
        assert hashed_values(LONGER, longer) == hashed_values(MATCHES, row)
        as_read = longer | {"energy": float(np.float32(0.1))}  # from the file
        assert hashed_values(LONGER, as_read) == hashed_values(MATCHES, row)
        assert hashed_values(LONGER, longer | {"mood": "merry"}) == hashed_values(MATCHES, row) | {"mood": "merry"}
        assert hashed_values(LONGER, longer | {"friend": "bob"}) == hashed_values(MATCHES, row) | {"friend": "bob"}
    lines = [hashed_values(MATCHES, row) for row in schema.match_rows(record, "")]
    assert canonical_bytes(record).decode().splitlines()[:2] == [canonical_json(line) for line in lines]


def test_a_column_that_this_version_does_not_know_is_ignored_and_told(tmp_path: Path) -> None:
    records = numbered([make_record() for _ in range(3)])
    write_longer(tmp_path, records, mood="merry", energy=2.5, pauses=7, friend=None)
    assert list(parquet.read_matches(tmp_path)) == records
    assert parquet.read_columns(tmp_path, ("mood", "seat")).numbers["seat"].tolist() == [0, 1] * 3
    assert parquet.unknown_columns(tmp_path) == {"matches.parquet": ("mood", "energy", "pauses", "friend")}
    parquet.write_matches(tmp_path, records)
    assert parquet.unknown_columns(tmp_path) == {}


def test_a_default_says_what_it_means_and_is_that_of_the_record() -> None:
    """Older journals hold records, whose missing fields have the record's defaults."""
    for table in TABLES:
        for column in table.columns:
            assert column.default is None or column.default.meaning
            for record in RECORDS:
                if column.default is not None and column.name in record.__struct_fields__:
                    later = dict(zip(record.__struct_fields__[::-1], record.__struct_defaults__[::-1]))
                    assert later[column.name] == column.default.value, f"{record.__name__}.{column.name}"
