"""`arena join` against a server in a process of its own, through a line that the test cuts."""

import contextlib
import json
import re
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.results.accounts import Accounts
from arena.results.site_file import Role, SiteFile
from arena.server.people.store import records
from helpers.command_bots import PLAIN
from helpers.line import Line
from helpers.paths import KITS
from helpers.tournaments import arena

SLOW_BOT = '''
"""Plays the first legal action, slowly enough for a line to be cut meanwhile."""
import time
from arena.agent import Agent

class Slow(Agent):
    games = ("naga",)

    def act(self, view):
        time.sleep(0.1)
        return 0
'''


@contextlib.contextmanager
def server(results: Path, line: Line) -> Iterator["subprocess.Popen[str]"]:
    """A server behind the line."""
    process = arena("serve", results, "--port", 0, "--no-browser")
    assert process.stdout is not None
    found = re.search(r"http://127\.0\.0\.1:(\d+)", process.stdout.readline())
    assert found is not None
    line.target = int(found[1])
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)


def until(process: "subprocess.Popen[str]", pattern: str) -> str:
    """The next line of a process that fits."""
    assert process.stdout is not None
    for text in process.stdout:
        if re.search(pattern, text):
            return text
    raise AssertionError(f"it never said {pattern}")


def end(process: "subprocess.Popen[str]") -> None:
    """Leave nothing of a process: later tests in this one would be blamed for it."""
    process.kill()
    process.communicate()


@pytest.fixture
def token(tmp_path: Path) -> str:
    """The token of an author, which outlives a server."""
    accounts = Accounts(SiteFile(tmp_path))
    joined = accounts.join(accounts.invite("test", ["Aya"], Role.AUTHOR)[0].code)
    assert joined is not None
    return joined.token


@pytest.mark.slow
def test_a_cut_line_and_another_server_cost_no_more_than_a_void_match(tmp_path: Path, token: str) -> None:
    line, bot = Line(), tmp_path / "slow_bot.py"
    bot.write_text(SLOW_BOT)
    with server(tmp_path, line):
        client = arena("join", f"http://127.0.0.1:{line.port}", bot, "--token", token, "--game", "naga")
        try:
            assert "Aya/slow_bot is here" in until(client, "is here")
            cut = threading.Timer(1.2, line.cut)  # in the middle of a match, or between two: both go on
            cut.start()
            first = until(client, "^match 1")
            assert "place" in first and "(" not in first, first
            cut.join()
            last = until(client, r"^match 2")
            assert "place" in last and "(" not in last, last
        except BaseException:
            end(client)
            raise
    with server(tmp_path, line):
        try:
            assert "place" in until(client, r"^match \d+.*place")
            client.send_signal(signal.SIGINT)
            _, err = client.communicate(timeout=60)
        except BaseException:
            end(client)
            raise
        assert client.returncode == 0 and "leaving after the present match" in err and "Traceback" not in err
    line.close()
    stored = list(records(tmp_path))
    assert len(stored) >= 3 and {one.pool for one in stored} == {"remote/naga"}
    assert all(row.ending == "played" for one in stored for row in one.seats)
    seats = [row for one in stored for row in one.seats if row.isolation == "remote"]
    assert {row.bot for row in seats} == {"Aya/slow_bot"} and len(seats) == len(stored)


@pytest.mark.slow
def test_a_program_in_another_language_joins_as_it_is(tmp_path: Path, token: str) -> None:
    line = Line()
    with server(tmp_path, line):
        bot = KITS / PLAIN
        client = arena("join", f"http://127.0.0.1:{line.port}", bot, "--token", token, "--game", "naga")
        try:
            result = until(client, "^match 1")
            client.send_signal(signal.SIGHUP)
            _, err = client.communicate(timeout=60)
        finally:
            end(client)
        assert client.returncode == 0 and "leaving after the present match" in err
        assert "place" in result and "(" not in result
    line.close()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["http://127.0.0.1:1", "house:random_bot", "--token", "x"], "no server answers there"),
        (["ftp://127.0.0.1", "house:random_bot", "--token", "x"], "no address of a server"),
        (["http://127.0.0.1:1", "nothere.py", "--token", "x"], "no such bot"),
        (["http://127.0.0.1:1", "house:random_bot", "--token", "x", "--game", "chess"], "no such game"),
        (["http://127.0.0.1:1", "house:random_bot"], "a token is needed"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from arena.cli.main import main

    monkeypatch.delenv("ARENA_TOKEN", raising=False)
    with pytest.raises(SystemExit) as ended:
        raise SystemExit(main(["join", *words]))
    err = capsys.readouterr().err
    assert ended.value.code == 2 and said in err and "Traceback" not in err and json.dumps("x") not in err
