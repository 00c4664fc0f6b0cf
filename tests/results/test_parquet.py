"""Results on disk: what was written comes back, one step at a time, and a bad file is named."""

import math
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from msgspec.structs import asdict, replace

from arena.errors import StoreError
from arena.records import Ending, FaultRecord, MatchRecord
from arena.results import parquet, table_file
from arena.results.hashing import ResultsHash, canonical_bytes
from arena.results.schema import SeatTotals
from helpers.records import VARIED, make_rating, make_record, make_seat, make_void, numbered, sha256
from lab.rows import write_rows

TYPES = {
    "index": "int64", "match_id": "fixed_size_binary[12]", "tournament": "string", "game": "string", "pool": "string",
    "options": "string", "rules_version": "int16", "deal": "int32", "rotation": "int8", "seat": "int8", "unit": "int8",
    "bot": "string", "bot_version": "int32", "bot_sha256": "string", "params": "string", "place": "int8", "score":
    "float",
    "ending": "string", "fault_decision": "int32", "decisions": "int32", "attempts": "int8", "ended": "int64",
    "isolation": "string", "reproducible": "bool", "cpu_ms_total": "float", "cpu_ms_p50": "float", "cpu_ms_max": "float",
    "wall_ms_total":
    "float",
    "asks_outside":
    "bool",
}  # fmt: skip


def many(count: int) -> list[MatchRecord]:
    source = random.Random(5)
    return numbered([replace(source.choice(VARIED), actions=tuple(source.choices(range(1 << 50), k=9))) for _ in range(count)])


def test_matches_come_back(tmp_path: Path) -> None:
    records = numbered(VARIED)
    parquet.write_matches(tmp_path, records)
    assert list(parquet.read_matches(tmp_path)) == records
    assert [record.actions for record in parquet.read_matches(tmp_path, with_actions=False)] == [()] * len(records)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["actions.parquet", "faults.parquet", "matches.parquet"]


def test_faults_come_back_with_whose_they_are(tmp_path: Path) -> None:
    fault = FaultRecord(seat=1, decision=4, ending=Ending.CRASH, reason="why", output="the end", exit="exit code 3")
    played, failed = numbered([VARIED[0], replace(VARIED[0], faults=(fault, replace(fault, seat=0, decision=-1)))])
    parquet.write_matches(tmp_path, [played, failed])
    late, early = parquet.read_faults(tmp_path)
    assert {name: getattr(late, name) for name in FaultRecord.__struct_fields__} == asdict(fault)
    assert (late.index, late.match_id, late.bot) == (1, failed.match_id, failed.seats[1].bot)
    assert (early.bot, early.decision, early.ending) == (failed.seats[0].bot, -1, Ending.CRASH)
    assert canonical_bytes(failed) == canonical_bytes(replace(failed, faults=()))
    (tmp_path / "faults.parquet").unlink()
    assert parquet.read_faults(tmp_path) == []


@pytest.mark.parametrize("moment", ["__init__", "write_batch", "close"])
def test_ctrl_c_while_it_is_written_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str) -> None:
    whole = getattr(pq.ParquetWriter, moment)

    def interrupted(*arguments: object, **named: object) -> None:
        monkeypatch.setattr(pq.ParquetWriter, moment, whole)
        if moment != "__init__":
            whole(*arguments, **named)
        raise KeyboardInterrupt

    monkeypatch.setattr(pq.ParquetWriter, moment, interrupted)
    with pytest.raises(KeyboardInterrupt):
        parquet.write_matches(tmp_path, numbered(VARIED))
    assert list(tmp_path.iterdir()) == []


def test_matches_come_back_over_many_row_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_file, "GROUP_ROWS", 50)
    monkeypatch.setattr(table_file, "GROUP_VALUES", 300)
    records = many(400)
    parquet.write_matches(tmp_path, iter(records))
    assert pq.ParquetFile(tmp_path / "matches.parquet").num_row_groups > 10
    assert pq.ParquetFile(tmp_path / "actions.parquet").num_row_groups > 10
    assert list(parquet.read_matches(tmp_path)) == records
    for record in (records[0], records[123], records[-1]):
        assert parquet.find_match(tmp_path, record.match_id) == record


