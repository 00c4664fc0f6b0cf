"""The action that comments on a pull request: one, on the right one, whatever the artifact says; its API is a stand-in."""

import http.server
import io
import json
import os
import re
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from helpers.paths import ROOT

SCRIPT = ROOT / ".github" / "actions" / "comment-on-bots" / "comment.py"
REPOSITORY = "/repos/owner/class"
SHA, OTHER = "a" * 40, "b" * 40
MARK = "<!-- arena: bots of this pull request -->"
BOT = {"login": "github-actions[bot]"}
GOOD = {"path": "bots/alice.py", "code": 0, "text": "it may enter"}


def packed(content: bytes, name: str = "arena-bots.json") -> bytes:
    """An artifact."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(name, content)
    return archive.getvalue()


def bots(*found: object) -> bytes:
    return packed(json.dumps({"bots": found}).encode())


def pull(number: int, sha: str = SHA, repo: int = 7, ref: str = "theirs") -> dict[str, Any]:
    return {"number": number, "head": {"sha": sha, "ref": ref, "repo": {"id": repo}}}


class Hub:
    """The API of a repository, and what it was asked."""

    def __init__(self) -> None:
        self.pulls: list[dict[str, Any]] = [pull(5)]
        self.comments: list[dict[str, Any]] = []
        self.files: list[dict[str, Any]] = [{"filename": "bots/alice.py"}]
        self.artifact: bytes | None = bots(GOOD)
        self.changes: list[tuple[str, str, str]] = []
        """Method, path and text of all that was written."""
        self.heads: list[str] = []
        self.elsewhere: list[str | None] = []
        """The Authorization headers of requests to where artifacts lie."""
        self.port = 0

    def answer(self, path: str, query: dict[str, list[str]]) -> object:
        page, size = int(query.get("page", ["1"])[0]), int(query.get("per_page", ["30"])[0])
        part = slice((page - 1) * size, page * size)
        if path == f"{REPOSITORY}/pulls":
            self.heads += query["head"]
            return self.pulls[part]
        if path == f"{REPOSITORY}/pulls/5/files":
            return self.files[part]
        if path == f"{REPOSITORY}/issues/5/comments":
            return self.comments[part]
        if path == f"{REPOSITORY}/actions/runs/99/artifacts":
            assert query["name"] == ["arena-bots"]
            return {"artifacts": [] if self.artifact is None else [{"id": 3}, {"id": 4}]}
        return None


@contextmanager
def served(hub: Hub) -> Iterator[None]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            place = urlsplit(self.path)
            if place.path == "/elsewhere":
                hub.elsewhere.append(self.headers["Authorization"])
                self._answer(200, hub.artifact or b"")
            elif self.headers["Authorization"] != "Bearer t0ken":
                self._answer(401, b"{}")
            elif place.path == f"{REPOSITORY}/actions/artifacts/4/zip":
                self.send_response(302)
                self.send_header("Location", f"http://127.0.0.1:{hub.port}/elsewhere")
                self.end_headers()
            else:
                found = hub.answer(place.path, parse_qs(place.query))
                self._answer(404 if found is None else 200, json.dumps(found).encode())

        def do_POST(self) -> None:
            sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            hub.changes.append((self.command, self.path, sent["body"]))
            self._answer(201, b"{}")

        do_PATCH = do_POST  # noqa: N815

        def _answer(self, status: int, content: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        hub.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def hub() -> Iterator[Hub]:
    found = Hub()
    with served(found):
        yield found


def commented(hub: Hub, tmp_path: Path, *, token: str = "t0ken", **changes: Any) -> subprocess.CompletedProcess[str]:
    """Run the script as its step does, after a run of somebody's fork."""
    head = {"id": 7, "owner": {"login": "stranger"}}
    url = "https://example.org/owner/class/actions/runs/99"
    run = {
        "id": 99,
        "event": "pull_request",
        "head_sha": SHA,
        "head_branch": "theirs",
        "head_repository": head,
        "html_url": url,
    }
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"workflow_run": {**run, **changes}}))
    env = {
        "PATH": os.environ["PATH"], "TOKEN": token, "GITHUB_REPOSITORY": "owner/class", "GITHUB_EVENT_PATH": str(event),
        "GITHUB_API_URL": f"http://127.0.0.1:{hub.port}", "NO_PROXY": "*",
    }  # fmt: skip
    command = [sys.executable, "-I", str(SCRIPT)]
    return subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=120, check=False)


