"""luck.parquet: written beside the matches, at the end or afterwards, checked by the audit, and shown."""

import json
import shutil
from pathlib import Path

import msgspec
import pytest

from arena.audit.results_audit import audit_results
from arena.cli.main import main
from arena.errors import StoreError
from arena.games import load
from arena.ratings.match_luck import estimate
from arena.ratings.models import BATCH_MODEL, MODEL, STORED
from arena.records import LuckWorth
from arena.results import parquet
from arena.results.manifest import read_manifest, write_manifest
from arena.results.schema import LUCK
from arena.tournament.archive.luck import add_luck, pools_with_luck
from arena.tournament.session import Results
from helpers.server import server
from helpers.tournaments import run

NAGA = [{"game": "naga", "seats": 2}]
PAIR = ["counting_bot", "set_bot"]


@pytest.fixture(scope="module")
def lucky(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return run(tmp_path_factory.mktemp("lucky"), games=NAGA, deals=3, ratings={"luck": True})


@pytest.fixture
def copy(lucky: Results, tmp_path: Path) -> Path:
    """Its public files, to be tampered with."""
    return shutil.copytree(lucky.folder, tmp_path / "small", ignore=shutil.ignore_patterns("journal*", "lock"))


def problems(folder: Path) -> list[str]:
    return audit_results(folder, 1, lambda _: None).problems


def test_luck_is_written_at_the_end_where_it_is_wanted(lucky: Results) -> None:
    lucks = list(parquet.read_luck(lucky.folder))
    assert [luck.index for luck in lucks] == list(range(18)) and set(lucky.manifest.luck) == {"naga"}
    assert all(luck.seats[0].luck == pytest.approx(-luck.seats[1].luck, abs=2e-6) for luck in lucks)
    assert problems(lucky.folder) == []


def test_luck_changes_no_result_and_no_rating_but_those_that_go_without(lucky: Results, tmp_path: Path) -> None:
    plain = run(tmp_path, games=NAGA, deals=3)
    assert plain.manifest.results_sha256 == lucky.manifest.results_sha256
    assert plain.manifest.plan_sha256 == lucky.manifest.plan_sha256
    assert plain.manifest.luck == {} and not (plain.folder / LUCK.file).exists()
    assert (plain.manifest.luck_worth, lucky.manifest.luck_worth) == (None, {})  # of three deals nobody can tell
    for model in STORED:
        with_luck, without = ([one for one in given.ratings if one.model == model] for given in (plain, lucky))
        assert (with_luck == without) == (model == MODEL)
        assert sorted((one.bot, one.wins) for one in with_luck) == sorted((one.bot, one.wins) for one in without)


def test_a_board_without_luck_is_rated_again_from_its_folder(lucky: Results, capsys: pytest.CaptureFixture[str]) -> None:
    out = ["--out", str(lucky.folder.parent)]
    assert main(["rerate", "small", "--format", "json", *out]) == 0
    again = json.loads(capsys.readouterr().out)
    mus = {one.bot: one.mu for one in lucky.ratings if (one.model, one.pool) == (BATCH_MODEL, "naga")}
    assert {row["bot"]: row["mu"] for row in again if row["pool"] == "naga"} == pytest.approx(mus, abs=1e-9)
    assert main(["leaderboard", "small", *out]) == 0
    assert "the luck of the cards is taken out of these ratings" in " ".join(capsys.readouterr().out.split())


def test_a_folder_of_before_whose_luck_was_only_stored_is_verified_as_it_was_rated(tmp_path: Path) -> None:
    plain = run(tmp_path, games=NAGA, deals=3)
    add_luck(plain.folder)
    manifest = read_manifest(plain.folder)
    config = {**manifest.config, "ratings": {**manifest.config["ratings"], "luck": True}}
    write_manifest(plain.folder, msgspec.structs.replace(manifest, config=config))
    assert manifest.luck_worth is None and problems(plain.folder) == []


def test_a_forged_promise_of_certainty_is_found(copy: Path) -> None:
    write_manifest(copy, msgspec.structs.replace(read_manifest(copy), luck_worth={"naga": LuckWorth(3, 300)}))
    assert [problem.split(":")[1] for problem in problems(copy)] == [" luck_worth"]


def test_the_online_headline_keeps_its_luck(tmp_path: Path) -> None:
    online = run(tmp_path, games=NAGA, deals=1, ratings={"luck": True, "headline": "online"})
    assert online.manifest.luck and online.manifest.luck_worth is None and problems(online.folder) == []


def test_luck_can_be_worked_out_after_the_fact(lucky: Results, copy: Path) -> None:
    stored = (copy / LUCK.file).read_bytes()
    (copy / LUCK.file).unlink()
    write_manifest(copy, msgspec.structs.replace(read_manifest(copy), luck={}))
    assert parquet.find_luck(copy, next(parquet.read_matches(copy)).match_id) is None
    assert add_luck(copy).luck == lucky.manifest.luck
    assert (copy / LUCK.file).read_bytes() == stored and problems(copy) == []


def test_forged_luck_is_found(copy: Path) -> None:
    lucks = list(parquet.read_luck(copy))
    better = msgspec.structs.replace(lucks[5].seats[0], luck=0.25)
    lucks[5] = msgspec.structs.replace(lucks[5], seats=(better, lucks[5].seats[1]))
    parquet.write_luck(copy, lucks)
    found = problems(copy)
    assert len(found) == 1 and found[0].startswith(f"match 5 ({lucks[5].match_id}): luck is +0.250000")


def test_luck_of_other_estimates_is_not_taken_for_right(copy: Path) -> None:
    manifest = msgspec.structs.replace(read_manifest(copy), luck={"naga": "0" * 64})
    here = estimate(load("naga")).sha256
    said = f"not worked out by the estimates of this version (naga by {'0' * 12}, here is {here[:12]})"
    for worth, remedy in (({}, "or run its command again, which rates it anew"), (None, "or: arena luck small")):
        write_manifest(copy, msgspec.structs.replace(manifest, luck_worth=worth))
        found = problems(copy)
        assert any(said in problem and problem.endswith(remedy) for problem in found), found


@pytest.mark.parametrize("lost", ["a row", "the file"])
def test_luck_that_is_not_there_is_missed(copy: Path, lost: str) -> None:
    if lost == "the file":
        (copy / LUCK.file).unlink()
        assert "no such file" in problems(copy)[0]
        return
    parquet.write_luck(copy, list(parquet.read_luck(copy))[:-1])
    assert "match 17" in problems(copy)[0] and "luck is missing" in problems(copy)[0]
    with pytest.raises(StoreError, match="not the luck of these matches"):
        pools_with_luck(copy, read_manifest(copy))


def test_the_verb_shows_skill_and_luck(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["luck", "small", "--out", str(copy.parent), "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["bot"] for row in rows} == {"counting_bot", "set_bot", "folder_bot"}
    assert all(row["low"] <= row["skill"] <= row["high"] and row["deals"] == 3 for row in rows)
    assert any(row["half_width"] > 0 for row in rows)  # a bot whose deals are alike, as by some orders of strings, has none
    assert main(["luck", "small", "--out", str(copy.parent)]) == 0
    assert "certain as" in capsys.readouterr().out


def test_a_comparison_without_luck_is_checked_from_its_folder(tmp_path: Path) -> None:
    results = run(tmp_path, games=NAGA, deals=24, format="compare", candidates=PAIR, compare={"luck": True, "difference": 0.3})
    evidence = results.schedule.evidence()[0]  # type: ignore[union-attr]
    assert results.manifest.luck and evidence.difference is not None
    assert problems(results.folder) == []
    assert results.manifest.config["format"]["luck"]
    without = run(tmp_path, "plain", games=NAGA, deals=24, format="compare", candidates=PAIR, compare={"difference": 0.3})
    assert "luck" not in without.manifest.config["format"] and without.manifest.plan_sha256 != results.manifest.plan_sha256


def test_a_replay_tells_what_the_cards_did_and_what_the_players_did(lucky: Results, capsys: pytest.CaptureFixture[str]) -> None:
    luck = next(luck for luck in parquet.read_luck(lucky.folder) if abs(luck.seats[0].luck) > 0.1)
    out = ["--out", str(lucky.folder.parent)]
    assert main(["replay", luck.match_id, "--luck", *out]) == 0
    text = capsys.readouterr().out
    assert f"the cards were worth {luck.seats[0].luck:+.2f} places" in text
    assert "worth 0." in text and "cards " in text and "choice " in text
    assert main(["replay", luck.match_id, "--luck", "--seat", "0", *out]) == 2
    assert "leave --seat" in capsys.readouterr().err


def test_the_page_of_a_match_says_what_the_cards_were_worth(lucky: Results) -> None:
    luck = next(luck for luck in parquet.read_luck(lucky.folder) if abs(luck.seats[0].luck) > 0.1)
    with server(lucky.folder.parent) as client:
        page = client.get(f"/m/{luck.match_id}").text
        assert "What the cards were worth" in page and f"{luck.seats[0].luck:+.2f}" in page
        assert client.get(f"/api/m/{luck.match_id}").json()["luck"] == [round(seat.luck, 2) for seat in luck.seats]
        assert client.get(f"/api/m/{luck.match_id}?seat=0").json()["luck"] is None  # it looks at all cards