def test_the_stored_file_gives_the_hash_again(tmp_path: Path) -> None:
    records = numbered([make_record(seats=(make_seat(score=1 / 3), make_seat("bob", 2, score=-0.0)))] * 3)
    before, after = ResultsHash(), ResultsHash()
    parquet.write_matches(tmp_path, records)
    for record in records:
        before.add(record)
    for record in parquet.read_matches(tmp_path):
        after.add(record)
    assert after.results_sha256 == before.results_sha256


def test_types_and_coding_are_those_of_the_formats(tmp_path: Path) -> None:
    folder = tmp_path / "cup"
    folder.mkdir()
    parquet.write_matches(folder, [make_record()])
    stored = pq.ParquetFile(folder / "matches.parquet")
    assert {field.name: str(field.type) for field in stored.schema_arrow} == TYPES
    assert [field.name for field in stored.schema_arrow if field.nullable] == ["fault_decision"]
    group = stored.metadata.row_group(0)
    for number, (name, kind) in enumerate(TYPES.items()):
        column = group.column(number)
        assert column.compression == "ZSTD"
        assert ("RLE_DICTIONARY" in column.encodings) == (kind == "string"), name
    logs = pq.read_table(folder / "actions.parquet")
    assert [str(field.type.value_type) for field in logs.schema if field.name != "match_id"] == ["int64", "int32"]
    assert pq.read_table(folder / "matches.parquet").column("tournament").to_pylist() == ["cup", "cup"]
    assert stored.schema_arrow.metadata[b"arena.format_version"] == b"1"


def test_void_matches_are_stored(tmp_path: Path) -> None:
    parquet.write_matches(tmp_path, [make_void(3)])
    (record,) = parquet.read_matches(tmp_path)
    assert record.is_void
    assert [(seat.ending, seat.place) for seat in record.seats] == [(Ending.HOST, 0)] * 2


def test_no_matches_are_a_file_too(tmp_path: Path) -> None:
    parquet.write_matches(tmp_path, [])
    parquet.write_ratings(tmp_path, [])
    assert list(parquet.read_matches(tmp_path)) == []
    assert parquet.read_ratings(tmp_path) == []
    assert parquet.read_totals(tmp_path) == []


def test_ratings_come_back_in_order(tmp_path: Path) -> None:
    ratings = [make_rating("naga", 2), make_rating("naga", 1), make_rating("overall", None)]
    parquet.write_ratings(tmp_path, ratings)
    assert parquet.read_ratings(tmp_path) == ratings


def test_totals_are_sums_over_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_file, "GROUP_ROWS", 2)
    crashed = make_record(seats=(make_seat(place=2, ending=Ending.CRASH), make_seat("bob", 1)))
    parquet.write_matches(tmp_path, numbered([make_record(), make_record(), crashed]))
    assert parquet.read_totals(tmp_path) == [
        SeatTotals("naga", "alice", 1, Ending.CRASH, 1, 3, 1.5, 0.5, 0.75),
        SeatTotals("naga", "alice", 1, Ending.PLAYED, 2, 6, 3.0, 0.5, 0.75),
        SeatTotals("naga", "bob", 1, Ending.PLAYED, 3, 9, 4.5, 0.5, 0.75),
    ]


