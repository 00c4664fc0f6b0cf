"""The server beside the ladder of its contest: it starts it, hears it, starts it again, and hangs up at its end."""

import asyncio
import sys
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from arena.errors import ConfigError
from arena.results.inbox import Inbox, State
from arena.server.app import application
from arena.server.contest.messages import Checked
from arena.server.running_contest import running
from arena.server.running_contest.running import RunningContest
from arena.server.submitting.checks import Checks
from arena.tournament.check_report import refused
from helpers import scripted_ladder
from helpers.contests import write_contest
from helpers.server import server

PATIENCE = 60.0


async def until(is_so: Callable[[], bool]) -> None:
    """Wait for something that happens soon."""
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end, "it has not happened"
        await asyncio.sleep(0.01)


def test_a_server_starts_the_ladder_again_hears_it_and_hangs_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "FIRST_WAIT", 0.01)
    results, diary = tmp_path / "out", tmp_path / "diary"
    inbox = Inbox(results)
    sent = inbox.receive("someone", "alice", b"x", ".py", is_taken=False, is_organiser=False)
    inbox.end(sent, State.ACCEPTED, b"{}", sha256="0" * 64, version=1)
    command = (sys.executable, str(Path(scripted_ladder.__file__)), str(diary))
    contest = RunningContest(write_contest(tmp_path), results, workers=3, command=command)
    app = application(results, contest=contest)

    async def live() -> None:
        async with app.router.lifespan_context(app):
            await until(lambda: contest.state.doing == "playing")
            assert (contest.state.text, contest.state.matches, contest.state.rate) == ("2 bots", 7, 3.5)
            contest.look()
            await until(lambda: contest.state.doing == "waiting")
            contest.freeze()
            await until(lambda: "freeze" in diary.read_text())

    asyncio.run(live())
    assert diary.read_text().split("\n") == ["begin 3", "begin 3", "look", "freeze", "hung up", ""]
    found = inbox.find(sent.id)
    assert found is not None and found.stage == "rated" and found.entered
    said = "\n".join(contest.said)
    assert "what a mistake" in said and "ended with exit code 3; it starts again" in said and "a line for the organiser" in said
    assert contest.pid is None


def test_a_version_that_is_rated_came_into_the_ladder_before(tmp_path: Path) -> None:
    """The ladder may find a version before its check has told the server: what it says then is heard too early."""
    inbox = Inbox(tmp_path)
    sent = inbox.receive("someone", "alice", b"x", ".py", is_taken=False, is_organiser=False)
    inbox.mark_entered("alice", 1)
    inbox.end(sent, State.ACCEPTED, b"{}", sha256="0" * 64, version=1)
    inbox.mark_rated("alice", 1)
    found = inbox.find(sent.id)
    inbox.close()
    assert found is not None and found.stage == "rated" and found.rated and found.entered


def test_the_author_of_a_version_that_is_left_out_is_told_on_its_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Checks, "start", lambda self: None)
    inbox = Inbox(tmp_path)
    with server(tmp_path) as client:
        address = client.put("/api/bots/alice", content=b"x").headers["location"]
        sent = inbox.find(address.rpartition("/")[2])
        assert sent is not None
        outcome = Checked(report=refused("alice", ""), version=1, is_new=True)
        inbox.end(sent, State.ACCEPTED, msgspec.json.encode(outcome), sha256="0" * 64, version=1)
        inbox.mark_rated("alice", 1)
        assert client.get(address).json()["submission"]["state"] == "rated"
        inbox.leave_out("alice", 1, 31.6)
        told = client.get(address).json()["submission"]
        assert (told["state"], told["asleep"]) == ("slow", 31.6)
        for page in (f"/submissions/{sent.id}", "/me"):
            assert "too slow to take part: it slept for 32 s in the ladder" in client.get(f"{page}?lang=en").text
            assert "このサーバーには遅すぎます" in client.get(f"{page}?lang=ja").text
        second = inbox.receive(sent.account, "alice", b"y", ".py", is_taken=False, is_organiser=False)
        assert inbox.end(second, State.ACCEPTED, b"{}", sha256="1" * 64, version=2).stage == "accepted"


def test_an_address_that_is_none_is_refused_before_the_server_opens(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="--address: HOST:PORT"):
        RunningContest(write_contest(tmp_path), tmp_path / "out", address="somewhere")
    with pytest.raises(ConfigError, match="--workers: at least 1"):
        RunningContest(write_contest(tmp_path), tmp_path / "out", workers=0)


def test_a_ladder_that_cannot_be_started_stops_no_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    contest = RunningContest(write_contest(tmp_path), tmp_path / "out", command=(str(tmp_path / "none"),))
    app = application(tmp_path / "out", contest=contest)

    async def live() -> None:
        async with app.router.lifespan_context(app):
            await until(lambda: contest.state.doing == "failed")
            assert "cannot be started" in contest.state.text

    asyncio.run(live())


def test_the_terminal_says_once_that_the_ladder_does_not_play(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(running, "FIRST_WAIT", 0.005)
    contest = RunningContest(write_contest(tmp_path), tmp_path / "out", command=(str(tmp_path / "none"),))

    async def live() -> None:
        contest.start()
        await until(lambda: len(contest.said) >= 3)  # it was started, and failed, three times
        await contest.close()

    asyncio.run(live())
    told = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
    assert len(told) == 1 and told[0].startswith("the ladder of the contest class has failed: the ladder cannot be started")
