"""Gauntlet, ladder and comparison end to end: decided at checkpoints from rows alone, resumed, audited, added to."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from arena.agent import read_bot
from arena.agent.submissions import Submissions
from arena.audit.results_audit import audit_results
from arena.cli.main import main
from arena.results.manifest import read_manifest, write_manifest
from arena.results.parquet import read_matches
from arena.results.status import read_status
from arena.tournament.archive.finding import find_match
from arena.tournament.formats.compare import Comparison, Evidence
from arena.tournament.run import run_tournament
from arena.tournament.session import LOCAL, Interrupted, Observer, Progress, Results, Settings, read_results
from helpers.paths import BAD_BOTS, CONFIGS, HOUSE_BOTS
from helpers.tournaments import GOOD_BOTS, Stops, write_config

BOTS = [HOUSE_BOTS / "random_bot.py", HOUSE_BOTS / "naga_greedy.py", *GOOD_BOTS]
COMPARE = {"format": "compare", "candidates": ["naga_greedy", "random_bot"], "deals": 200}
LADDER = {"format": "ladder", "deals": 2, "ladder": {"sigma": 2.0, "separable": False, "matches": 200}}


def play(folder: Path, bots: list[Path] = BOTS, workers: int = 1, listener: Any = None, **changes: Any) -> Results:
    folder.mkdir(exist_ok=True)
    config = write_config(folder, bots=bots, **changes)
    return run_tournament(config, Settings(out=folder / "out", backend=LOCAL, workers=workers), listener)


def problems(results: Results) -> list[str]:
    return audit_results(results.folder, 1, lambda _: None).problems


class Sums(Observer):
    """Keeps what was told of matches done and in all."""

    def __init__(self) -> None:
        self.told: list[tuple[int, int]] = []

    def progress(self, progress: Progress) -> None:
        self.told.append((progress.done, progress.total))


@pytest.mark.parametrize("changes", [COMPARE, LADDER], ids=["compare", "ladder"])
def test_no_more_is_played_than_was_told(tmp_path: Path, changes: dict[str, Any]) -> None:
    """They end at a checkpoint only, so they are told up to one: not 103 % done and 1 s left."""
    told = Sums()
    results = play(tmp_path, listener=told, **changes)
    assert results.manifest.played > 2 * 8  # more than one checkpoint
    assert all(done <= total for done, total in told.told)


@pytest.mark.parametrize("changes", [COMPARE, LADDER], ids=["compare", "ladder"])
def test_workers_and_resumes_change_no_decision(
    tmp_path: Path, changes: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    calm = play(tmp_path / "calm", **changes)
    assert problems(calm) == [] and calm.manifest.outcome
    assert play(tmp_path / "three", workers=3, **changes).manifest.results_sha256 == calm.manifest.results_sha256
    folder = tmp_path / "stopped"
    monkeypatch.setattr(
        "arena.tournament.workers.driver.CHUNK_MATCHES", 1
    )  # on a fast machine one chunk might be all that is left
    for after in (1, 3, 9):
        with pytest.raises(Interrupted):
            play(folder, listener=Stops(after), **changes)
    resumed = play(folder, **changes)
    assert resumed.manifest.results_sha256 == calm.manifest.results_sha256
    assert resumed.manifest.outcome == calm.manifest.outcome and resumed.ratings == calm.ratings
    assert resumed.manifest.plan_sha256 == calm.manifest.plan_sha256 and problems(resumed) == []
    status = read_status(resumed.folder)
    assert status.is_finished and status.done == status.total == resumed.manifest.matches


def test_a_comparison_ends_when_it_is_sure(tmp_path: Path) -> None:
    results = play(tmp_path, **COMPARE)
    assert results.manifest.outcome == "naga_greedy is better than random_bot: wrong with probability 0.05 at most"
    assert results.manifest.played < 100 < 2 * 200
    assert isinstance(results.schedule, Comparison)
    (evidence,) = results.schedule.evidence()
    assert evidence.verdict == "better" and evidence.low > 0 and 2 * evidence.deals == results.manifest.played
    assert evidence.difference and evidence.estimate and 0.0 < evidence.estimate < evidence.difference and evidence.is_drawn
    assert f"stopped early: estimate drawn towards 0; mean {evidence.difference:+.3f}" in results.schedule.line(evidence)
    assert [record.index for record in results.records()] == list(range(results.manifest.played))


def test_the_exit_code_and_json_of_a_comparison(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for candidates, code, verdict in (
        (["naga_greedy", "random_bot"], 0, "better"),
        (["random_bot", "naga_greedy"], 1, "worse"),
    ):
        config = write_config(tmp_path, bots=BOTS, **{**COMPARE, "candidates": candidates})
        words = ["compare", str(config), "--backend", LOCAL, "--out", str(tmp_path / verdict), "--format", "json"]
        assert main(words) == code
        answer = json.loads(capsys.readouterr().out)
        assert answer["verdict"] == answer["evidence"][0]["verdict"] == verdict and answer["candidates"] == candidates
    config = write_config(tmp_path, bots=BOTS, **{**COMPARE, "deals": 3})
    assert main(["compare", str(config), "--backend", LOCAL, "--out", str(tmp_path / "open")]) == 3
    assert "not decided: all 3 deals are played" in capsys.readouterr().out


def test_a_comparison_over_several_games_asks_about_all_of_them(tmp_path: Path) -> None:
    games = [{"game": "naga", "seats": 2}, {"game": "yaniv", "seats": 3, "options": {"max_rounds": 1}}]
    bots = [*BOTS[:1], *GOOD_BOTS]
    results = play(tmp_path, bots, games=games, **{**COMPARE, "candidates": ["random_bot", "set_bot"], "deals": 8})
    assert isinstance(results.schedule, Comparison)
    overall, naga, yaniv = results.schedule.evidence()
    assert [overall.pool, naga.pool, yaniv.pool] == ["overall", "naga", "yaniv"] and problems(results) == []
    assert overall.difference == pytest.approx((naga.difference + yaniv.difference) / 2)  # type: ignore[operator]
    assert results.manifest.played == 8 * (2 + 6)
    assert overall.verdict == "open" and not any(one.is_drawn for one in (overall, naga, yaniv))


def test_games_are_drawn_as_far_as_all_of_them() -> None:
    asked, near, far = (
        Evidence(pool="naga", deals=40, difference=mean, estimate=estimate, low=low, high=1.0, verdict="better", deals_left=0)
        for mean, estimate, low in ((0.5, 0.4, 0.1), (0.2, 0.2, -0.2), (0.8, 0.78, 0.75))
    )
    assert near.drawn_with(asked).estimate == pytest.approx(0.1) and far.drawn_with(asked).estimate == 0.75
    assert near.drawn_with(near) == near


def test_a_comparison_with_a_bot_that_fails_ends(tmp_path: Path) -> None:
    bad = BAD_BOTS / "raises.py"
    results = play(tmp_path, [*BOTS, bad], **{**COMPARE, "candidates": ["raises", "random_bot"]})
    assert "raises" in (results.manifest.outcome or "") and results.manifest.played < 100 and problems(results) == []


def test_matches_after_the_verdict_are_too_many(tmp_path: Path) -> None:
    results = play(tmp_path, **COMPARE)
    manifest = read_manifest(results.folder)
    config = {**manifest.config, "format": {**manifest.config["format"], "error": 0.3}}
    write_manifest(results.folder, msgspec.structs.replace(manifest, config=config))
    assert any("too many: it was decided by then" in problem for problem in problems(results))


def test_a_ladder_only_adds_and_places_a_new_bot_with_few_matches(tmp_path: Path) -> None:
    first = play(tmp_path, BOTS[:3], seed=None, **LADDER)
    assert first.manifest.outcome == "no sigma is above 2"
    again = play(tmp_path, BOTS[:3], seed=None, **LADDER)
    assert again.manifest.results_sha256 == first.manifest.results_sha256 and again.manifest.key == first.manifest.key
    rows = list(read_matches(first.folder))
    more = play(tmp_path, BOTS[:4], seed=None, **LADDER)
    assert more.manifest.commitment == first.manifest.commitment and more.manifest.key != first.manifest.key
    added = list(more.records())[len(rows) :]
    assert [record.match_id for record in more.records()][: len(rows)] == [record.match_id for record in rows]
    assert 0 < len(added) < len(rows) and all(BOTS[3].stem in {seat.bot for seat in record.seats} for record in added)
    assert problems(more) == [] and all(rating.sigma <= 4.0 for rating in more.ratings if rating.model == "trueskill")
    for record in (rows[0], added[-1]):  # each leg's deals have a key of their own
        _, key = find_match(tmp_path / "out", record.match_id)
        assert key.hex() == (first.manifest.key if record is rows[0] else more.manifest.key)


def test_a_changed_bot_is_a_new_version_and_what_was_begun_is_not_lost(tmp_path: Path) -> None:
    bot = tmp_path / "mine.py"
    bot.write_text(BOTS[0].read_text())
    with pytest.raises(Interrupted):
        play(tmp_path, [bot, *BOTS[1:3]], listener=Stops(5), **LADDER)
    bot.write_text(GOOD_BOTS[1].read_text())
    results = play(tmp_path, [bot, *BOTS[1:3]], **LADDER)
    versions = {(seat.bot, seat.bot_version) for record in results.records() for seat in record.seats}
    assert {("mine", 1), ("mine", 2)} <= versions and problems(results) == []
    legs = results.manifest.config["format"]["legs"]
    assert len(legs) == 2 and results.manifest.finished
    assert not {record.index for record in results.records()} & set(legs[1]["skipped"])


def test_a_ladder_ends_for_each_of_its_reasons(tmp_path: Path) -> None:
    spent = play(tmp_path / "a", **{**LADDER, "ladder": {"sigma": 0.1, "separable": False, "matches": 30}})
    assert spent.manifest.played <= 30 and "its 30 matches are spent; not settled: " in (spent.manifest.outcome or "")
    more = play(tmp_path / "a", **{**LADDER, "ladder": {"sigma": 0.1, "separable": False, "matches": 30}})
    assert spent.manifest.played < more.manifest.played <= 60 and problems(more) == []  # the next run has as many again
    two = {**LADDER, "ladder": {"sigma": None, "separable": True, "matches": 2000}}
    apart = play(tmp_path / "b", BOTS[:2], **two)
    assert apart.manifest.outcome == "all neighbours are separable" and problems(apart) == []


@pytest.mark.slow
def test_nobody_starves_on_a_ladder(tmp_path: Path) -> None:
    results = play(tmp_path, **{**LADDER, "ladder": {"sigma": 0.1, "separable": False, "matches": 300}})
    played = [rating.matches for rating in results.ratings if rating.model == "trueskill"]
    assert min(played) >= max(played) / 3


def test_a_gauntlet_rates_candidates_on_the_same_deals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = write_config(tmp_path, bots=BOTS, format="gauntlet", candidates=["naga_greedy", "set_bot"], deals=2)
    words = ["tournament", str(config), "--backend", LOCAL, "--out", str(tmp_path / "out")]
    assert main(words) == 0
    text = capsys.readouterr().out
    assert "naga_greedy" in text and text.count("random_bot") >= 2  # the board, and who finished before whom
    results = read_results(tmp_path / "out" / "small")
    met = {(record.deal, frozenset(seat.bot for seat in record.seats)) for record in results.records()}
    candidates = {"naga_greedy", "set_bot"}
    assert all(len(table & candidates) == 1 for _, table in met) and len(met) == 2 * 2 * 3
    assert problems(results) == []


def test_a_verb_sends_other_formats_to_theirs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for verb, changes, right in (
        ("tournament", COMPARE, "compare"),
        ("compare", LADDER, "ladder"),
        ("ladder", {}, "tournament"),
    ):
        config = write_config(tmp_path, bots=BOTS, **changes)
        assert main([verb, str(config), "--out", str(tmp_path / "out")]) == 2
        assert f"is played by `arena {right} {config}`" in capsys.readouterr().err


def test_a_plan_is_foretold_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("arena.tournament.forecast.CALIBRATION_MATCHES", 4)
    config = write_config(tmp_path, bots=BOTS, deals=4, sample=1, games=[{"game": "naga", "seats": 2}])
    before = sorted(tmp_path.iterdir())
    assert main(["plan", str(config), "--format", "json", "--workers", "1"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["matches"] == 4 * 5 * 2 and found["seconds"] > 0 and found["entries"][0]["faults"] == 0
    assert found["entries"][0]["balance"].startswith("a balanced sample; each bot sits at 8 tables, each pair meets at 2;")
    for changes in (COMPARE, LADDER):
        config = write_config(tmp_path, bots=BOTS, **changes)
        assert main(["plan", str(config)]) == 0
        assert "at most" in capsys.readouterr().out
    assert sorted(tmp_path.iterdir()) == before


SMALL = {"yaniv": {"max_rounds": 1, "turn_limit": 10}, "nertz": {"max_rounds": 1, "tick_limit": 40}}
"""Options that make long games short."""
FIRST = ("duel", "ladder")
"""The configs of the short run, in which other tests play each format."""


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.stem, marks=[] if path.stem in FIRST else [pytest.mark.slow])
        for path in sorted(CONFIGS.glob("*.yaml"))
    ],
)
def test_every_shipped_config_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CONFIGS)
    document = yaml.safe_load(path.read_text())
    document.update(deals=1, seed=1)
    for game in document["games"]:
        game.pop("deals", None)
        game["options"] = {**game.get("options", {}), **SMALL.get(game["game"], {})}
    if "format" not in document:
        document["sample"] = 1
    if document.get("format") == "ladder":
        document["ladder"]["matches"] = 40
    if document.get("format") == "compare":
        document["deals"] = 8
    (tmp_path / path.name).write_text(yaml.safe_dump(document))
    Submissions(tmp_path / "out").submit("alice", read_bot(HOUSE_BOTS / "naga_greedy.py"), ())
    results = run_tournament(tmp_path / path.name, Settings(out=tmp_path / "out", backend=LOCAL, workers=1))
    assert results.manifest.finished and results.manifest.played == results.manifest.matches > 0
    assert set(results.manifest.endings) == {"played"}
