"""Who may read what strangers leave in a results folder: its owner alone, or its group where the folder is shared."""

import os
import stat
from pathlib import Path

import pytest

from arena.agent import BotFiles
from arena.agent.submissions import Submissions
from arena.cli.main import main
from arena.results.accounts import Accounts
from arena.results.inbox import Inbox
from arena.results.journal import Journal
from arena.results.site_file import Role, SiteFile
from arena.results_folder import protect, umask_of
from arena.server import server

WIDE = 0o002
"""A umask with which all would be readable by all."""


@pytest.fixture(params=[False, True], ids=["private", "shared"])
def results(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A results folder, private or shared by its group."""
    folder = tmp_path / "results"
    folder.mkdir()
    folder.chmod(0o2770 if request.param else 0o755)
    return folder


def filled(results: Path) -> None:
    """What a server and its commands store of strangers."""
    files = {"bot.toml": b'name = "bot"\ncommand = ["./run/deep/prog"]\n', "run/deep/prog": b"\x7fELF"}
    for version in (1, 2):
        Submissions(results).submit("bot", BotFiles("bot.toml", files | {"v": bytes([version])}), ("naga",), as_new=True)
    Submissions(results).withdraw("bot")
    inbox, accounts = Inbox(results), Accounts(SiteFile(results))
    inbox.receive("aya", "other", b"SECRET", ".py", is_taken=False, is_organiser=False)
    accounts.invite("test", ["Aya"], Role.AUTHOR)
    cup = results / "cup"
    cup.mkdir()
    Journal(cup).close()


def open_paths(results: Path) -> list[str]:
    """What others may reach, and what the group may reach less or more than it should, as paths with their modes."""
    is_shared, found = bool(results.stat().st_mode & stat.S_ISGID), []
    for path in sorted(results.rglob("*")):
        mode = path.stat().st_mode
        owner = stat.S_IMODE(mode) >> 6 & 0o7
        is_right = not mode & 0o007 and (mode >> 3 & 0o7) == (owner if is_shared else 0)
        if not is_right and path != results / "cup":  # the folder of a tournament is as its owner makes it
            found.append(f"{path.relative_to(results)} {oct(stat.S_IMODE(mode))}")
    return found


def test_nobody_else_reaches_what_strangers_leave(results: Path) -> None:
    before = os.umask(WIDE)
    try:
        filled(results)
    finally:
        os.umask(before)
    assert open_paths(results) == []
    assert (results / "submissions" / "content").is_dir() and (results / "people" / "site.sqlite").is_file()


def test_the_log_beside_an_open_journal_is_as_private(results: Path) -> None:
    before = os.umask(WIDE)
    try:
        with Journal(results) as journal:
            journal.set_meta({"key": b"of the deals"})
            assert (results / "journal.sqlite-wal").stat().st_size > 0
            assert open_paths(results) == []
    finally:
        os.umask(before)


def test_a_store_that_was_open_is_closed_when_something_is_sent(tmp_path: Path) -> None:
    filled(tmp_path)
    folders = [tmp_path / name for name in ("submissions", "people", "people/inbox")]
    for folder in folders:
        folder.chmod(0o755)
    Submissions(tmp_path).put("bot", BotFiles("x.py", {"x.py": b""}))
    Inbox(tmp_path).receive("aya", "third", b"SECRET", ".py", is_taken=False, is_organiser=False)
    assert [stat.S_IMODE(folder.stat().st_mode) for folder in folders] == [0o700] * 3


def test_what_another_organiser_has_made_is_left_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.chmod(0o2770)
    file = tmp_path / "file"
    file.touch()
    protect(file)

    def refused(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(Path, "chmod", refused)
    protect(file)
    assert umask_of(tmp_path) == 0o007


def test_all_that_a_server_writes_is_as_private(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = results / "made"
    monkeypatch.setattr(server, "run", lambda app, place, beside: (made.mkdir(), (made / "log").touch()))
    before = os.umask(WIDE)
    try:
        assert main(["serve", str(results), "--port", "0", "--no-browser"]) == 0
    finally:
        os.umask(before)
    assert (results / "made" / "log").exists() and open_paths(results) == []
