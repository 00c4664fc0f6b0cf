"""What people see of the archive: its board, report and replays, and what is said of one that is damaged or is none."""

import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.cli.main import USER_ERROR, main
from arena.errors import ConfigError, StoreError
from arena.results import parquet
from arena.results.manifest import read_manifest, write_manifest
from arena.tournament.archive import boards
from arena.tournament.archive.adding import add_to_archive
from arena.tournament.archive.finding import find_match
from arena.tournament.archive.folder import entries
from arena.tournament.run import run_tournament
from arena.tournament.session import Settings
from helpers.archive import cup, gather, three


def test_the_archive_outlasts_its_tournaments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spring, summer, _ = three(tmp_path)
    place = gather(tmp_path, spring)
    wanted = next(parquet.read_matches(tmp_path / spring))
    shutil.rmtree(tmp_path / spring)
    gather(tmp_path, summer)
    assert find_match(tmp_path, wanted.match_id) == (wanted, bytes(32))
    assert main(["rerate", "archive", "--format", "json", "--out", str(tmp_path)]) == 0
    headline = [rating for rating in parquet.read_ratings(place) if rating.model == "trueskill"]
    assert capsys.readouterr().out.count('"pool"') == len(headline)
    with pytest.raises(StoreError, match=rf"not found in {tmp_path} \(searched: summer, winter, archive\)"):
        find_match(tmp_path, "0" * 24)


def test_why_a_match_cannot_be_replayed_is_told(tmp_path: Path) -> None:
    wanted = cup(tmp_path, "spring", 5, 1)[0].match_id
    manifest = read_manifest(tmp_path / "spring")
    for key, message in (
        (None, "the key of the deals is not public yet"),
        ("0x", "damaged or not ours: pairs of hex digits are needed - at `\\$.key`"),
    ):
        write_manifest(tmp_path / "spring", replace(manifest, key=key))
        with pytest.raises(StoreError, match=message):
            find_match(tmp_path, wanted)
    (tmp_path / "spring" / "matches.parquet").write_bytes(b"")
    with pytest.raises(StoreError, match=r"searched: spring\); .*/spring/matches\.parquet: damaged"):
        find_match(tmp_path, wanted)


