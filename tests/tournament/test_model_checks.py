"""The check of a language model: a match of each game where its owner asks for it, and no entry where strangers' bots go."""

from pathlib import Path

import pytest

from arena.agent import read_bot
from arena.agent.submissions import Submissions
from arena.cli.main import main
from arena.tournament.bot_check import check_bot
from helpers.paths import ROOT
from helpers.stub_model import action, at_random, model_folder, serving


def test_its_owner_is_told_how_it_plays(tmp_path: Path) -> None:
    with serving(at_random) as stub:
        bot = read_bot(model_folder(tmp_path, stub.address, legal="list"))
        report = check_bot("model", bot, chosen=["naga"], may_ask=True, seed=1)
        assert report.may_enter and report.isolation == "llm"
        assert [(one.game, one.matches, one.is_deterministic) for one in report.games] == [("naga", 1, None)]
        assert report.warnings == ()
        stub.answer = lambda _: action("nothing")
        failed = check_bot("model", bot, chosen=["naga"], may_ask=True, seed=1)
    assert not failed.may_enter and "illegal" in failed.refusals[0]


def test_it_cannot_be_submitted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also not to a server elsewhere, which is not even asked."""
    with serving(at_random) as stub:
        path = model_folder(tmp_path, stub.address)
        assert main(["submit", str(path), "--out", str(tmp_path / "out")]) == 1
        assert "plays only as `trusted: true`" in capsys.readouterr().out
        assert (
            main(["submit", str(path), "--to", "http://127.0.0.1:9", "--token", "t" * 43, "--out", str(tmp_path / "out")]) == 1
        )
        assert "plays only as `trusted: true`" in capsys.readouterr().out
        assert Submissions(tmp_path / "out").names() == []
        assert stub.asked == []


def test_a_server_refuses_it(tmp_path: Path) -> None:
    """What it runs for whatever was sent is this check."""
    with serving(at_random) as stub:
        report = check_bot("model", read_bot(model_folder(tmp_path, stub.address)))
    assert not report.may_enter and stub.asked == []
    assert "a language model is asked with the organiser's key" in report.refusals[0]


def test_new_writes_a_model_that_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", str(tmp_path / "mine"), "--llm", "--game", "yaniv"]) == 0
    bot = read_bot(tmp_path / "mine")
    assert bot.model is not None and bot.model.games == ["yaniv"] and bot.model.name == "mine"
    text = (tmp_path / "mine" / "bot.toml").read_text()
    for line in [
        line for line in text.splitlines() if line.startswith("# ") and " = " in line
    ]:  # what is left out is right, too
        text = text.replace(line, line.removeprefix("# "))
    (tmp_path / "mine" / "bot.toml").write_text(text)
    assert read_bot(tmp_path / "mine").model is not None
    assert main(["new", str(tmp_path / "other"), "--llm", "--command"]) == 2
    assert "leave --command out" in capsys.readouterr().err


def test_the_example_is_read() -> None:
    assert read_bot(ROOT / "bots" / "examples" / "language_model").model is not None
