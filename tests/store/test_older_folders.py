"""Folders that older versions of arena wrote: they can still be read, resumed, rated, audited and reported, in the hall too.

`written_by_0_1/README.md` says how the folder was made. The hashes here are those that the old code came to.
"""

import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from msgspec.structs import replace

from arena.cli.main import main
from arena.config import read_config
from arena.records import Rating
from arena.store import parquet
from arena.store.manifest import read_manifest, write_manifest
from helpers.paths import TESTS

OLD = TESTS / "store" / "written_by_0_1"
FINISHED = "311c0e186c60c08a05d5877c0624e61a8fb193672e75e74a8443c1eb88cb112a"
LADDER = "0822d1ab70e6900b3d3da3839d2cafbfbbc588f655b69c0d37e96afe9dc80245"
LADDER_AFTER_THREE_RUNS = "b807cec8cfd8da109a81f7dbf287b6b0ca71da691dbe73bc4bc5a8d74d9de39b"
STOPPED_AND_RESUMED = "08d32c0de1e6b7fdd532d113a91e03a535b11d5b2d14b782cbda5f209a8dae9f"
ON_ONE_WORKER = ("--backend", "local", "--workers", "1")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a copy of everything: bots and configs, and the results where commands look for them."""
    shutil.copytree(OLD / "bots", tmp_path / "bots")
    shutil.copytree(OLD / "configs", tmp_path / "configs")
    shutil.copytree(OLD / "results", tmp_path / "leaderboards")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def results_hash(folder: Path) -> str | None:
    return read_manifest(folder).results_sha256


def by_bot(ratings: list[Rating]) -> dict[tuple[str, str, str], Rating]:
    return {(rating.model, rating.pool, rating.bot): rating for rating in ratings}


def assert_same_ratings(found: list[Rating], expected: list[Rating]) -> None:
    """To the precision of arithmetic on another machine."""
    assert by_bot(found).keys() == by_bot(expected).keys()
    for key, rating in by_bot(found).items():
        other = by_bot(expected)[key]
        for name in Rating.__struct_fields__:
            assert getattr(rating, name) == pytest.approx(getattr(other, name), abs=1e-6), (key, name)


def test_all_of_it_is_read() -> None:
    for name, matches in (("finished", 18), ("ladder", 32), ("stopped", 4)):
        folder = OLD / "results" / name
        records = list(parquet.read_matches(folder))
        assert len(records) == read_manifest(folder).played == matches
        assert all(record.actions for record in records)
        assert {rating.pool for rating in parquet.read_ratings(folder)} >= {record.pool for record in records}
        assert parquet.read_history(folder) and parquet.read_totals(folder)
        assert parquet.read_faults(folder) == []


def test_a_stopped_tournament_goes_on(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status", "stopped"]) == 0
    assert "4 of 36" in " ".join(capsys.readouterr().out.split())
    assert main(["tournament", "configs/stopped.yaml", "--seed", "3", *ON_ONE_WORKER]) == 0
    assert results_hash(here / "leaderboards" / "stopped") == STOPPED_AND_RESUMED


@pytest.mark.usefixtures("in_this_process")
def test_a_finished_tournament_is_left_as_it_is(here: Path) -> None:
    rows = (here / "leaderboards" / "finished" / "matches.parquet").read_bytes()
    assert main(["tournament", "configs/finished.yaml", "--seed", "1", *ON_ONE_WORKER]) == 0
    assert results_hash(here / "leaderboards" / "finished") == FINISHED
    assert (here / "leaderboards" / "finished" / "matches.parquet").read_bytes() == rows


@pytest.mark.usefixtures("in_this_process")
def test_a_ladder_goes_on(here: Path) -> None:
    assert results_hash(here / "leaderboards" / "ladder") == LADDER
    assert main(["ladder", "configs/ladder.yaml", "--seed", "2", *ON_ONE_WORKER]) == 0
    assert results_hash(here / "leaderboards" / "ladder") == LADDER_AFTER_THREE_RUNS


@pytest.mark.parametrize("name", ["finished", "ladder"])
def test_the_rows_give_the_stored_ratings_again(here: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    for model in ("trueskill", "trueskill-batch"):
        assert main(["rerate", name, "--model", model, "--format", "json"]) == 0
        found = [Rating(**row) for row in json.loads(capsys.readouterr().out)]
        stored = parquet.read_ratings(here / "leaderboards" / name)
        assert_same_ratings(found, [rating for rating in stored if rating.model == model])


@pytest.mark.parametrize("name", ["finished", "ladder"])
def test_the_audit_finds_nothing_wrong(here: Path, name: str) -> None:
    assert main(["verify-results", name, "--workers", "1"]) == 0


def test_the_audit_names_columns_of_a_newer_version(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its hash may cover them, so that an older version cannot tell whether it is right."""
    folder = here / "leaderboards" / "finished"
    table = pq.read_table(folder / "matches.parquet")
    pq.write_table(table.append_column("mood", pa.array(["merry"] * len(table))), folder / "matches.parquet")
    assert main(["verify-results", "finished", "--workers", "1"]) == 0
    write_manifest(folder, replace(read_manifest(folder), results_sha256="0" * 64))
    capsys.readouterr()
    assert main(["verify-results", "finished", "--workers", "1"]) == 1
    assert "matches.parquet: a newer version of arena wrote it, with columns that this one does not know (mood)" in (
        " ".join(capsys.readouterr().out.split())
    )


