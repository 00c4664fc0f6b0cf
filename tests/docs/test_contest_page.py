"""What docs/contest.md says beside commands of arena: the unit for systemd, a copy of a folder that is in use, how to move."""

import contextlib
import re
import shutil
import sqlite3
import subprocess
import threading
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from arena.results.accounts import Accounts
from arena.results.inbox import Inbox
from arena.results.journal import Journal
from arena.results.site_file import SITE_FILE, SiteFile
from arena.server.app import application
from helpers.paths import DOCS
from helpers.records import make_record, numbered
from helpers.server import HOST, Played


def block(kind: str, begins: str) -> str:
    """The one block of the page of this kind that begins so."""
    found: list[str] = re.findall(rf"^```{kind}\n(.*?)^```$", (DOCS / "contest.md").read_text(), re.DOTALL | re.MULTILINE)
    (text,) = [one for one in found if one.startswith(begins)]
    return text


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd on this machine")
def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    program = tmp_path / "arena"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    text = block("ini", "[Unit]").replace("/srv/arena/venv/bin/arena", str(program)).replace("User=arena", "User=root")
    unit = tmp_path / "arena.service"
    unit.write_text(text)
    found = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], check=False, capture_output=True, text=True)
    assert found.returncode == 0 and str(unit) not in found.stderr, found.stderr


@pytest.mark.skipif(None in map(shutil.which, ("rsync", "sqlite3")), reason="there is no rsync, or no sqlite3, on this machine")
def test_a_folder_is_copied_while_it_is_written(tmp_path: Path) -> None:
    """Accounts, submissions and matches come in while the script of the page copies; what was there before is in the copy."""
    results, copy, script = tmp_path / "leaderboards", tmp_path / "it's a copy", tmp_path / "backup.sh"
    results.mkdir()
    script.write_text(block("sh", "# backup.sh"))
    played, accounts_file, inbox = Played(results, "class"), SiteFile(results), Inbox(results)
    accounts = Accounts(accounts_file)
    joined = accounts.join(accounts.invite("test", ["Aya"])[0].code)
    assert joined is not None
    sent = inbox.receive(joined.account.id, "first", b"code", ".py", is_taken=False, is_organiser=False)
    records = numbered([make_record()] * 400)
    played.store(*records[:100])
    ends = threading.Event()

    opened = threading.Event()
    played.journal.close()  # its connection belongs to the thread that opens it

    def run() -> None:
        played.journal = Journal(played.folder)
        opened.set()
        for number in range(300):
            if ends.is_set():
                break
            played.store(records[100 + number])
            inbox.receive(joined.account.id, f"bot_{number}", b"code", ".py", is_taken=False, is_organiser=False)
        played.journal.close()

    writer = threading.Thread(target=run)
    writer.start()
    opened.wait()
    done = subprocess.run(["sh", script, results, copy], check=False, capture_output=True, text=True)
    ends.set()
    writer.join()
    played._lock.close()
    inbox.close()
    accounts_file.close()
    assert done.returncode == 0 and not done.stderr, done.stderr
    for file in copy.rglob("*.sqlite"):
        with contextlib.closing(sqlite3.connect(file)) as db:
            assert db.execute("pragma integrity_check").fetchone() == ("ok",)
    with Journal(copy / "class", is_read_only=True) as journal:
        assert 100 <= journal.count() <= 400
    with contextlib.closing(Inbox(copy)) as kept:
        waiting = kept.everything(most=1000)
        assert sent.id in {one.id for one in waiting}
        assert all(kept.path_of(one).read_bytes() == b"code" for one in waiting)
    assert_goes_on(copy, joined.token, joined.session)


def test_a_folder_that_was_moved_lets_the_same_people_in(tmp_path: Path) -> None:
    """Tokens, sessions and links that are still out: nothing of them depends on the machine or the path."""
    results, moved = tmp_path / "leaderboards", tmp_path / "other" / "leaderboards"
    file = SiteFile(results)
    accounts = Accounts(file)
    joined, other = accounts.join(accounts.invite("test", ["Aya"])[0].code), accounts.invite("test", ["Ben"])[0]
    assert joined is not None
    file.close()
    shutil.copytree(results, moved)
    assert (moved / SITE_FILE).stat().st_mode & 0o777 == 0o600
    assert_goes_on(moved, joined.token, joined.session)
    with contextlib.closing(SiteFile(moved)) as there:
        assert Accounts(there).join(other.code) is not None


def assert_goes_on(results: Path, token: str, session: str) -> None:
    """Assert that a server of this folder knows the account by its token and its session."""
    app = application(results)
    with TestClient(app, base_url=HOST) as client:
        assert client.get("/api", headers={"authorization": f"Bearer {token}"}).status_code == 200
        assert client.get("/api", headers={"cookie": f"arena_session_8000={session}"}).status_code == 200
        assert client.get("/api").status_code == 401
