"""`arena tournament --demo`: a board without any file, and what to do next."""

import signal
from pathlib import Path

import pytest
import yaml

from arena.cli.main import main
from arena.cli.verbs import tournament
from arena.tournament.config import read_config
from helpers.paths import CONFIGS

SHORT = {"yaniv": {"max_rounds": 1}}


@pytest.fixture
def short_demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The demo with one deal a table, played in an empty folder."""
    config = yaml.safe_load((CONFIGS / "demo.yaml").read_text())
    games = [{**game, "deals": 1, "options": SHORT.get(game["game"], {})} for game in config["games"]]
    shorter = {**config, "deals": 1, "games": games}
    (tmp_path / "house").mkdir()
    (tmp_path / "house" / "demo.yaml").write_text(yaml.safe_dump(shorter))
    (tmp_path / "empty").mkdir()
    monkeypatch.setattr(tournament, "house_folder", lambda name: tmp_path / "house")
    monkeypatch.chdir(tmp_path / "empty")


@pytest.mark.usefixtures("short_demo")
def test_the_demo_plays_without_a_file_and_says_what_is_next(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "head:6379")  # no business of the demo's
    assert main(["tournament", "--demo", "--workers", "1", "--seed", "1"]) == 0
    shown = capsys.readouterr()
    assert "naga_planner" in shown.out and "yaniv_counter" in shown.out and "finished" in shown.out
    following = shown.err.split("\nnext:\n")[1].splitlines()
    assert [line.split()[1] for line in following] == ["report", "init", "new", "match"]
    assert {path.name for path in Path("leaderboards").iterdir()} >= {"demo", "archive"}
    assert main(following[0].split()[1:]) == 0  # arena report demo


@pytest.mark.usefixtures("short_demo")
def test_the_next_commands_name_the_folder_that_was_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tournament", "--demo", "--workers", "1", "--out", "my boards", "--name", "first", "--format", "json"]) == 0
    assert "  arena report first --out 'my boards'\n" in capsys.readouterr().err


@pytest.mark.usefixtures("short_demo")
def test_a_stopped_demo_is_resumed_by_the_same_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object) -> None:
        signal.raise_signal(signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr("arena.cli.shared.running.Screen.progress", stop)
        assert main(["tournament", "--demo", "--workers", "1"]) == 130
    assert main(["status", "--format", "json"]) == 0
    assert '"arena tournament --demo --backend local --workers 1"' in capsys.readouterr().out
    assert main(["tournament", "--demo", "--workers", "1"]) == 0
    assert "finished" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "arena: CONFIG: name a YAML file, or try --demo; `arena init FOLDER` writes configs to play\n"),
        (["duel.yaml", "--demo"], "arena: CONFIG: leave duel.yaml out: --demo has a config of its own; "),
    ],
)
def test_either_a_config_or_the_demo(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tournament", *words]) == 2
    assert capsys.readouterr().err.startswith(message)


def test_the_demo_is_a_config_like_any_other_and_needs_no_search() -> None:
    bots = read_config(CONFIGS / "demo.yaml").bots
    assert len({bot.name for bot in bots}) == 5
    assert not any(b".search(" in content for bot in bots for content in bot.files.files.values())