@pytest.mark.parametrize("name", ["finished", "ladder", "stopped", "hall"])
def test_boards_and_reports_are_made(here: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["leaderboard", name]) == 0
    assert "naga_greedy" in capsys.readouterr().out
    assert main(["report", name]) == 0
    assert "naga_greedy" in (here / "leaderboards" / name / "report.html").read_text()


@pytest.mark.parametrize("name", ["finished", "ladder"])
def test_a_match_is_replayed_by_its_id(here: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    record = list(parquet.read_matches(here / "leaderboards" / name))[-1]  # of a ladder: of its second leg
    assert main(["replay", record.match_id]) == 0
    assert f"score {record.seats[0].score:g}" in capsys.readouterr().out


def test_the_hall_has_the_same_board_when_it_is_rated_anew(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hall = here / "leaderboards" / "hall"
    stored = parquet.read_ratings(hall)
    manifest = read_manifest(hall)
    assert main(["leaderboard", "hall"]) == 0
    assert "rating the hall anew" not in capsys.readouterr().err  # what is stored is taken for what it is
    (hall / "ratings.parquet").unlink()
    assert main(["leaderboard", "hall"]) == 0
    for model in (
        "trueskill",
        "trueskill-batch",
    ):  # the numbers of the pools are as ever; what ranks, and overall, are of today
        found, before = (
            [one for one in rated if (one.model, one.pool != "overall") == (model, True)]
            for rated in (parquet.read_ratings(hall), stored)
        )
        assert_same_ratings(found, before)
    assert read_manifest(hall).pools == manifest.pools
    assert read_manifest(hall).bots == manifest.bots


@pytest.mark.usefixtures("in_this_process")
def test_the_hall_takes_in_the_resumed_one(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tournament", "configs/stopped.yaml", "--seed", "3", *ON_ONE_WORKER]) == 0
    assert main(["leaderboard", "hall"]) == 0
    assert "86 matches; tournaments: 3" in capsys.readouterr().out  # 18 + 32 + 36


def test_submitted_bots_are_found(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bots"]) == 0
    assert "submitted_greedy" in capsys.readouterr().out
    config = here / "configs" / "submitted.yaml"
    config.write_text(
        "name: submitted\ngames:\n  - {game: naga, seats: 2}\nbots:\n"
        "  - {path: 'submitted:submitted_greedy', trusted: true}\n  - {path: ../bots/random_bot.py, trusted: true}\ndeals: 1\n"
    )
    assert [bot.name for bot in read_config(config).bots] == ["submitted_greedy", "random_bot"]
