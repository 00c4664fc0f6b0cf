"""What a text names as a bot: on the command line, in Python and in a config."""

import json
from pathlib import Path

import pytest

from arena.agent import loading
from arena.agent.loading import house_bots, named_bot
from arena.cli.main import main
from arena.errors import BotError
from arena.match.single_match import play_match
from helpers.paths import HOUSE_BOTS

UNKNOWN = 'house:naga_plannr: no house bot of this name; did you mean "naga_planner"?'


def test_a_house_bot_is_found_and_any_other_text_is_a_path() -> None:
    assert named_bot("house:naga_planner").read_bytes() == (HOUSE_BOTS / "naga_planner.py").read_bytes()
    assert named_bot("bots/naga_planner.py") == Path("bots/naga_planner.py")
    assert set(house_bots()) == {path.stem for path in HOUSE_BOTS.glob("*.py")}


@pytest.mark.parametrize("text", ["house:", "house:../bots/naga_planner", "house:examples", "house:naga_planner.py"])
def test_only_names_of_house_bots_are_found(text: str) -> None:
    with pytest.raises(BotError, match=r"no house bot of this name; (did you mean|known: champion, )"):
        named_bot(text)


def test_an_installation_without_house_bots_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "house_folder", lambda name: tmp_path / name)
    with pytest.raises(BotError, match="the house bots are missing; install arena again"):
        named_bot("house:naga_planner")


def test_a_match_is_the_same_by_name_and_by_path(capsys: pytest.CaptureFixture[str]) -> None:
    shown = []
    for planner, greedy in (
        ("house:naga_planner", "house:naga_greedy"),
        (HOUSE_BOTS / "naga_planner.py", HOUSE_BOTS / "naga_greedy.py"),
    ):
        assert main(["match", "naga", str(planner), str(greedy), "--seed", "4", "--format", "json"]) == 0
        shown.append(json.loads(capsys.readouterr().out))
    assert shown[0]["actions"] == shown[1]["actions"]
    assert [[seat["bot"] for seat in record["seats"]] for record in shown] == [["naga_planner", "naga_greedy"]] * 2
    by_name, by_path = (play_match("naga", [bot] * 2, seed=4) for bot in ("house:naga_greedy", HOUSE_BOTS / "naga_greedy.py"))
    assert by_name.actions == by_path.actions and len(by_name.actions) > 10


@pytest.mark.parametrize(
    "words",
    [
        ["match", "naga", "house:naga_plannr", "house:naga_greedy"],
        ["play", "naga", "--against", "house:naga_plannr"],
        ["check", "house:naga_plannr"],
        ["submit", "house:naga_plannr"],
        ["capsule", "0" * 24, "0", "--run", "--bot", "house:naga_plannr"],
    ],
    ids=lambda words: words[0],
)
def test_an_unknown_house_bot_is_refused_by_every_command(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    captured = capsys.readouterr()
    assert captured.err == f"arena: {UNKNOWN}\n" and captured.out == ""
