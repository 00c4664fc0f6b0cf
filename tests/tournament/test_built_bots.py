"""Bots that come as source, where they enter: a check, a submission, a match, a tournament that goes on."""

import os
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from arena.agent import read_bot
from arena.agent.submissions import Submissions
from arena.cli.main import main
from arena.tournament import bot_check
from arena.tournament.config import read_config
from arena.tournament.run import run_tournament
from arena.tournament.session import LOCAL, Settings, read_results
from helpers.command_bots import PLAY
from helpers.paths import HOUSE_BOTS

BUILD = """
import pathlib, sys
print("reading play.x")
text = pathlib.Path("play.x").read_text()
if "wrong" in text:
    sys.exit("play.x:2:5: error: a word that nobody knows: wrong")
pathlib.Path("bot.py").write_text(text)
"""
TOML = """
name = "made"
command = ["python3", "bot.py"]
[build]
command = ["python3", "-S", "build.py"]
makes = ["bot.py"]
"""


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A folder with the source of a bot, from which its program is made."""
    folder = tmp_path / "made"
    folder.mkdir()
    (folder / "play.x").write_text(f"{PLAY}# {os.getpid()} {tmp_path}\n")
    for name, text in (("build.py", BUILD), ("bot.toml", TOML)):
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def broken(made: Path) -> Path:
    with (made / "play.x").open("a") as file:
        file.write("wrong\n")
    return made


def test_a_build_that_fails_refuses_the_bot_with_place_and_log(
    broken: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(broken), "--out", str(tmp_path / "out")]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "refused: made: its build failed: python3 ended with exit code 1; play.x:2:5: error: a word that nobody" in said
    assert "it printed: reading play.x play.x:2:5: error" in said and said.endswith("it may not enter")
    assert main(["match", "naga", str(broken), "house:random_bot", "--locked"]) == 2
    assert "its build failed" in capsys.readouterr().err


def test_what_was_built_is_kept_as_the_submission_with_its_source_and_its_log(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot_check, "variants", lambda game, seats: [{}])
    toml = TOML.replace("command", 'games = ["naga"]\ncommand', 1)
    (made / "bot.toml").write_text(toml)
    out = tmp_path / "out"
    assert main(["submit", str(made), "--out", str(out), "--format", "json"]) == 0
    entry: dict[str, Any] = msgspec.json.decode(capsys.readouterr().out)
    (version,) = Submissions(out).versions("made")
    source = read_bot(made)
    assert version.source == source.sha256 == entry["check"]["build"]["source"] != version.sha256 == entry["sha256"]
    bot = Submissions(out).files(version)
    assert not bot.wants_build and bot.files["bot.py"] == source.files["play.x"]
    log = out / "submissions" / "versions" / "made" / "1.build.log"
    assert log.read_text() == entry["check"]["build"]["log"] == "reading play.x\n"
    shutil.rmtree(made)
    assert main(["match", "naga", "submitted:made", "house:random_bot", "--out", str(out), "--seed", "1"]) == 0


def test_a_tournament_plays_what_was_made_and_goes_on_with_it(made: Path, tmp_path: Path) -> None:
    config = {
        "name": "built", "deals": 1, "seed": 3, "games": [{"game": "naga", "seats": 2}],
        "bots": [str(made), str(HOUSE_BOTS / "random_bot.py")],
    }  # fmt: skip
    path = tmp_path / "built.yaml"
    path.write_text(yaml.safe_dump(config))
    settings = Settings(out=tmp_path / "out", backend=LOCAL, workers=1, is_lasting=False)
    (made / "bot.py").write_text("raise SystemExit('of the author, who is not believed')")
    results = run_tournament(read_config(path, settings.out), settings)
    source = read_bot(made)
    (bot,) = (one for one in results.manifest.bots if one.name == "made")
    assert bot.sha256 != source.sha256 == read_bot(made).source.sha256
    assert {seat.ending.value for record in results.records() for seat in record.seats} == {"played"}
    again = run_tournament(read_config(path, settings.out), settings)
    assert again.manifest.results_sha256 == read_results(results.folder).manifest.results_sha256
