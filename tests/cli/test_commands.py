"""The commands for people: match, play, bench, warmup, and that every one explains itself."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.cli.main import USER_ERROR, VERBS, main
from helpers.paths import HOUSE_BOTS, ROOT

GREEDY, RANDOM = str(HOUSE_BOTS / "naga_greedy.py"), str(HOUSE_BOTS / "random_bot.py")


@pytest.mark.parametrize("verb", VERBS)
def test_every_command_explains_itself(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([verb, "--help"]) == 0
    assert f"Usage: arena {verb}" in capsys.readouterr().out


def test_boards_start_without_what_compiles_and_draws() -> None:
    heavy = {"numba", "scipy", "pyarrow", "jinja2"}
    code = f"import sys, arena.cli.verbs.leaderboard, arena.cli.verbs.report; print(sorted({heavy} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    assert all(verb in text for verb in VERBS)


def test_a_match_is_printed_and_its_seed_repeats_it(capsys: pytest.CaptureFixture[str]) -> None:
    shown = []
    for _ in range(2):
        assert main(["match", "naga", GREEDY, RANDOM, "--seed", "4"]) == 0
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1]
    assert "place 1" in shown[0] and len(shown[0].splitlines()) == 2


def test_watching_shows_every_decision(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", "naga", GREEDY, RANDOM, "--seed", "4", "--watch", "--option", "series=games:1"]) == 0
    text = capsys.readouterr().out
    assert "contest 1" in text and text.count("select") >= 10 and "Kut" in text


def answers(monkeypatch: pytest.MonkeyPatch, words: Iterator[str]) -> None:
    def reply(*_: object) -> str:
        try:
            return next(words)
        except StopIteration:
            raise EOFError from None

    monkeypatch.setattr("builtins.input", reply)


def test_a_person_plays_by_number_and_is_asked_again_after_nonsense(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("arena.server.table_process.broadcaster.MOST_MATCHES", 1)
    answers(monkeypatch, iter(["what?", "99"] + ["0"] * 50))
    assert main(["play", "naga", "--against", RANDOM, "--seed", "3", "--out", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    assert "not possible: 'what?'" in text and "not possible: '99'" in text
    assert "The match is over." in text and "seat 0 you" in text


def test_a_person_sees_the_own_cards_only(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    answers(monkeypatch, iter(["0"]))
    assert main(["play", "naga", "--against", RANDOM, "--seed", "3", "--seat", "1"]) == 130
    text = capsys.readouterr().out
    assert "seat 0: 5 cards" in text and "You left the table." in text


WARMED_UP = """
import os, pathlib, time
place = pathlib.Path(os.environ["ARENA_CACHE_DIR"], "compiled")
while not place.exists() and time.process_time() < 1.0:
    pass
place.touch()
"""


def test_the_engine_is_measured(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.cli.bench.engine.PLAY_SECONDS", 0.001)
    monkeypatch.setattr("arena.cli.bench.engine.PYTHON_DECISIONS", 200)
    monkeypatch.setattr("arena.cli.bench.engine.open_spiel_speeds", list)
    monkeypatch.setattr("arena.cli.bench.engine._WARM_UP", ("-c", WARMED_UP))  # to compile the game takes a minute
    assert main(["bench", "engine", "--game", "naga", "--format", "json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    (speed,), (cost,) = figures["random_play"], figures["rooms"]
    assert speed["seats"] == 2 and speed["decisions_per_second"] > 0 and 10 < speed["decisions_per_match"] < 21
    assert cost["cold_cpu_s"] > cost["warm_cpu_s"] > 0


def test_warmup_says_where_the_cache_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["warmup", "naga"]) == 0
    assert "cache: " in capsys.readouterr().out
    assert main(["warmup", "naag"]) == 2


def test_an_option_of_another_topic_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "engine", "--matches", "7"]) == USER_ERROR
    assert "--matches" in capsys.readouterr().err


def test_a_plan_on_a_narrow_screen_leaves_columns_out_and_cuts_no_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr("arena.tournament.forecast.CALIBRATION_SECONDS", 0.0)
    assert main(["plan", str(ROOT / "configs" / "swiss.yaml")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert all(len(line) <= 60 for line in lines)
    assert "rotations" not in lines[1] and {"naga", "yaniv"} <= {line.split(" ")[0] for line in lines[3:5]}