def test_totals_know_the_median_and_the_worst_decision(tmp_path: Path) -> None:
    times = [(3.0, 4.0, 5), (1.0, 9.0, 5), (2.0, 2.5, 5), (0.0, 0.0, 0)]  # median and slowest; the last never decided
    seats = [make_seat(cpu_ms_p50=middle, cpu_ms_max=most, decisions=count) for middle, most, count in times]
    records = numbered([make_record(seats=(seat, make_seat("bob", 2, cpu_ms_p50=7.0))) for seat in seats])
    parquet.write_matches(tmp_path, records)
    before = parquet.read_totals(tmp_path)
    assert [(total.bot, total.cpu_ms_median, total.cpu_ms_worst) for total in before] == [
        ("alice", 2.0, 9.0),
        ("bob", 7.0, 0.75),
    ]
    parquet.write_totals(tmp_path)
    (tmp_path / "matches.parquet").unlink()
    assert parquet.read_totals(tmp_path) == before


def test_a_match_that_is_not_there(tmp_path: Path) -> None:
    parquet.write_matches(tmp_path, [make_record()])
    with pytest.raises(StoreError, match=r"matches\.parquet: no match ffffffffffffffffffffffff"):
        parquet.find_match(tmp_path, "f" * 24)
    for wrong in ("", "abc", "x" * 24, "ab" * 13):
        with pytest.raises(StoreError, match="24 hex digits"):
            parquet.find_match(tmp_path, wrong)


def test_an_interrupted_write_keeps_the_old_file(tmp_path: Path) -> None:
    def breaking() -> Iterator[MatchRecord]:
        yield make_record(0)
        raise KeyboardInterrupt

    old = [make_record(7)]
    parquet.write_matches(tmp_path, old)
    with pytest.raises(KeyboardInterrupt):
        parquet.write_matches(tmp_path, breaking())
    assert list(parquet.read_matches(tmp_path)) == old
    assert sorted(path.name for path in tmp_path.iterdir()) == ["actions.parquet", "faults.parquet", "matches.parquet"]


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"gone/matches\.parquet: cannot be written: No such file"):
        parquet.write_matches(tmp_path / "gone", [])


@pytest.mark.parametrize("read", [parquet.read_matches, parquet.read_ratings, parquet.read_totals])
def test_a_missing_file_is_named(tmp_path: Path, read: Callable[[Path], object]) -> None:
    with pytest.raises(StoreError, match=r"\.parquet: no such file"):
        read(tmp_path)


@pytest.mark.parametrize("content", [b"", b"PAR1", b"no Parquet at all", b"PAR1" + bytes(100) + b"PAR1"])
def test_a_file_of_another_kind_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "ratings.parquet").write_bytes(content)
    with pytest.raises(StoreError, match=r"ratings\.parquet: damaged or not a Parquet file"):
        parquet.read_ratings(tmp_path)


def rewritten(path: Path, change: Callable[[pa.Table], pa.Table]) -> None:
    pq.write_table(change(pq.read_table(path)), path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda table: table.replace_schema_metadata(None), "not a results file of arena"),
        (
            lambda table: table.replace_schema_metadata({"arena.format_version": "2"}),
            "format version 2; this version of arena reads 1",
        ),
        (lambda table: table.drop_columns(["sigma", "wins"]), "no column sigma, wins"),
        (
            lambda table: table.set_column(4, "mu", pa.array([1], pa.int64())),
            "column mu is int64, not double",
        ),
    ],
)
def test_a_foreign_file_is_refused(tmp_path: Path, change: Callable[[pa.Table], pa.Table], message: str) -> None:
    parquet.write_ratings(tmp_path, [make_rating()])
    rewritten(tmp_path / "ratings.parquet", change)
    with pytest.raises(StoreError, match=message) as caught:
        parquet.read_ratings(tmp_path)
    assert str(tmp_path / "ratings.parquet") in str(caught.value)


def test_more_columns_do_no_harm(tmp_path: Path) -> None:
    parquet.write_ratings(tmp_path, [make_rating()])
    rewritten(tmp_path / "ratings.parquet", lambda table: table.append_column("colour", pa.array(["red"])))
    assert parquet.read_ratings(tmp_path) == [make_rating()]