def test_the_first_run_writes_a_comment(hub: Hub, tmp_path: Path) -> None:
    done = commented(hub, tmp_path)
    assert (done.returncode, done.stdout) == (0, "commented on pull request 5\n")
    ((method, path, text),) = hub.changes
    assert (method, path) == ("POST", f"{REPOSITORY}/issues/5/comments")
    assert text.startswith(MARK) and "| `bots/alice.py` | may enter |" in text and SHA[:12] in text
    assert hub.heads == ["stranger:theirs"] and hub.elsewhere == [None]  # the token goes to the API alone


def test_later_runs_write_the_same_comment_anew_and_nobody_elses(hub: Hub, tmp_path: Path) -> None:
    hub.comments = [
        *({"id": number, "user": {"login": "x"}, "body": "hm"} for number in range(100)),
        {"id": 200, "user": {"login": "mallory"}, "body": f"{MARK} mine"},
        {"id": 201, "user": BOT, "body": f"of another workflow {MARK}"},
        {"id": 202, "user": None, "body": MARK},
        {"id": 203, "user": BOT, "body": f"{MARK}\nold"},
    ]
    commented(hub, tmp_path)
    assert [(method, path) for method, path, _ in hub.changes] == [("PATCH", f"{REPOSITORY}/issues/comments/203")]


@pytest.mark.parametrize(
    "pulls",
    [
        [],
        [pull(5, sha=OTHER)],  # there is a newer commit: its own run comments
        [pull(5, repo=8)],  # another fork with a branch of that name
        [pull(5, ref="their")],
        [{"number": 5, "head": {"sha": SHA, "ref": "theirs", "repo": None}}],
    ],
)
def test_a_run_that_is_of_no_open_pull_request_says_nothing(hub: Hub, tmp_path: Path, pulls: list[dict[str, Any]]) -> None:
    hub.pulls = pulls
    assert commented(hub, tmp_path).returncode == 0 and hub.changes == []


@pytest.mark.parametrize("changes", [{"event": "push"}, {"event": "pull_request_target"}, {"head_repository": None}])
def test_runs_of_another_kind_say_nothing(hub: Hub, tmp_path: Path, changes: dict[str, Any]) -> None:
    assert commented(hub, tmp_path, **changes).returncode == 0 and hub.changes == []


def test_the_name_of_a_branch_asks_for_nothing_else(hub: Hub, tmp_path: Path) -> None:
    branch = "x&state=all&head=owner:main/../../issues?$(touch it-was-here)"
    hub.pulls = [pull(5, ref=branch)]
    assert commented(hub, tmp_path, head_branch=branch).returncode == 0
    assert hub.heads == [f"stranger:{branch}"] and len(hub.changes) == 1 and not (tmp_path / "it-was-here").exists()


@pytest.mark.parametrize(
    "file",
    [{"filename": ".github/workflows/bots.yml"}, {"filename": "x", "previous_filename": ".github/workflows/bots.yml"}],
)
def test_a_pull_request_that_changes_workflows_does_not_speak_for_itself(
    hub: Hub, tmp_path: Path, file: dict[str, str]
) -> None:
    hub.files = [*({"filename": f"bots/{number}.py"} for number in range(150)), file]
    commented(hub, tmp_path)
    ((_, _, text),) = hub.changes
    assert "changes files in `.github`" in text and "may enter" not in text and hub.elsewhere == []


