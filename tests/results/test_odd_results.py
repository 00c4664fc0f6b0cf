"""Results that are damaged, foreign, empty or without any contrast: a clear message or a board, never a traceback."""

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from msgspec.structs import replace

from arena.cli.main import USER_ERROR, main
from arena.records import MatchRecord
from arena.results import parquet
from helpers.records import make_rating, make_record, make_seat
from helpers.results import write_results

RERATE = ("rerate", "cup")
BOARD = ("leaderboard", "cup")
PAIRS = (*BOARD, "--head-to-head")
EXPLAIN = (*BOARD, "--explain", "alice")
HISTORY = (*BOARD, "--history", "alice")


def run(out: Path, words: tuple[str, ...]) -> int:
    return main([*words, "--out", str(out)])


def truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-40])


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def foreign(path: Path) -> None:
    pq.write_table(pa.table({"city": ["Kyoto"]}), path)


def of_the_future(path: Path) -> None:
    table = pq.read_table(path)
    pq.write_table(table.replace_schema_metadata({**(table.schema.metadata or {}), b"arena.format_version": b"99"}), path)


READERS = [
    (RERATE, "matches.parquet"), (PAIRS, "matches.parquet"), (EXPLAIN, "matches.parquet"),
    (HISTORY, "history.parquet"), (BOARD, "ratings.parquet"),
]  # fmt: skip
HARM: list[tuple[Callable[[Path], None], str]] = [
    (truncated, "damaged or not a Parquet file"),
    (emptied, "damaged or not a Parquet file"),
    (foreign, "not a results file of arena"),
    (of_the_future, "format version 99; this version of arena reads 1"),
    (Path.unlink, "no such file; a tournament writes it when it ends or is stopped"),
]


@pytest.mark.parametrize("reader", READERS, ids=[f"{words[-1]}-{file}" for words, file in READERS])
@pytest.mark.parametrize("harm", HARM, ids=[harm.__name__ for harm, _ in HARM])
def test_a_bad_file_is_named(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    reader: tuple[tuple[str, ...], str],
    harm: tuple[Callable[[Path], None], str],
) -> None:
    write_results(tmp_path, [make_record()] * 3)
    (words, file), (damage, message) = reader, harm
    damage(tmp_path / "cup" / file)
    assert run(tmp_path, words) == USER_ERROR
    captured = capsys.readouterr()
    assert f"{file}: {message}" in captured.err
    assert len(captured.err.splitlines()) == 1
    assert captured.out == "" or captured.out.startswith("cup: ")


def test_damaged_totals_cost_only_their_columns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_results(tmp_path, [make_record()])
    truncated(tmp_path / "cup" / "totals.parquet")
    assert run(tmp_path, BOARD) == 0
    captured = capsys.readouterr()
    assert "totals.parquet: damaged" in captured.err
    assert "alice" in captured.out and "ms/move" not in captured.out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "manifest.json: damaged or not ours"),
        ('{"name": "cup"}', "manifest.json: damaged or not ours: Object missing required field"),
        ('{"name": "c\udce6p"}', "manifest.json: damaged or not ours: 'utf-8' codec can't decode byte 0xe6"),
    ],
)
@pytest.mark.parametrize("words", [BOARD, RERATE])
def test_a_bad_manifest_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], text: str, message: str
) -> None:
    write_results(tmp_path, [make_record()])
    (tmp_path / "cup" / "manifest.json").write_bytes(text.encode(errors="surrogateescape"))
    assert run(tmp_path, words) == USER_ERROR
    assert message in capsys.readouterr().err


def test_ratings_that_are_no_numbers_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_results(tmp_path, [make_record()])
    parquet.write_ratings(tmp_path / "cup", [replace(make_rating(), mu=float("nan"))])
    assert run(tmp_path, BOARD) == USER_ERROR
    assert "ratings.parquet: the rating of alice in naga is not a number" in capsys.readouterr().err