@pytest.mark.parametrize("file", ["matches.parquet", "actions.parquet"])
def test_a_flipped_bit_is_noticed(tmp_path: Path, file: str) -> None:
    records = many(30)
    parquet.write_matches(tmp_path, records)
    path = tmp_path / file
    whole, source, noticed = path.read_bytes(), random.Random(11), 0
    for _ in range(60):
        damaged = bytearray(whole)
        damaged[source.randrange(len(whole))] ^= 1 << source.randrange(8)
        path.write_bytes(damaged)
        try:
            found = list(parquet.read_matches(tmp_path))
        except StoreError as error:
            noticed += 1
            assert str(tmp_path) in str(error)
        else:  # a bit that does not matter, such as a statistic, or one of the few outside the pages' checksums
            assert found == records or sha256(*found) != sha256(*records)
    assert noticed > 30


def test_a_truncated_file_is_noticed(tmp_path: Path) -> None:
    parquet.write_matches(tmp_path, many(30))
    path = tmp_path / "actions.parquet"
    path.write_bytes(path.read_bytes()[:-50])
    with pytest.raises(StoreError, match=r"actions\.parquet: damaged"):
        list(parquet.read_matches(tmp_path))


def test_files_of_different_runs_are_noticed(tmp_path: Path) -> None:
    records = many(3)
    parquet.write_matches(tmp_path, records)
    logs = (tmp_path / "actions.parquet").read_bytes()
    for others in (records[:2], [*records, replace(records[0], index=9, match_id="f" * 24)], [], records[1:]):
        parquet.write_matches(tmp_path, others)
        (tmp_path / "actions.parquet").write_bytes(logs)
        with pytest.raises(StoreError, match=r"different runs|beside the log"):
            list(parquet.read_matches(tmp_path))


def test_an_unknown_ending_is_named(tmp_path: Path) -> None:
    parquet.write_matches(tmp_path, [make_record()])
    ending = pa.array(["abducted"] * 2)
    rewritten(tmp_path / "matches.parquet", lambda table: table.set_column(17, "ending", ending))
    with pytest.raises(StoreError, match=r"matches\.parquet: damaged: .*'abducted'"):
        list(parquet.read_matches(tmp_path))
    with pytest.raises(StoreError, match=r"matches\.parquet: .*'abducted'"):
        parquet.read_totals(tmp_path)


def test_times_are_stored_to_two_thousandths(tmp_path: Path) -> None:
    source = random.Random(3)
    times = [source.lognormvariate(0.0, 6.0) for _ in range(2000)]
    seats = [
        make_seat("alice", 1, cpu_ms_total=time, cpu_ms_p50=time / 7, cpu_ms_max=time / 3, wall_ms_total=1.1 * time, score=time)
        for time in times
    ]
    parquet.write_matches(tmp_path, numbered([make_record(0, (seat,)) for seat in seats]))
    stored = [record.seats[0] for record in parquet.read_matches(tmp_path)]
    for name in ("cpu_ms_total", "cpu_ms_p50", "cpu_ms_max", "wall_ms_total"):
        assert [getattr(seat, name) for seat in stored] == pytest.approx([getattr(seat, name) for seat in seats], rel=0.002)
        assert all((getattr(seat, name) / 2 ** (math.frexp(getattr(seat, name))[1] - 9)).is_integer() for seat in stored)
    assert [seat.score for seat in stored] == pytest.approx(times, rel=1e-7)


def test_rounded_times_are_small(tmp_path: Path) -> None:
    write_rows(tmp_path, 4000)
    assert (tmp_path / "matches.parquet").stat().st_size <= 14 * 4000 * 4
    records = list(parquet.read_matches(tmp_path))
    assert len(records) == 4000 and {record.pool for record in records} == {f"pool_{number}" for number in range(5)}
    assert {tuple(seat.bot for seat in record.seats) for record in records[:4]} == {
        tuple(seat.bot for seat in records[0].seats[turn:] + records[0].seats[:turn]) for turn in range(4)
    }
