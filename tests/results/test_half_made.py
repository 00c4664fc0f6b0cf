"""What a first write that was cut short leaves behind counts as not there, is mended, or is named with what helps."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from arena import disk
from arena.agent import BotFiles
from arena.agent.submissions import Submissions
from arena.errors import StoreError
from arena.results import sqlite
from arena.results.accounts import Accounts
from arena.results.journal import JOURNAL_FILE, Journal, stored_matches
from arena.results.lock import FolderLock
from arena.results.manifest import MANIFEST_FILE, read_manifest
from arena.results.people import open_people
from arena.results.schema import MATCHES
from arena.results.site_file import SITE_FILE, SiteFile
from arena.results.status import read_status
from arena.results.table_file import TableReader
from arena.tournament.archive import folder as archive


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A journal with its tables and a value."""
    folder = tmp_path_factory.mktemp("whole")
    with Journal(folder) as journal:
        journal.set_meta({"plan": b"{}"})
    return (folder / JOURNAL_FILE).read_bytes()


def header_only(path: Path) -> None:
    """A file of SQLite's with a header and nothing else, as between the first two writes."""
    db = sqlite.opened(path, "rwc", is_shared=False)
    db.close()


LEFT: dict[str, Callable[[Path, bytes], object]] = {
    "empty": lambda path, _: path.touch(),
    "part of the header": lambda path, whole: path.write_bytes(whole[:10]),
    "the header": lambda path, whole: path.write_bytes(whole[:100]),
    "part of the first page": lambda path, whole: path.write_bytes(whole[:4000]),
    "zeros": lambda path, whole: path.write_bytes(bytes(len(whole))),
    "no tables": lambda path, _: header_only(path),
}
left = pytest.mark.parametrize("leave", LEFT.values(), ids=LEFT)
Leave = Callable[[Path, bytes], object]


@left
def test_a_journal_in_which_nothing_was_stored_is_one_without_matches(leave: Leave, whole: bytes, tmp_path: Path) -> None:
    leave(tmp_path / JOURNAL_FILE, whole)
    before = (tmp_path / JOURNAL_FILE).read_bytes()
    assert stored_matches(tmp_path) == 0
    assert read_status(tmp_path).done == 0
    assert (tmp_path / JOURNAL_FILE).read_bytes() == before  # who reads changes nothing


@left
@pytest.mark.parametrize("beside", [(), ("-wal",), ("-shm", "-wal"), ("-journal",)], ids="+".join)
def test_who_plays_makes_it_anew(leave: Leave, beside: tuple[str, ...], whole: bytes, tmp_path: Path) -> None:
    leave(tmp_path / JOURNAL_FILE, whole)
    for end in beside:
        (tmp_path / f"{JOURNAL_FILE}{end}").touch()
    with Journal(tmp_path) as journal:
        journal.set_meta({"plan": b"new"})
    with Journal(tmp_path, is_read_only=True) as journal:
        assert journal.meta("plan") == b"new" and not journal.is_blank


@left
def test_the_site_and_peoples_matches_begin_anew_too(leave: Leave, whole: bytes, tmp_path: Path) -> None:
    site = tmp_path / SITE_FILE
    site.parent.mkdir()
    leave(site, whole)
    leave(site.with_name("people.sqlite"), whole)
    file = SiteFile(tmp_path)
    assert not file.is_taken("bob")
    assert Accounts(file).find("bob") is None
    file.close()
    with open_people(tmp_path) as journal:
        assert journal.count() == 0
    with open_people(tmp_path, is_read_only=False) as journal:
        assert journal.count() == 0


def test_a_journal_that_lost_its_middle_is_kept_and_named_with_what_helps(whole: bytes, tmp_path: Path) -> None:
    damaged = bytearray(whole)
    damaged[4096:8192] = b"\xff" * 4096
    (tmp_path / JOURNAL_FILE).write_bytes(damaged)
    with pytest.raises(StoreError, match=f"move {tmp_path} away to start anew"):
        Journal(tmp_path)
    assert (tmp_path / JOURNAL_FILE).read_bytes()[4096:8192] == b"\xff" * 4096


