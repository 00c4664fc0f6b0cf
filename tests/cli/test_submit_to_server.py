"""`arena submit --to`: a bot is sent to a server that answers at a port of this machine, and checked there by script."""

import json
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from arena.cli.main import main
from arena.cli.shared import remote_server
from arena.cli.shared.remote_server import RemoteServer, Unreachable
from arena.results.accounts import Accounts
from arena.results.site_file import Role, SiteFile
from arena.server.app import application
from arena.server.contest.settings import Quotas
from arena.server.server import configured, listener
from helpers import scripted_checker
from helpers.http_servers import answering as serving
from helpers.server import TOKEN


@dataclass(frozen=True)
class Answering:
    """A server at a port."""

    url: str
    token: str
    """The token of an author."""
    server: Any

    def sent(self, bot: Path, *options: str, token: str = "") -> int:
        """Send a bot there; the exit code."""
        return main(["submit", str(bot), "--to", self.url, "--token", token or self.token, *options])


@pytest.fixture(scope="module")
def answering(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Answering]:
    """A server that checks at once."""
    folder = tmp_path_factory.mktemp("results")
    app = application(folder, token=TOKEN)
    checks = app.state.server.submitting.checks
    checks._command, checks._pauses = scripted_checker.command(folder / "diary"), (0.0,)
    with listener("127.0.0.1", 0) as place:
        server = uvicorn.Server(configured(app))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [place]})
        thread.start()
        try:
            url = f"http://127.0.0.1:{place.getsockname()[1]}"
            yield Answering(url, author(folder, "Aya"), app.state.server)
        finally:
            server.should_exit = True
            thread.join()