def test_nor_does_one_that_hides_them_among_thousands_of_files(hub: Hub, tmp_path: Path) -> None:
    hub.files = [{"filename": f"bots/{number}.py"} for number in range(3000)]
    commented(hub, tmp_path)
    assert "may enter" not in hub.changes[0][2] and hub.elsewhere == []


HOSTILE = (
    "```\n</details>\n# @all <img src=x onerror=alert(1)> ![x](https://evil.example/x.png)\n````\n\u202e\x1b[31m\n" + "`" * 40
)


def test_what_a_stranger_writes_stays_code(hub: Hub, tmp_path: Path) -> None:
    path = "bots/`x` | <b>@all</b> [x](https://evil.example)\n# x"
    hub.artifact = bots({"path": path, "code": 1, "text": HOSTILE}, {"path": "", "code": 2, "text": "\ud800"})
    commented(hub, tmp_path)
    ((_, _, text),) = hub.changes
    outside = re.sub(r"^```text\n.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    for part in ("@all", "<img", "<b>", "](https://evil", "evil.example/x.png", "\u202e", "\x1b"):
        assert part not in outside
    assert "\u202e" not in text and "\x1b" not in text and outside.count("<details>") == outside.count("</details>") == 2
    assert "| `bots/?x? ? ?b??all?/b? ?x??https?//evil.example??? x` | may not enter |" in text


@pytest.mark.parametrize("letter", ["x", "`", "\n", "|", "é"])
def test_a_comment_is_never_longer_than_the_api_takes(hub: Hub, tmp_path: Path, letter: str) -> None:
    hub.artifact = bots(*({"path": "b" * 2000, "code": 0, "text": letter * 5000} for _ in range(20)))
    commented(hub, tmp_path)
    assert "may enter" in hub.changes[0][2] and 40_000 < len(hub.changes[0][2]) < 65_536


@pytest.mark.parametrize(
    "artifact",
    [
        b"",
        b"PK\x03\x04" + b"x" * 100,
        packed(b"{}"),
        packed(b"[]"),
        packed(b"not json"),
        packed(b"\xff\xfe"),
        packed(b"[" * 100_000),
        packed(b'{"bots": ' + b"9" * 10_000 + b"}"),
        packed(b" " * 1_100_000 + b'{"bots": []}'),
        packed(b"0" * 500_000_000),
        packed(b"{}", name="../../arena-bots.json"),
        os.urandom(1_100_000),
        bots("alice"),
        bots({"path": "x", "code": 3, "text": ""}),
        bots({"path": "x", "code": True, "text": ""}),
        bots({"path": "x", "code": 0, "text": ["x"]}),
        bots({"path": "x", "code": 0}),
        bots(GOOD | {"pull": 1}),
        bots(*[GOOD] * 21),
    ],
    ids=range(19),
)
def test_an_artifact_that_is_none_is_said_to_be_none(hub: Hub, tmp_path: Path, artifact: bytes) -> None:
    hub.artifact = artifact
    done = commented(hub, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "cannot be read" in hub.changes[0][2] and "may enter" not in hub.changes[0][2]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["event.json"]


def test_where_there_is_nothing_to_say_no_comment_is_begun_but_an_old_one_is_brought_up_to_date(
    hub: Hub, tmp_path: Path
) -> None:
    for artifact in (None, bots()):
        hub.artifact = artifact
        assert commented(hub, tmp_path).returncode == 0 and hub.changes == []
    hub.comments = [{"id": 203, "user": BOT, "body": f"{MARK}\nold"}]
    commented(hub, tmp_path)
    assert "No bot was added or changed" in hub.changes[0][2]


def test_a_job_without_the_permissions_is_told_which_it_needs(hub: Hub, tmp_path: Path) -> None:
    done = commented(hub, tmp_path, token="other")
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and "actions: read and pull-requests: write" in done.stderr