def test_too_many_seats_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_results(tmp_path, [make_record()])
    seats = tuple(make_seat(f"bot_{seat}", 1 + seat, unit=seat) for seat in range(65))
    parquet.write_matches(tmp_path / "cup", [make_record(0, seats)])
    assert run(tmp_path, RERATE) == USER_ERROR
    assert "matches.parquet: damaged: a match with 65 seats; at most 64 can be rated" in capsys.readouterr().err


@pytest.mark.parametrize("words", [BOARD, (*BOARD, "--format", "md"), RERATE])
def test_a_tournament_without_a_match(tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]) -> None:
    write_results(tmp_path, [])
    assert run(tmp_path, words) == 0
    assert "no ratings yet" in capsys.readouterr().out


@pytest.mark.parametrize("format", ["json", "csv"])
@pytest.mark.parametrize("words", [BOARD, PAIRS, RERATE])
def test_programs_get_an_empty_list(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], format: str
) -> None:
    write_results(tmp_path, [])
    assert run(tmp_path, (*words, "--format", format)) == 0
    text = capsys.readouterr().out.strip()
    assert text == "[]" if format == "json" else len(text.splitlines()) <= 1


@pytest.mark.parametrize("words", [EXPLAIN, HISTORY])
def test_nobody_has_played_yet(tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]) -> None:
    write_results(tmp_path, [])
    assert run(tmp_path, words) == USER_ERROR
    assert f"{words[-2]} alice: no such bot in cup; no bot has played yet" in capsys.readouterr().err


@pytest.mark.parametrize("words", [BOARD, (*BOARD, "--format", "md"), PAIRS, EXPLAIN, HISTORY, RERATE])
@pytest.mark.parametrize(
    "records",
    [
        [make_record(seats=(make_seat("alice", 1),))] * 4,
        [make_record(seats=(make_seat("alice", 1, unit=0), make_seat("bob", 1, unit=1)))] * 40,
        [make_record(seats=(make_seat("alice", 1, unit=0), make_seat("bob", 1, unit=0)))] * 4,
        [],
    ],
    ids=["alone", "all draws", "one team", "only listed"],
)
def test_results_without_contrast_are_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], records: list[MatchRecord]
) -> None:
    write_results(tmp_path, records, "alice")
    assert run(tmp_path, words) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert "nan" not in captured.out and "inf" not in captured.out
    assert "alice" in captured.out or words == RERATE or (words == PAIRS and not records)


FILES = ("manifest.json", "matches.parquet", "actions.parquet", "ratings.parquet", "history.parquet", "totals.parquet")
ALL = (
    (BOARD, PAIRS), (EXPLAIN, HISTORY), (RERATE, ("status", "cup")), (("archive",), ("leaderboard", "archive")),
    (("verify-results", "cup", "--workers", "1"), ("replay", "0" * 24)),
)  # fmt: skip


@pytest.mark.parametrize("file", FILES)
def test_random_damage_is_answered_in_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str], file: str) -> None:
    """Cut and flipped bits, more of them in the Parquet footer: a board or a message, by every verb."""
    source = random.Random(file)
    write_results(tmp_path, [make_record()] * 30)
    path = tmp_path / "cup" / file
    data = path.read_bytes()
    for words in ALL:
        damaged = bytearray(data[: source.randrange(len(data))] if source.random() < 0.2 else data)
        for _ in range(source.choice([1, 1, 2, 40])):
            place = source.randrange(len(damaged) // 2 if source.random() < 0.7 else 0, len(damaged))
            damaged[place] ^= 1 << source.randrange(8)
        path.write_bytes(damaged)
        for verb in words:
            code = main([*verb, "--out", str(tmp_path)])
            error = capsys.readouterr().err
            assert code in (0, 1 if verb[0] == "verify-results" else 0, USER_ERROR), (verb, error)
            assert code == 0 or "Traceback" not in error
        shutil.rmtree(tmp_path / "archive", ignore_errors=True)
