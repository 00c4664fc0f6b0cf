"""A folder of results with what is no file of results in it: each command says which file it is, and writes nowhere else."""

import os
import shutil
from pathlib import Path

import pytest

from arena import disk
from arena.cli.main import USER_ERROR, main
from arena.errors import StoreError
from arena.results import parquet
from arena.results.journal import JOURNAL_FILE, Journal
from arena.results.lock import LOCK_FILE, FolderLock
from arena.results.manifest import MANIFEST_FILE
from arena.results.schema import ACTIONS, FAULTS, LUCK, MATCHES, RATINGS
from arena.server.library import Library
from arena.tournament.archive import folder as archive_folder
from arena.tournament.archive.adding import add_to_archive
from helpers.archive import cup

READ = (MANIFEST_FILE, MATCHES.file, ACTIONS.file, RATINGS.file)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("played")
    cup(out, "cup", day=1, seed=1)
    return out / "cup"


@pytest.fixture
def strange(played: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(played, tmp_path / "strange"))


def spoilt(folder: Path, file: str, kind: str) -> None:
    (folder / file).unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(folder / file)
    elif kind == "device":
        (folder / file).symlink_to("/dev/zero")
    else:
        (folder / file).mkdir()


@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
@pytest.mark.parametrize("file", [*READ, FAULTS.file])
def test_the_archive_takes_none_and_says_why(
    file: str, kind: str, strange: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spoilt(strange, file, kind)
    assert main(["archive", str(strange), "--out", str(tmp_path)]) == USER_ERROR
    assert f"strange/{file}: " in (told := capsys.readouterr().err) and "not a plain file" in told
    assert main(["archive", "--out", str(tmp_path)]) == USER_ERROR
    assert f"strange/{file}: " in capsys.readouterr().err
    assert not (tmp_path / "archive").exists()


@pytest.mark.parametrize("words", [["leaderboard"], ["status"], ["verify-results", "--workers", "1"], ["rerate"], ["luck"]])
def test_every_command_names_the_file(
    words: list[str], strange: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spoilt(strange, MANIFEST_FILE, "pipe")
    assert main([words[0], "strange", *words[1:], "--out", str(tmp_path)]) == USER_ERROR
    assert f"strange/{MANIFEST_FILE}: cannot be read: not a plain file" in capsys.readouterr().err


def test_a_pipe_that_nobody_reads_is_no_matter(strange: Path, tmp_path: Path) -> None:
    os.mkfifo(strange / "notes")
    assert archive_folder.tournaments(tmp_path) == [strange]
    assert list(Library(tmp_path).folders()) == ["strange"]


@pytest.mark.parametrize("is_read_only", [True, False])
@pytest.mark.parametrize("end", ["", "-wal", "-shm", "-journal"])
def test_a_pipe_beside_a_journal_holds_up_nobody(end: str, is_read_only: bool, tmp_path: Path) -> None:
    with Journal(tmp_path):
        pass
    spoilt(tmp_path, JOURNAL_FILE + end, "pipe")
    with pytest.raises(StoreError, match="not a plain file"):
        Journal(tmp_path, is_read_only=is_read_only)


def test_nothing_is_written_through_a_link_that_lay_in_the_folder(tmp_path: Path) -> None:
    """Somebody unpacks results of a stranger, and a command writes there."""
    own = tmp_path / "own.txt"
    own.write_text("mine")
    for name in (LOCK_FILE, f"{LUCK.file}.new", "report.html.new"):
        (tmp_path / name).symlink_to(own)
    with pytest.raises(StoreError, match="lock is a link"), FolderLock(tmp_path):
        pass
    parquet.write_luck(tmp_path, ())
    disk.write_whole(tmp_path / "report.html", b"report")
    assert own.read_text() == "mine" and (tmp_path / "report.html").read_bytes() == b"report"


def test_no_journal_is_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with Journal(tmp_path / "other"):
        pass
    (tmp_path / JOURNAL_FILE).symlink_to(tmp_path / "other" / JOURNAL_FILE)
    with pytest.raises(StoreError, match="is a link"):
        Journal(tmp_path)
    with Journal(tmp_path, is_read_only=True) as journal:
        assert journal.count() == 0


def test_a_pipe_is_never_copied_into_the_archive(strange: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the file system has no links, files are copied, and a pipe has no end."""
    spoilt(strange, FAULTS.file, "pipe")
    monkeypatch.setattr("os.link", lambda *_: (_ for _ in ()).throw(OSError("no links")))
    with pytest.raises(StoreError, match=r"strange/faults\.parquet: cannot be read: not a plain file"):
        add_to_archive(tmp_path / "archive", strange)