def test_the_archive_is_rated_when_it_is_looked_at(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = ("--out", str(tmp_path))
    for name in three(tmp_path):
        add_to_archive(tmp_path / "archive", tmp_path / name)
    assert main(["leaderboard", "archive", *out]) == 0
    assert "rating the archive anew: 64 matches, tournaments: 3" in capsys.readouterr().err
    assert main(["leaderboard", "archive", "--game", "naga", "--format", "csv", *out]) == 0
    captured = capsys.readouterr()
    assert captured.err == "" and "\nnaga/2,1,alice," in captured.out
    for words in (["--head-to-head"], ["--explain", "alice"], ["--model", "trueskill-batch"], ["--format", "md"]):
        assert main(["leaderboard", "archive", *words, *out]) == 0
        assert "bob@bbbbbb" in capsys.readouterr().out
    assert main(["leaderboard", "archive", "--explain", "alice", *out]) == 0
    worst = capsys.readouterr().out.split()
    ids = {record.match_id for name in ("spring", "summer", "winter") for record in parquet.read_matches(tmp_path / name)}
    assert len(ids & set(worst)) >= 5


def test_the_faults_of_what_counts_are_found_beside_their_rows(tmp_path: Path) -> None:
    """Summer's was in a match that spring has too."""
    gather(tmp_path, *three(tmp_path))
    columns = boards.read_columns(tmp_path / "archive", ("seat", "bot"))
    found = boards.locate_faults(tmp_path / "archive")
    assert [place.fault.reason for place in found] == ["winter", "spring"]
    bots = columns.texts["bot"]
    assert [(bots.values[bots.codes[place.row]], int(columns.numbers["seat"][place.row])) for place in found] == [
        (place.fault.bot, 1) for place in found
    ]


def test_the_archive_has_a_report(tmp_path: Path) -> None:
    gather(tmp_path, *three(tmp_path))
    assert main(["report", "archive", "--out", str(tmp_path)]) == 0
    page = (tmp_path / "archive" / "report.html").read_text()
    assert all(name in page for name in ("bob@bbbbbb", "bob@cccccc", "naga/2", "-winter-", "-spring-", "-summer-"))
    assert "None" not in page


def test_gathering_by_hand(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = ("--out", str(tmp_path))
    assert main(["archive", *out]) == USER_ERROR
    assert "no finished tournament there" in capsys.readouterr().err
    three(tmp_path)
    write_manifest(tmp_path / "winter", replace(read_manifest(tmp_path / "winter"), finished=False))
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "manifest.json").write_text("{}")
    assert main(["archive", *out]) == 0
    captured = capsys.readouterr()
    assert [line for line in captured.out.splitlines() if ": added" in line] == ["spring: added", "summer: added"]
    assert "winter: not finished; it enters the archive when it ends" in captured.out
    assert "odd: not added" in captured.err and "damaged or not ours" in captured.err
    assert "tournaments: 2; rows that count: 80" in captured.out
    cup(tmp_path / "elsewhere", "guest", 9, 9)
    assert main(["archive", str(tmp_path / "elsewhere" / "guest"), *out]) == 0
    assert "guest: added" in capsys.readouterr().out
    assert main(["archive", str(tmp_path / "winter"), *out]) == USER_ERROR


def test_what_the_archive_is_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = ("--out", str(tmp_path))
    assert main(["leaderboard", "archive", *out]) == USER_ERROR
    assert "the archive is empty" in capsys.readouterr().err
    gather(tmp_path, *three(tmp_path))
    assert main(["verify-results", "archive", *out]) == USER_ERROR
    assert "audit each of them" in capsys.readouterr().err
    assert main(["status", "archive", *out]) == USER_ERROR
    assert "`arena archive` lists them" in capsys.readouterr().err
    assert main(["leaderboard", *out]) == 0
    assert capsys.readouterr().out.startswith("winter:")
    with pytest.raises(ConfigError, match="'archive' is the name of the archive"):
        run_tournament(Path("configs/duel.yaml"), Settings(out=tmp_path, backend="local", name="archive"))
    shutil.rmtree(tmp_path / "archive")
    cup(tmp_path, "archive", 1, 1)
    assert main(["leaderboard", "archive", *out]) == USER_ERROR
    assert "rename its folder" in capsys.readouterr().err


def test_since(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")  # parallel test processes have their own idea of it
    gather(tmp_path, *three(tmp_path))
    out = ("--out", str(tmp_path))
    assert main(["rerate", "archive", "--since", "2026-11-05T13:00+01:00", *out]) == 0
    shown = " ".join(capsys.readouterr().out.split())  # lines end where the screen does
    assert "40 of 64 matches, of tournaments that started at 2026-11-05T13:00:00+01:00 or later" in shown
    assert "bob@bbbbbb" in shown and "cccccc" not in shown
    assert main(["rerate", "archive", "--since", "2026-11-06", *out]) == 0  # summer alone, with all its matches
    assert "40 of 64 matches" in capsys.readouterr().out
    for words, message in (
        (
            ["archive", "--since", "2026-11-07"],
            "no tournament of the archive started since then; the newest: 2026-11-06 12:00:00+00:00",
        ),
        (
            ["spring", "--since", "2026-11-06"],
            "spring started before that, at 2026-11-05T12:00:00+00:00, and counts as a whole",
        ),
        (["archive", "--since", "last week"], "--since last week: a date like 2026-11-21, or a time like"),
    ):
        assert main(["rerate", *words, *out]) == USER_ERROR
        assert message in capsys.readouterr().err
    assert main(["rerate", "spring", "--since", "2026-11-05", "--format", "json", *out]) == 0
    everything = capsys.readouterr().out
    assert main(["rerate", "spring", "--format", "json", *out]) == 0
    assert capsys.readouterr().out == everything


def test_damage_in_the_archive_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = gather(tmp_path, *three(tmp_path))
    path = entries(place)[1].folder / "matches.parquet"
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    for words in (["rerate", "archive"], ["leaderboard", "archive", "--head-to-head"], ["archive"]):
        assert main([*words, "--out", str(tmp_path)]) == USER_ERROR
        error = capsys.readouterr().err
        assert f"{path}: damaged or not a Parquet file" in error and len(error.splitlines()) == 1
    assert main(["leaderboard", "archive", "--out", str(tmp_path)]) == 0  # from what is stored
