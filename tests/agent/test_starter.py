"""`arena new`: what it writes works at once, overwrites nothing, and tells all that a view offers."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from arena.agent.starter import attributes, python_bot
from arena.cli.main import main
from arena.games import load, names
from arena.match.single_match import play_match
from arena.records import Ending

pytestmark = pytest.mark.usefixtures("one_zygote")


def test_a_new_bot_passes_the_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new", "first-bot", "--game", "naga"]) == 0
    assert main(["check", "first-bot.py"]) == 0
    assert main(["new", "program", "--command", "--game", "naga"]) == 0
    assert main(["check", "program"]) == 0
    text = capsys.readouterr().out
    assert text.count("it may enter") == 2 and "memory: " in text.split("next: ")[-1]


@pytest.mark.parametrize("name", names())
def test_a_new_bot_of_every_game_plays(name: str, tmp_path: Path) -> None:
    game = load(name)
    special, general = tmp_path / "special.py", tmp_path / "general.py"
    special.write_text(python_bot("special", game))
    general.write_text(python_bot("general", None))
    record = play_match(name, [special, *[general] * (game.seats[0] - 1)], seed=1)
    assert {seat.ending for seat in record.seats} == {Ending.PLAYED}, record.notes


@pytest.mark.parametrize("name", names())
def test_every_attribute_of_a_view_has_a_type_and_a_meaning(name: str) -> None:
    found = attributes(load(name))
    assert len(found) > 5
    assert all(attribute.type not in ("", "_empty") and attribute.meaning.endswith(".") for attribute in found)
    source = python_bot("some", load(name))
    assert all(f"view.{attribute.text}:" in source for attribute in found)
    assert max(map(len, source.splitlines())) <= 128


def test_a_new_program_speaks_the_wire_protocol(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new", "talker", "--command"]) == 0
    asked = [
        {"type": "start", "id": 0, "protocol": 1, "seed": "5", "game": "naga", "seats": 2, "seat": 0},
        {"type": "act", "id": 7, "legal": ["field 1", "field 2"], "position": {}, "events": []},
        {"type": "end", "id": 8, "places": [1, 2], "scores": [1, 0]},
    ]
    lines = "".join(json.dumps(message) + "\n" for message in asked)
    run = subprocess.run([sys.executable, "talker/bot.py"], input=lines, capture_output=True, text=True, check=True)
    started, acted = (json.loads(line) for line in run.stdout.splitlines())
    assert started == {"id": 0, "ok": True}
    assert acted["id"] == 7 and acted["action"] in ("field 1", "field 2")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["Bad Name"], "a name is 1 to 40 of a-z"),
        (["here"], "here.py: is there already"),
        (["nowhere/some"], "there is no folder nowhere"),
        (["some", "--game", "nagga"], 'did you mean "naga"?'),
        (["folder", "--command"], "folder: is there already"),
    ],
)
def test_nothing_is_written_where_it_should_not_be(
    words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here.py").write_text("mine")
    (tmp_path / "folder").mkdir()
    assert main(["new", *words]) == 2
    assert message in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["folder", "here.py"]
    assert (tmp_path / "here.py").read_text() == "mine"
