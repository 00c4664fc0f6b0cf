"""`arena notify`: what is news is posted once, in order, signed, with new tries; what was sent outlasts the process."""

import base64
import hashlib
import hmac
import json
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from arena.cli.main import main
from arena.cli.shared import webhooks
from arena.cli.shared.webhooks import Item, State, Webhook, secret_of, signature
from arena.errors import ConfigError, StoreError
from arena.server.app import application
from arena.server.server import configured, listener
from helpers.http_servers import answering
from helpers.records import make_record
from helpers.results import write_results
from helpers.server import TOKEN
from helpers.tournaments import arena, ended

KEY = "whsec_" + base64.b64encode(b"a key of 24 bytes, no more").decode()
Capture = pytest.CaptureFixture[str]


def entry(number: int, kind: str = "leader") -> dict[str, Any]:
    """What a server tells of."""
    return {
        "id": f"urn:uuid:{number}", "kind": kind, "at": f"2026-11-29T00:00:0{number}+00:00", "title": f"fox {number} leads",
        "page": f"/t/{number}", "tournament": "cup", "matches": 9, "bots": [],
    }  # fmt: skip


@dataclass
class Post:
    """What a receiver got."""

    headers: dict[str, str]
    body: bytes

    @property
    def number(self) -> int:
        """Of which entry it tells."""
        return int(self.headers["webhook-id"].rpartition(":")[2])


@dataclass
class Both:
    """A server whose news the test writes, and a receiver that answers as the test says."""

    url: str = ""
    state: Path = Path()
    news: list[dict[str, Any]] = field(default_factory=list)
    """The newest first."""
    answers: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    """The next answers of the receiver, each once; then 204."""
    posts: list[Post] = field(default_factory=list)
    waited: list[float] = field(default_factory=list)

    def words(self, *more: str) -> list[str]:
        return ["notify", self.url, "--to", f"{self.url}/hook?k=hidden", "--token", "t", "--state", str(self.state), *more]

    def look(self, *more: str) -> int:
        """Look once; the exit code."""
        return main(self.words("--once", *more))

    def numbers(self) -> list[int]:
        return [post.number for post in self.posts]


@pytest.fixture
def both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Both]:
    found = Both(state=tmp_path / "state.json")
    monkeypatch.setattr(webhooks, "WAITS", (0.0, 0.0))
    monkeypatch.setenv("ARENA_NOTIFY_SECRET", KEY)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = json.dumps({"contest": None, "items": found.news}).encode()
            self.send_response(200 if self.headers["authorization"] == "Bearer t" and self.path == "/api/news" else 404)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            found.posts.append(Post({name.lower(): value for name, value in self.headers.items()}, body))
            status, headers = found.answers.pop(0) if found.answers else (204, {})
            self.send_response(status)
            for name, value in (headers | {"content-length": "0"}).items():
                self.send_header(name, value)
            self.end_headers()

    with answering(Handler) as found.url:
        yield found


def test_what_was_there_before_is_not_sent_and_what_comes_is_sent_once_in_order(both: Both, capsys: Capture) -> None:
    both.news = [entry(1)]
    assert both.look() == 0 and both.posts == [] and "1 entries were there before" in capsys.readouterr().err
    both.news = [entry(3, "refused"), entry(2), entry(1)]
    assert both.look() == 0 == both.look()
    assert both.numbers() == [2, 3]
    assert capsys.readouterr().out.splitlines() == [f"2026-11-29T00:00:0{number}+00:00 fox {number} leads" for number in (2, 3)]
    message = json.loads(both.posts[1].body)
    assert message["type"] == "arena.refused" and message["timestamp"] == entry(3)["at"]
    assert message["text"] == f"fox 3 leads: {both.url}/t/3" and message["data"]["page"] == f"{both.url}/t/3"
    assert message["data"]["tournament"] == "cup"


def test_a_receiver_can_check_who_sends(both: Both) -> None:
    both.look()
    both.news = [entry(1)]
    both.look()
    (post,) = both.posts
    signed = f"{post.headers['webhook-id']}.{post.headers['webhook-timestamp']}.".encode() + post.body
    mac = hmac.new(b"a key of 24 bytes, no more", signed, hashlib.sha256).digest()
    assert post.headers["webhook-signature"] == "v1," + base64.b64encode(mac).decode()
    assert abs(int(post.headers["webhook-timestamp"]) - time.time()) < 300
    assert post.headers["content-type"] == "application/json"


def test_a_secret_is_base64_or_any_text() -> None:
    assert secret_of("whsec_" + base64.b64encode(b"x").decode()) == b"x" and secret_of("plain") == b"plain"
    with pytest.raises(ConfigError, match="no base64"):
        secret_of("whsec_?")
    assert signature(b"k", "id", 1, b"{}") != signature(b"k", "id", 2, b"{}") != signature(b"k", "other", 2, b"{}")