def author(folder: Path, name: str) -> str:
    """The token of a new author."""
    accounts = Accounts(SiteFile(folder))
    joined = accounts.join(accounts.invite("test", [name], Role.AUTHOR)[0].code)
    assert joined is not None
    return joined.token


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Questions follow each other at once."""
    monkeypatch.setattr(remote_server, "SOON", 0.01)
    monkeypatch.delenv("ARENA_TOKEN", raising=False)


@pytest.fixture
def bot(tmp_path: Path) -> Callable[[str, str], Path]:
    """Makes the file of a bot whose check goes as this word says."""

    def written(name: str, word: str) -> Path:
        path = tmp_path / f"{name}.py"
        path.write_text(word)
        return path

    return written


Written = Callable[[str, str], Path]


def test_an_accepted_bot_is_told_with_its_version_and_page(
    answering: Answering, bot: Written, capsys: pytest.CaptureFixture[str]
) -> None:
    assert answering.sent(bot("good", "accept")) == 0
    out = capsys.readouterr().out
    assert "submitted as good, version 1" in out and f"{answering.url}/submissions/" in out


def test_a_refused_bot_is_told_with_the_reason(answering: Answering, bot: Written, capsys: pytest.CaptureFixture[str]) -> None:
    assert answering.sent(bot("bad", "refuse")) == 1
    out = capsys.readouterr().out
    assert "it is bad" in out and "not submitted" in out and f"{answering.url}/submissions/" in out


@pytest.mark.parametrize(("word", "code", "version"), [("accept", 0, 1), ("refuse", 1, None)])
def test_as_json_it_is_one_document(
    word: str, code: int, version: int | None, answering: Answering, bot: Written, capsys: pytest.CaptureFixture[str]
) -> None:
    assert answering.sent(bot(f"json_{word}", word), "--format", "json") == code
    found = json.loads(capsys.readouterr().out)
    assert (found["submitted"], found["version"], found["name"]) == (not code, version, f"json_{word}")
    assert found["submission"].startswith(f"{answering.url}/submissions/") and "refusals" in found["check"]


def test_a_bot_that_the_machine_failed_is_not_refused(
    answering: Answering, bot: Written, capsys: pytest.CaptureFixture[str]
) -> None:
    assert answering.sent(bot("unlucky", "trouble")) == 2
    err = capsys.readouterr().err
    assert "the server's machine failed, not the bot" in err and "out of luck" in err and "/submissions/" in err


def test_a_quota_is_told_with_the_seconds_to_wait(
    answering: Answering, bot: Written, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    token = author(answering.server.submitting.inbox.path.parent.parent, "Ben")
    monkeypatch.setattr(answering.server.submitting, "quotas_of", lambda _: Quotas(versions_a_day=1, bytes=1000))
    assert answering.sent(bot("first", "accept"), token=token) == 0
    assert answering.sent(bot("first", "accept # again"), token=token) == 2
    assert "the next one in 24 h 0 min (86" in capsys.readouterr().err
    assert answering.sent(bot("huge", "#" * 2000), token=token) == 2
    assert "a submission may have" in capsys.readouterr().err


def test_a_wrong_token_is_told_and_not_repeated(answering: Answering, bot: Written, capsys: pytest.CaptureFixture[str]) -> None:
    assert answering.sent(bot("alice", "accept"), token="wrong-token") == 2
    err = capsys.readouterr().err
    assert "does not know this token" in err and "wrong-token" not in err


def test_a_name_of_somebody_else_and_a_file_that_is_not_there_are_mistakes(
    answering: Answering, bot: Written, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert answering.sent(bot("random_bot", "accept")) == 2
    assert "belongs to somebody else" in capsys.readouterr().err
    assert answering.sent(tmp_path / "nothere.py") == 2
    assert "no such bot" in capsys.readouterr().err
    assert answering.sent(bot("broken", "(")) == 1
    assert "syntax error" in capsys.readouterr().out


def test_a_server_that_is_gone_is_told(bot: Written, capsys: pytest.CaptureFixture[str]) -> None:
    with listener("127.0.0.1", 0) as place:
        nobody = f"http://127.0.0.1:{place.getsockname()[1]}"
    assert main(["submit", str(bot("alice", "accept")), "--to", nobody, "--token", "x"]) == 2
    assert f"{nobody}: the server does not answer: Connection refused" in capsys.readouterr().err


def test_a_server_that_goes_away_meanwhile_is_waited_for(
    answering: Answering, bot: Written, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, asks = list[str](), RemoteServer.get

    def get(self: RemoteServer, path: str, kind: Any) -> Any:
        asked.append(path)
        if path.startswith("/submissions/") and len(asked) <= 4:
            raise Unreachable("it is away")
        return asks(self, path, kind)

    monkeypatch.setattr(RemoteServer, "get", get)
    assert answering.sent(bot("patient", "accept")) == 0
    assert len(asked) > 4
    asked.clear()
    monkeypatch.setattr(remote_server, "_PATIENCE", -1.0)
    capsys.readouterr()
    assert answering.sent(bot("impatient", "accept")) == 2
    err = capsys.readouterr().err
    assert "The bot was received" in err and f"{answering.url}/submissions/" in err


def test_ctrl_c_says_that_the_submission_goes_on(
    answering: Answering, bot: Written, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote_server, "_ended", lambda *_: signal.raise_signal(signal.SIGINT))
    assert answering.sent(bot("left_alone", "accept")) == 130
    err = capsys.readouterr().err
    assert f"goes on without you: {answering.url}/submissions/" in err and "Traceback" not in err
    monkeypatch.undo()
    monkeypatch.setattr(remote_server, "SOON", 0.01)
    assert answering.sent(bot("left_alone", "accept")) == 0  # and nothing stands in its way


def answers(status: int, text: str) -> AbstractContextManager[str]:
    """A server that always answers so; its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.send_header("location", "http://127.0.0.1:1/elsewhere")
            self.end_headers()
            self.wfile.write(text.encode())

    return serving(Handler)


@pytest.mark.parametrize(
    ("status", "text", "said"),
    [
        (200, "<p>a page</p>", "no server of arena"),
        (302, "", "no server of arena: it answers 302"),
        (404, "<p>none</p>", "no server of arena: it answers 404"),
        (502, "<p>bad gateway</p>", "what stands before it says 502"),
        (429, '{"error": "too many\\u001b[2J requests"}', r"too many\x1b[2J requests"),
    ],
)
def test_what_is_no_server_is_told_in_one_sentence(
    status: int, text: str, said: str, bot: Written, capsys: pytest.CaptureFixture[str]
) -> None:
    with answers(status, text) as url:
        assert main(["submit", str(bot("alice", "accept")), "--to", url, "--token", "x"]) == 2
    err = capsys.readouterr().err
    assert said in err and len(err.splitlines()) == 1
