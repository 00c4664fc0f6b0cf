"""The check of a bot as an autograder reads it: what gives a point, what is told, and what each system's format asks for."""

import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.cli.main import main
from arena.engine.random_tables import variants
from arena.records import Ending
from arena.reports.checks import bot_check_text
from arena.reports.grading import OUTPUT_LETTERS, classroom50, graded, gradescope
from arena.results.site_file import Account, OwnedBots, Role, SiteFile
from arena.server.contest.marks import Marks
from arena.server.views.contest import marks_csv
from arena.tournament import bot_check
from arena.tournament.check_report import BotCheck, FaultFound, GameCheck, failures, refused
from helpers.paths import BAD_BOTS, DOCS, HOUSE_BOTS

RUNNER = {
    "CLASSROOM": "cs-games", "ASSIGNMENT": "bot", "SUBMISSION_TAG": "submit/2026-06-01T14-32-05Z-a1b2c3d",
    "COMMIT_URL": "https://example.org/c", "RELEASE_URL": "https://example.org/r",
}  # fmt: skip


def game(name: str, *, is_complete: bool = True, **endings: int) -> GameCheck:
    return GameCheck(
        game=name, seats=(2,), variants=1, matches=sum(endings.values()), decisions=99, cpu_ms_p50=0.1, cpu_ms_p99=0.2,
        cpu_ms_max=0.25, wall_ms_max=0.3, endings={Ending(end): count for end, count in endings.items()},
        is_deterministic=True, is_complete=is_complete, wait_seconds=0.0, end_faults=0,
    )  # fmt: skip


def report(*games: GameCheck, faults: tuple[FaultFound, ...] = (), others: tuple[str, ...] = ()) -> BotCheck:
    refusals = (*others, *failures(games))
    return msgspec.structs.replace(refused("fox", ""), games=games, faults=faults, refusals=refusals)


def fault(name: str, output: str = "", view: str | None = "a hand") -> FaultFound:
    return FaultFound(game=name, seats=2, options={}, ending=Ending.CRASH, reason="ValueError: no", output=output, view=view)


def passed(found: BotCheck, *wanted: str) -> list[bool]:
    return [test.is_passed for test in graded(found, wanted)]


def test_a_game_without_a_fault_is_a_point_and_so_is_the_bot() -> None:
    assert passed(report(game("naga", played=7), game("yaniv", played=6, crash=1))) == [True, True, False]
    assert passed(report(game("naga", played=7, is_complete=False))) == [True, False]
    assert passed(report(game("naga", played=7), others=("fox.py: too large",))) == [False, True]


def test_the_number_of_points_is_that_of_the_games_asked_for_whatever_is_handed_in() -> None:
    for found in (refused("fox", "no bot"), report(game("naga", played=7)), report(game("naga", crash=3))):
        assert len(graded(found, ["naga", "yaniv", "naga"])) == 3
    assert passed(refused("fox", "no bot"), "naga") == [False, False]
    assert passed(report(game("naga", played=7)), "naga", "yaniv") == [True, True, False]


def test_a_test_tells_what_went_wrong_in_its_game_and_no_more_than_fits() -> None:
    faults = (fault("naga", "here\x1b[2J"), fault("yaniv"), *[fault("naga", "x" * OUTPUT_LETTERS, view=None)] * 9)
    _, naga, yaniv = graded(report(game("naga", crash=9), game("yaniv", crash=1), faults=faults), [])
    assert "naga: crash 9 in 9 matches" in naga.output and "here\\x1b[2J" in naga.output and "a hand" in naga.output
    assert len(naga.output) <= OUTPUT_LETTERS + 20 and "xx" not in yaniv.output and "ValueError: no" in yaniv.output


def test_the_text_of_a_check_has_no_colours_whatever_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    text = bot_check_text(report(game("naga", played=7)))
    assert "\x1b" not in text and text.endswith("it may enter")


def test_gradescope_gets_what_its_format_asks_for() -> None:
    found: dict[str, Any] = gradescope(report(game("naga", played=7), game("yaniv", crash=1), faults=(fault("yaniv"),)))
    assert found["visibility"] == "visible" and found["output_format"] == "text" and "it may not enter" in found["output"]
    for test in found["tests"]:
        assert 0 <= test["score"] <= test["max_score"] == 1 and test["visibility"] == "visible"
        assert (test["status"] == "passed") == (test["score"] == 1) and test["output_format"] == test["name_format"] == "text"
        assert test["name"] and test["output"]
    assert [test["score"] for test in found["tests"]] == [1, 1, 0]
    assert "score" not in found, "a score above the tests would override their sum"


