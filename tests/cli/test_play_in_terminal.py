"""`arena play`: a whole match by script, what can be typed, leaving, and what is stored. Reads well in 60 columns."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.cli.main import main
from arena.cli.table import screen
from arena.cli.table.person import PROMPT
from arena.cli.table.screen import columns, menu, numbered
from arena.match import HostTrouble
from arena.reports.pages.words import language_of_locale
from arena.server.people.levels import ratings
from arena.server.people.store import PERSON, records
from arena.tournament.archive.finding import find_match
from helpers.paths import BAD_BOTS

Play = Callable[..., tuple[int, str, str]]
COLUMNS = 60


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Play:
    """`arena play` with these answers; then the input ends."""
    monkeypatch.setenv("COLUMNS", str(COLUMNS))
    monkeypatch.setenv("LANG", "C")
    monkeypatch.delenv("LC_ALL", raising=False)
    monkeypatch.setattr("arena.server.table_process.broadcaster.MOST_MATCHES", 1)
    monkeypatch.setattr("arena.cli.table.person.SEARCH", {"iterations": 60})

    def played(*words: object, answers: list[str]) -> tuple[int, str, str]:
        left = iter(answers)

        def reply(prompt: str) -> str:
            print(prompt, end="")
            for answer in left:
                print(answer)
                return answer
            raise EOFError

        monkeypatch.setattr("builtins.input", reply)
        code = main(["play", *map(str, words), "--seed", "3", "--out", str(tmp_path)])
        found = capsys.readouterr()
        assert "Traceback" not in found.out + found.err
        return code, found.out, found.err

    return played


def test_a_whole_match_is_shown_stored_and_rated(play: Play, tmp_path: Path) -> None:
    code, text, _ = play("naga", "--level", "beginner", "--name", "alice", answers=["0"] * 60)
    assert code == 0
    assert max(map(len, text.splitlines())) <= COLUMNS
    assert "seat 0 you (alice)" in text and "seat 1 beginner" in text
    for expected in ("The match is over.", "place 1", "most at decision", "luck of the deal", "rating of alice"):
        assert expected in text, expected
    (record,) = records(tmp_path)
    assert [row.bot for row in record.seats] == ["alice", "beginner"] and record.seats[0].isolation == PERSON
    assert f"arena replay {record.match_id[:8]}" in " ".join(text.split())
    assert find_match(tmp_path, record.match_id[:8])[0] == record
    assert [one.name for one in ratings(tmp_path)["naga"]] == ["alice"]


def test_the_same_seed_deals_the_same_cards(play: Play) -> None:
    hands = []
    for name in ("alice", "bob"):
        _, text, _ = play("naga", "--level", "casual", "--name", name, answers=["quit"])
        hands.append([line for line in text.splitlines() if line.startswith("  seat 0: ")])
    assert hands[0] == hands[1] != []


def test_everything_that_can_be_typed(play: Play) -> None:
    asked = ["?", "hint", "known", "why d3", "why", "log", "table", "", "FIELD", "field 7", "quit"]
    code, text, _ = play("naga", "--level", "casual", "--seat", "1", answers=asked)
    assert code == 0 and "You left the table. The match is not stored." in text
    said = dict(zip(asked, text.split(PROMPT)[1:]))
    assert "You can play:" in said["?"] and "rules [SECTION]" in said["?"]
    assert "hint: " in said["hint"] and "less, tried" in said["hint"]
    assert said["known"].strip() and said["log"].strip()
    assert "field 7" in said["FIELD"] and "not possible" not in said["FIELD"]
    assert "you: field 7" in said["field 7"]
    assert max(map(len, text.splitlines())) <= COLUMNS


def test_rules_are_shown_whole_or_by_section_in_the_language_of_the_terminal(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, text, _ = play("naga", "--level", "casual", answers=["rules 2.2", "rules 9.9", "? rules", "quit"])
    found = text.split(PROMPT)
    assert "Course of a game" in found[1] and "Comparison" not in found[1]
    assert "No section '9.9'" in found[2] and "2.4 Comparison" in found[2]
    assert "Course of a game" in found[3] and "2.4 Comparison" in found[3]
    monkeypatch.setenv("LC_ALL", "ja_JP.UTF-8")
    assert language_of_locale() == "ja"
    _, text, _ = play("naga", "--level", "casual", answers=["rules 2.2", "quit"])
    assert "ナーガ" in text or "ゲーム" in text


def test_why_a_card_cannot_be_played_names_the_rule(play: Play) -> None:
    """With seed 3 the person at Yaniv draws after discarding: no card of the hand can be played then."""
    _, text, _ = play("yaniv", "--level", "beginner", answers=["0", "why", "quit"])
    said = text.split(PROMPT)[2]
    assert "(rules 5.2)" in " ".join(said.split()) and "why_" not in said


def test_nothing_is_stored_when_the_person_leaves(play: Play, tmp_path: Path) -> None:
    assert play("naga", "--level", "casual", answers=["0", "0"])[0] == 130
    assert play("naga", "--level", "casual", answers=["quit"])[0] == 0
    assert not (tmp_path / "people").exists()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--level", "exprt"], 'did you mean "expert"'),
        (["--level", "club", "--against", "house:random_bot"], "by one of them"),
        (["--level", "club", "--param", "iterations=3"], "--param: only with --against"),
        (["--level", "club", "--seat", "2"], "a seat from 0 to 1, not 2"),
        (["--level", "club", "--level", "club"], "3"),
        (["--name", "  "], "--name"),
        (["--against", "house:naga_plannr"], 'did you mean "naga_planner"'),
    ],
)
def test_a_wrong_command_line_is_one_message(play: Play, words: list[str], expected: str) -> None:
    code, text, complaint = play("naga", *words, answers=[])
    assert code == 2 and expected in complaint and not text


def test_equal_levels_are_told_apart_and_a_name_is_made_harmless(play: Play) -> None:
    _, text, _ = play("hisatsu", "--level", "casual", "--name", "e\x1b[2Jve", answers=["quit"])
    assert "seat 1 casual" in text and "seat 2 casual-2" in text
    assert "\x1b" not in text and r"e\x1b[2Jve" in text


def test_who_names_no_opponent_plays_somebody_about_as_good(play: Play, tmp_path: Path) -> None:
    assert "seat 1 casual" in play("naga", "--name", "alice", answers=["quit"])[1]
    for _ in range(3):
        play("naga", "--level", "casual", "--name", "alice", answers=["0"] * 60)
    assert ratings(tmp_path)["naga"][0].wins == 0
    assert "seat 1 beginner" in play("naga", "--name", "alice", answers=["quit"])[1]


def test_a_bot_that_fails_loses_and_the_match_is_stored(play: Play, tmp_path: Path) -> None:
    code, text, _ = play("naga", "--against", BAD_BOTS / "raises.py", answers=["0"] * 60)
    assert code == 0 and "place 1  seat 0 you" in text
    assert len(list(records(tmp_path))) == 1


SLOW_BOT = '''
import os, signal
from arena.agent import Agent

class Slow(Agent):
    """Ctrl-C arrives while it thinks."""

    def act(self, view):
        os.kill(os.getpid(), signal.SIGINT)
        return view.legal[0]
'''


def test_ctrl_c_while_a_bot_thinks_ends_with_one_line(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW_BOT)
    done = subprocess.run(
        [sys.executable, "-m", "arena", "play", "naga", "--against", "slow.py", "--out", "out", "--seat", "1"],
        cwd=tmp_path, input="0\n" * 60, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 130, done.stderr
    assert done.stdout.rstrip().endswith("You left the table. The match is not stored.")
    assert "Traceback" not in done.stdout + done.stderr and not (tmp_path / "out" / "people").exists()


def test_input_may_come_from_a_pipe(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "arena", "play", "naga", "--level", "beginner", "--out", str(tmp_path)],
        input="0\n", capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 130 and "You left the table." in done.stdout


def test_many_actions_are_shown_by_kind_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    actions = numbered([f"play {first}{second}" for first in range(10) for second in range(20)] + ["pass"])
    lines = menu(actions, COLUMNS)
    assert len(lines) < 8 and lines[-1].strip() == "200 pass"
    assert "more of 200: type play to see them" in lines[2]
    assert max(map(len, lines)) <= COLUMNS
    whole = columns(actions, COLUMNS)
    assert sum(line.count("play") for line in whole) == 200 and max(map(len, whole)) <= COLUMNS
    monkeypatch.setattr(shutil, "get_terminal_size", lambda _: os.terminal_size((7, 24)))
    assert screen.width() == screen.NARROWEST


def test_a_match_that_cannot_be_stored_is_shown_all_the_same(play: Play, tmp_path: Path) -> None:
    (tmp_path / "people").write_text("a file is in the way")
    code, text, complaint = play("naga", "--level", "beginner", answers=["0"] * 60)
    assert code == 2 and "place 1" in text and "stored as" not in text
    assert "cannot be written" in complaint


def test_a_failure_of_the_machine_is_one_message(play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise HostTrouble(1, "no memory")

    monkeypatch.setattr("arena.match.in_process.InProcessSeat.answer", fail)
    code, _, complaint = play("naga", "--level", "beginner", answers=["0"] * 60)
    assert code == 2 and "the machine failed, not a bot: seat 1: no memory" in complaint
    assert not (tmp_path / "people").exists()


@pytest.mark.parametrize(("game", "words"), [("naga", ["field 1", "field 2"]), ("yaniv", ["0", "1"])])
def test_the_last_action_is_taken_back_while_nobody_has_acted(play: Play, game: str, words: list[str]) -> None:
    """By a parent of Naga who designates (seed 3), and at Yaniv between laying cards and drawing."""
    seat = {"naga": 1}.get(game, 0)
    answers = ["back", *words[:1], "back", "back", *words[1:], "log", "back", "quit"]
    _, text, _ = play(game, "--level", "beginner", "--seat", seat, answers=answers)
    said = text.split(PROMPT)
    assert "Not taken back" in said[1] and "Type back" not in said[0] + said[1]
    assert "Type back to take" in said[2]
    again = said[3].partition("You took your last action back.")[2]
    assert again.strip() == said[0].partition("what else you can type.")[2].strip()
    assert "Not taken back" in said[4]
    assert said[6].count("you: ") == 1, "what was taken back is not told"
    assert "You took your last action back." in said[7]