def test_without_a_secret_nothing_is_signed_and_that_is_said(
    both: Both, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.delenv("ARENA_NOTIFY_SECRET")
    both.look()
    both.news = [entry(1)]
    both.look()
    assert "webhook-signature" not in both.posts[0].headers and "nothing is signed" in capsys.readouterr().err


def test_what_does_not_arrive_is_tried_again_and_later_entries_wait(both: Both, capsys: Capture) -> None:
    both.look()
    both.news, both.answers = [entry(2), entry(1)], [(500, {}), (503, {})]
    assert both.look() == 0 and both.numbers() == [1, 1, 1, 2]
    both.posts.clear()
    both.news, both.answers = [entry(4), entry(3), entry(2)], [(500, {})] * 3
    assert both.look() == 1 and both.numbers() == [3, 3, 3]
    assert "not taken so far: fox 3 leads: it answers 500" in capsys.readouterr().err
    assert both.look() == 0 and both.numbers() == [3, 3, 3, 3, 4]


@pytest.mark.parametrize("status", [301, 400, 404, 410])
def test_what_is_refused_for_good_is_not_sent_again(both: Both, status: int, capsys: Capture) -> None:
    both.look()
    both.news, both.answers = [entry(2), entry(1)], [(status, {"location": "/elsewhere"})]
    assert both.look() == 0 == both.look() and both.numbers() == [1, 2]
    assert f"not sent again: fox 1 leads: it answers {status}" in capsys.readouterr().err


def test_a_wait_grows_and_is_as_long_as_the_receiver_asks_within_reason(both: Both, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhooks, "WAITS", (1.0, 5.0, 30.0))
    both.answers = [(429, {"retry-after": "7"}), (503, {"retry-after": "99999"}), (500, {})]
    hook = Webhook(both.url, None, lambda text: None, sleep=both.waited.append)
    assert hook.send(Item("urn:uuid:1", "leader", "", "", ""), b"{}") and both.waited == [7.0, 120.0, 30.0]


def test_a_receiver_that_is_away_is_one_line(both: Both, tmp_path: Path, capsys: Capture) -> None:
    words = ["notify", both.url, "--to", "http://127.0.0.1:9", "--token", "t", "--state", str(tmp_path / "s"), "--once"]
    assert main(words) == 0
    both.news = [entry(1)]
    assert main(words) == 1
    assert "not taken so far: fox 1 leads: Connection refused" in capsys.readouterr().err


def test_dry_run_prints_what_would_be_sent_and_changes_nothing(both: Both, capsys: Capture) -> None:
    both.news = [entry(2), entry(1)]
    assert main(both.words("--dry-run")) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [json.loads(line)["text"] for line in lines] == [f"fox {number} leads: {both.url}/t/{number}" for number in (1, 2)]
    assert both.posts == [] and not both.state.exists()


def test_the_file_holds_no_address_that_lets_somebody_in_and_serves_one_receiver(both: Both, capsys: Capture) -> None:
    both.look()
    assert "hidden" not in both.state.read_text()
    other = ["notify", both.url, "--to", f"{both.url}/other", "--token", "t", "--state", str(both.state), "--once"]
    assert main(other) == 2 and "name another file with --state" in capsys.readouterr().err
    both.state.write_text("{")
    assert both.look() == 2 and f"{both.state}: damaged" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["", "/", "."])
def test_a_state_without_the_name_of_a_file_is_told(name: str, both: Both, capsys: Capture) -> None:
    both.state = Path(name)
    assert both.look() == 2 and f"--state {both.state}: is a folder" in capsys.readouterr().err


def test_two_processes_do_not_share_a_file(tmp_path: Path) -> None:
    with (
        State(tmp_path / "s", "a", "b"),
        pytest.raises(StoreError, match="another arena notify"),
        State(tmp_path / "s", "a", "b"),
    ):
        pass


@pytest.mark.parametrize("url", ["example.org/hook", "ftp://example.org", "http://", "http://x:y/", "http://x/ y"])
def test_what_is_no_address_of_a_receiver_is_told(url: str, both: Both, capsys: Capture) -> None:
    assert main(["notify", both.url, "--to", url, "--token", "t", "--once"]) == 2
    assert "--to: no address of a receiver" in capsys.readouterr().err


def test_an_answer_that_is_none_of_arena_s_is_told(both: Both, capsys: Capture) -> None:
    both.news = [{"id": 3}]
    assert both.look() == 2 and "no server of arena" in capsys.readouterr().err


def test_a_killed_process_sends_nothing_a_second_time_and_ctrl_c_ends_it_at_once(both: Both) -> None:
    both.look()
    both.news = [entry(1)]
    for number, end in ((1, signal.SIGKILL), (2, signal.SIGINT)):
        process = arena(*both.words("--every", "5"))
        assert process.stdout is not None
        assert f"fox {number} leads" in process.stdout.readline()
        both.news = [entry(number + 1), *both.news]
        process.send_signal(end)
        code, _, err = ended(process)
        assert (code == 0 or end == signal.SIGKILL) and "Traceback" not in err
    assert both.numbers() == [1, 2]


def test_it_reads_the_news_of_a_server(tmp_path: Path, both: Both) -> None:
    out = tmp_path / "results"
    out.mkdir()
    with listener("127.0.0.1", 0) as place:
        server = uvicorn.Server(configured(application(out, token=TOKEN)))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [place]})
        thread.start()
        try:
            url = f"http://127.0.0.1:{place.getsockname()[1]}"
            words = ["notify", url, "--to", both.url, "--token", TOKEN, "--state", str(both.state), "--once"]
            assert main(words) == 0
            write_results(out, [make_record()] * 3, "alice", "bob")
            assert main(words) == 0 == main(words)
        finally:
            server.should_exit = True
            thread.join()
    (post,) = both.posts
    message = json.loads(post.body)
    assert message["type"] == "arena.finished" and message["text"] == f"cup is over: {url}/t/cup"
    assert message["data"]["tournament"] == "cup"