def test_classroom50_gets_what_its_contract_asks_for() -> None:
    found: dict[str, Any] = classroom50(report(game("naga", played=7), game("yaniv", crash=1)), [], RUNNER)
    assert found["schema"] == "classroom50/result/v1" and found["review"] == RUNNER["COMMIT_URL"]
    texts = ("classroom", "assignment", "submission", "commit", "release", "review", "datetime")
    assert all(isinstance(found[name], str) and found[name] for name in texts)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", found["datetime"])
    for total, part in (("score", "score"), ("max-score", "max-score")):
        assert type(found[total]) is int and found[total] == sum(test[part] for test in found["tests"])
    assert [test["passed"] for test in found["tests"]] == [True, True, False] and found["score"] == 2
    assert classroom50(report(), [], RUNNER | {"REVIEW_URL": "https://example.org/d"})["review"] == "https://example.org/d"


@pytest.mark.usefixtures("one_zygote")
def test_the_command_prints_both(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot_check, "variants", lambda game, seats: variants(game, seats)[:1])
    words = ["check", str(HOUSE_BOTS / "naga_greedy.py"), "--game", "naga", "--format"]
    assert main([*words, "gradescope"]) == 0
    assert [test["score"] for test in json.loads(capsys.readouterr().out)["tests"]] == [1, 1]
    for name in RUNNER:
        monkeypatch.delenv(name, raising=False)
    assert main([*words, "classroom50"]) == 2 and "CLASSROOM, ASSIGNMENT" in capsys.readouterr().err
    for name, value in RUNNER.items():
        monkeypatch.setenv(name, value)
    assert main(["check", str(BAD_BOTS / "illegal.py"), "--game", "naga", "--format", "classroom50"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["score"], found["max-score"]) == (1, 2) and "illegal" in found["tests"][1]["output"]


# Marks for Moodle and Canvas, by the recipe of the page ---------------------------------------------------------------------

MARKS = "\ufeffauthor,bot,version,mark,pool,rank,rating\r\n" + "".join(
    f"{line}\r\n" for line in (
        '"Ito, Aya",owl,2,4.5,overall,1,30', '"Ito, Aya",owl,2,4.5,naga,1,31', "Ben Sato,bee,1,,naga,2,9", "Zoe,,,,,,",
    )
)  # fmt: skip
CANVAS = (
    "Student,ID,SIS User ID,SIS Login ID,Section,Bot (4711)\n    Points Possible,,,,,5\n"
    '"Ito, Aya",11,s1,aya,A,\nBen Sato,12,s2,ben,A,\n"Cho, Kim",13,s3,kim,A,3\n'
)


def recipe(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    (text,) = re.findall(
        r"^```python\n(# marks_into\.py\n.*?)^```$", (DOCS / "contest.md").read_text(), re.DOTALL | re.MULTILINE
    )
    (folder / "marks_into.py").write_text(text)
    (folder / "marks.csv").write_bytes(MARKS.encode())
    command = [sys.executable, "marks_into.py", "marks.csv", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)


def test_the_recipe_fills_in_the_column_of_a_gradebook_and_leaves_all_else(tmp_path: Path) -> None:
    (tmp_path / "canvas.csv").write_text(CANVAS)
    done = recipe(tmp_path, "canvas.csv", "Student", "Bot (4711)", "filled.csv")
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader(io.StringIO((tmp_path / "filled.csv").read_text(encoding="utf-8-sig"))))
    assert [row["Bot (4711)"] for row in rows] == ["5", "4.5", "0", "3"]  # who has no account keeps what was there
    before = list(csv.DictReader(io.StringIO(CANVAS)))
    assert [{**row, "Bot (4711)": ""} for row in rows] == [{**row, "Bot (4711)": ""} for row in before]
    assert done.stderr.splitlines() == ["not in canvas.csv: Zoe"]


def test_the_recipe_knows_students_by_several_columns_and_names_one_that_is_missing(tmp_path: Path) -> None:
    (tmp_path / "moodle.csv").write_text(
        "\ufeffFirst name,Last name,Email address,Assignment: Bot (Real)\nBen,Sato,b@x.org,-\nAya,Ito,a@x.org,-\n", "utf-8"
    )
    words = ["moodle.csv", "First name+Last name", "Assignment: Bot (Real)", "filled.csv"]
    assert recipe(tmp_path, *words).returncode == 0
    rows = list(csv.DictReader(io.StringIO((tmp_path / "filled.csv").read_text("utf-8"))))
    assert [(row["Email address"], row["Assignment: Bot (Real)"]) for row in rows] == [("b@x.org", "0"), ("a@x.org", "-")]
    refused = recipe(tmp_path, "moodle.csv", "Name", *words[2:])
    assert refused.returncode == 1 and "has no column 'Name'" in refused.stderr and "Traceback" not in refused.stderr


def test_the_recipe_reads_the_marks_of_the_server(tmp_path: Path) -> None:
    """What it reads are columns that the CSV of the server has."""
    nobody = Marks(contest="c", at="", is_frozen=False, marks={}, matches=0, before=0, sha256=None, bots=())
    author = Account(id="a", name="Zoe", folded="zoe", role=Role.AUTHOR, since="")
    text = marks_csv(nobody, OwnedBots(SiteFile(tmp_path)), [author])
    (row,) = csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""))
    assert row["author"] == "Zoe" and row["mark"] == ""