def test_somebody_elses_file_is_never_taken_for_one_that_was_cut_short(tmp_path: Path) -> None:
    (tmp_path / JOURNAL_FILE).write_text("dear diary")
    with pytest.raises(StoreError, match="not a database"):
        Journal(tmp_path)
    assert (tmp_path / JOURNAL_FILE).read_text() == "dear diary"


def test_an_empty_manifest_is_none(tmp_path: Path) -> None:
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / MANIFEST_FILE).touch()
    assert archive.finished_or_stopped(tmp_path) == []
    entry = tmp_path / "archive" / archive.ENTRIES / "20261126T000000Z-small-000000000000"
    entry.mkdir(parents=True)
    (entry / MANIFEST_FILE).touch()
    assert archive.entries(tmp_path / "archive") == []


def test_a_manifest_that_was_cut_short_says_what_writes_it_again(tmp_path: Path) -> None:
    (tmp_path / MANIFEST_FILE).write_text('{"name": "sm')
    with pytest.raises(StoreError, match=disk.WRITTEN_AGAIN):
        read_manifest(tmp_path)


@pytest.mark.parametrize("content", [b"", b"PAR1 and no more"])
def test_a_table_that_was_cut_short_says_what_writes_it_again(content: bytes, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no such file; a tournament writes it"):
        TableReader(tmp_path, MATCHES)
    (tmp_path / MATCHES.file).write_bytes(content)
    with pytest.raises(StoreError, match=disk.WRITTEN_AGAIN):
        TableReader(tmp_path, MATCHES)


def test_a_version_whose_file_is_empty_was_never_submitted(tmp_path: Path) -> None:
    store = Submissions(tmp_path)
    bot = BotFiles("bob.py", {"bob.py": b"class Bot: pass\n"})
    first, _ = store.submit("bob", bot, ("naga",))
    file = store.folder / "versions" / "bob" / "1.json"
    file.write_bytes(b"")
    assert store.names() == []
    for left_over in (store.folder / "content" / first.sha256).iterdir():
        left_over.write_bytes(b"")
    again, is_new = store.submit("bob", bot, ("naga",))
    assert is_new and again.version == 1 and store.files(again) == bot


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file"
    disk.write_whole(file, b"old")

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(StoreError, match="cannot be written: No space left"):
        disk.write_whole(file, b"new")
    assert file.read_bytes() == b"old" and list(tmp_path.iterdir()) == [file]


def test_two_who_write_a_file_at_once_write_a_whole_one_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, synced = tmp_path / "manifest.json", os.fsync

    def another_writes(descriptor: int) -> None:
        monkeypatch.setattr("os.fsync", synced)
        synced(descriptor)
        disk.write_whole(file, b"another's")
        assert file.read_bytes() == b"another's"

    monkeypatch.setattr("os.fsync", another_writes)
    disk.write_whole(file, b"the last one's")
    assert file.read_bytes() == b"the last one's" and list(tmp_path.iterdir()) == [file]


def test_a_device_is_written_and_not_replaced() -> None:
    read, write = os.pipe()
    disk.write_whole(Path(f"/dev/fd/{write}"), b"content")
    assert os.read(read, 100) == b"content"
    os.close(read)
    os.close(write)
    disk.write_whole(Path(os.devnull), b"content")
    assert Path(os.devnull).is_char_device()
    with pytest.raises(StoreError, match="/dev/full: cannot be written: No space left"):
        disk.write_whole(Path("/dev/full"), b"content")


def test_what_a_killed_process_has_half_written_is_removed_by_who_writes_there_next(tmp_path: Path) -> None:
    old, new, link = tmp_path / ".new-0123456789abcdef", tmp_path / ".new-fedcba9876543210", tmp_path / ".new-link"
    for path in (old, new):
        path.write_bytes(b"half of a manifest")
    link.symlink_to(new)
    (tmp_path / ".new-folder").mkdir()
    two_hours_ago = time.time() - 7200
    os.utime(old, (two_hours_ago, two_hours_ago))
    with FolderLock(tmp_path):
        assert not old.exists() and new.exists() and link.is_symlink()  # the new one may be somebody's who writes a report
        assert (tmp_path / ".new-folder").is_dir()
