"""Tables, rows and back, and what the results hash covers: docs/formats.md, "The folder of a tournament"."""

import hashlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.records import Ending, MatchRecord, Rating, SeatRecord, canonical_json
from arena.results.hashing import ResultsHash, canonical_bytes, is_reproducible
from arena.results.schema import ACTIONS, MATCHES, RATINGS, log_row, match_rows, rating_from_row, rating_row, record_from_rows
from helpers.records import VARIED, make_record, make_seat, make_void, sha256


def test_columns_are_those_of_the_formats() -> None:
    """Those of matches.parquet are held to docs/results.md in tests/docs/test_data_page.py."""
    assert [column.name for column in ACTIONS.columns] == ["match_id", "actions", "delays"]
    assert tuple(column.name for column in RATINGS.columns) == Rating.__struct_fields__


def test_every_field_of_a_record_has_its_column() -> None:
    columns = {column.name for table in (MATCHES, ACTIONS) for column in table.columns}
    assert {*MatchRecord.__struct_fields__, *SeatRecord.__struct_fields__} - columns == {"seats", "notes", "faults", "calls"}
    assert columns - {*MatchRecord.__struct_fields__, *SeatRecord.__struct_fields__} == {"seat", "tournament"}


@pytest.mark.parametrize("record", VARIED)
def test_rows_give_the_record_back(record: MatchRecord) -> None:
    rows = match_rows(record, "cup")
    assert all(list(row.keys() ^ {column.name for column in MATCHES.columns}) == [] for row in rows)
    assert record_from_rows(rows, log_row(record)) == record
    assert record_from_rows(rows) == replace(record, actions=(), delays=())


def test_a_rating_comes_back() -> None:
    rating = Rating(
        model="trueskill", pool="naga", bot="alice", bot_version=1, mu=25.5, sigma=1.25, rating=21.75, low=23.05,
        high=27.95,
        rank=None, rank_low=None, rank_high=None, matches=7, wins=3, mean_place=1.5, faults=1,
    )  # fmt: skip
    assert rating_from_row(rating_row(rating)) == rating


def test_rows_that_do_not_belong_together_are_refused() -> None:
    first, second = make_record(0), make_record(1)
    with pytest.raises(ValueError, match="beside the log"):
        record_from_rows(match_rows(first, ""), log_row(second))
    with pytest.raises(ValueError, match="each seat once"):
        record_from_rows([match_rows(first, "")[0], match_rows(second, "")[1]])
    with pytest.raises(ValueError, match="each seat once"):
        record_from_rows(match_rows(first, "")[1:])


def changed(value: Any) -> Any:
    """Another value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, Ending):
        return Ending.TIMEOUT
    if isinstance(value, str):
        return value[:-1] + ("0" if value[-1:] != "0" else "1")
    if isinstance(value, tuple):
        return (*value, 1)
    return 1 if value is None else value + 1


@pytest.mark.parametrize("column", [column for table in (MATCHES, ACTIONS) for column in table.columns], ids=lambda c: c.name)
def test_the_hash_covers_what_is_hashed_and_nothing_else(column: Any) -> None:
    """Which columns are hashed is held to docs/results.md in tests/docs/test_data_page.py."""
    record = make_record()
    if column.name in ("tournament", "seat"):  # not in the record: the run's name, and the order of the seats
        return
    if column.name in SeatRecord.__struct_fields__:
        seat = replace(record.seats[1], **{column.name: changed(getattr(record.seats[1], column.name))})
        other = replace(record, seats=(record.seats[0], seat))
    else:
        other = replace(record, **{column.name: changed(getattr(record, column.name))})
    assert other != record
    assert (sha256(other) != sha256(record)) == column.hashed


def test_the_hash_covers_the_order_of_seats_and_not_the_notes() -> None:
    record = make_record()
    assert sha256(replace(record, seats=record.seats[::-1])) != sha256(record)
    assert sha256(replace(record, notes=("seat 0 alice crash at 3: division by zero",))) == sha256(record)


def test_canonical_bytes_are_as_documented() -> None:
    record = make_record(seats=(make_seat(score=0.1, ending=Ending.TIMEOUT, fault_decision=2),), actions=(1, 2), delays=(0, 3))
    row, log = canonical_bytes(record).decode().splitlines()
    assert row == (
        '{"bot":"alice","bot_sha256":"2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90","bot_version":1,"deal":0,'
        '"decisions":3,"ending":"timeout","fault_decision":2,"game":"naga","index":0,"match_id":"5feceb66ffc86f38d952786c",'
        '"options":"{\\"series\\":\\"first_to:3\\"}","params":"{}","place":1,"pool":"naga","rotation":0,"rules_version":2,'
        '"score":0.10000000149011612,"seat":0,"unit":0}'
    )
    assert log == '{"actions":[1,2],"delays":[0,3],"match_id":"5feceb66ffc86f38d952786c"}'


def test_the_hash_has_not_changed() -> None:
    """Golden: a new value here makes all published hashes wrong, and needs a new format version."""
    records = [replace(record, index=index) for index, record in enumerate(VARIED)]
    assert sha256(*records) == "bb14456fc35c495a8882859bad1aa8fabb97086e0cb8df18022dd71951c53cde"
    assert sha256() == hashlib.sha256().hexdigest()


def test_the_reproducible_hash_leaves_out_what_hit_a_clock_or_was_void() -> None:
    slow = make_record(1, (make_seat(reproducible=False), make_seat("bob", 2)))
    everything, some = ResultsHash(), ResultsHash()
    for record in (make_record(0), slow, make_void(2), make_record(3)):
        everything.add(record)
    for record in (make_record(0), make_record(3)):
        some.add(record)
    assert everything.reproducible_sha256 == some.reproducible_sha256 == some.results_sha256
    assert everything.results_sha256 != everything.reproducible_sha256
    assert not is_reproducible(make_void())


def test_only_plan_order_is_hashed() -> None:
    results = ResultsHash()
    results.add(make_record(4))
    with pytest.raises(ValueError, match="not in plan order"):
        results.add(make_record(4))


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_a_score_counts_as_it_is_stored(score: float) -> None:
    text = canonical_bytes(make_record(seats=(make_seat(score=score),))).decode()
    assert f'"score":{canonical_json(score + 0.0)},' in text
