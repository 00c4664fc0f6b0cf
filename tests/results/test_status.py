"""`arena status`: right beside a run, after a stop, at the end, and of results without a journal."""

import os
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest

from arena.cli.main import main
from arena.errors import StoreError
from arena.records import Ending
from arena.results.journal import Journal
from arena.results.lock import FolderLock, running_process
from arena.results.status import Command, read_status
from arena.tournament.run import run_tournament
from arena.tournament.session import LOCAL, Interrupted, Observer, Progress, Settings
from helpers.tournaments import write_config


class Stops(Observer):
    """Ctrl-C in the middle."""

    def progress(self, progress: Progress) -> None:
        if 5 < progress.done < 40:
            raise KeyboardInterrupt


def stop_in_the_middle(folder: Path, **settings: Any) -> Path:
    with pytest.raises(Interrupted):
        run_tournament(write_config(folder), Settings(out=folder / "out", backend=LOCAL, workers=1, **settings), Stops())
    return folder / "out" / "small"


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return stop_in_the_middle(tmp_path_factory.mktemp("stopped"), command="arena tournament x.yaml")


def test_a_stopped_tournament_says_what_is_left_and_how_to_go_on(stopped: Path) -> None:
    found = read_status(stopped)
    assert not found.is_finished and found.process is None and found.total == 60 and 5 < found.done < 60
    assert found.endings == {Ending.PLAYED: 2 * found.done} and found.void == 0
    assert found.rate and found.rate > 0 and found.seconds_left is None
    assert found.command == "arena tournament x.yaml"


@pytest.mark.parametrize(
    ("change", "fewer"),
    [("update meta set value = x'00' where name in ('score', 'trouble')", 0), ("delete from matches where place = 3", 1)],
)
def test_what_is_done_is_told_from_the_counts_and_counted_where_they_are_not_those_of_the_rows(
    change: str, fewer: int, stopped: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shutil.copytree(stopped, tmp_path / "small")
    before = read_status(stopped)
    with Journal(folder) as journal:
        journal._db.execute(change)
    found = read_status(folder)
    assert found.done == before.done - fewer and found.endings == {Ending.PLAYED: 2 * found.done}
    monkeypatch.setattr(Journal, "endings", None)  # the rows themselves are not looked at
    assert read_status(stopped) == before


def test_the_command_names_its_folder_when_called_from_another(stopped: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = Path.cwd()
    monkeypatch.chdir(stopped)
    assert read_status(stopped).command == f"cd {shlex.quote(str(before))} && arena tournament x.yaml"


def test_status_beside_a_run_reads_without_the_lock(stopped: Path) -> None:
    class Looks(Observer):
        def progress(self, progress: Progress) -> None:
            found = read_status(stopped)
            assert found.process == os.getpid() and not found.is_finished
            assert found.done == progress.done and found.left == progress.total - progress.done
            seen.append(found.seconds_left)

    seen: list[float | None] = []
    folder = shutil.copytree(stopped, stopped.parent.parent / "copy" / "small").parent
    stopped = folder / "small"
    config = write_config(folder.parent)
    results = run_tournament(config, Settings(out=folder, backend=LOCAL, workers=1), Looks())
    assert results.manifest.finished and any(seen)
    found = read_status(stopped)
    assert found.is_finished and found.process is None and found.left == 0 and found.command is None


def test_the_printed_command_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_config(tmp_path, deals=1)

    def begin(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("arena.tournament.playing.spread", begin)
        assert main(["tournament", "small.yaml", "--out", "out dir", "--backend", LOCAL, "--workers", "1", "--fresh"]) == 130
    capsys.readouterr()
    assert main(["status", "small", "--out", "out dir"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "small: stopped, 0 of 6 matches (0%), 6 left"
    command = lines[-1].removeprefix("  goes on with: ")
    assert command == "arena tournament small.yaml --backend local --workers 1 --out 'out dir'"
    assert main(shlex.split(command)[1:]) == 0
    capsys.readouterr()
    assert main(["status", "small", "--out", "out dir"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("small: finished, 6 of 6 matches (100%), 0 left") and len(lines) == 2
    assert lines[1] == "  seats by ending: played 12"


def test_all_tournaments_are_listed_and_a_damaged_one_hides_no_other(
    stopped: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("first", "second", "third"):
        shutil.copytree(stopped, tmp_path / name)
    (tmp_path / "second" / "journal.sqlite").write_bytes(b"no database" * 1000)
    (tmp_path / "third" / "journal.sqlite").unlink()
    assert main(["status", "--out", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    assert "first: stopped" in text and "second: " in text and "not a database" in text and "third: stopped" in text
    assert main(["status", "second", "--out", str(tmp_path)]) == 2


def test_results_without_a_journal_are_told_from_the_manifest(stopped: Path, tmp_path: Path) -> None:
    with_journal = read_status(stopped)
    shutil.copytree(stopped, tmp_path / "small", ignore=shutil.ignore_patterns("journal*"))
    found = read_status(tmp_path / "small")
    assert (found.done, found.endings) == (with_journal.done, with_journal.endings) and found.rate is None


def test_an_unknown_name_is_one_message(stopped: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status", "smal", "--out", str(stopped.parent)]) == 2
    assert 'did you mean "small"?' in capsys.readouterr().err
    assert main(["status", "--out", str(tmp_path)]) == 2
    assert "no tournament there" in capsys.readouterr().err


def test_a_folder_whose_name_is_no_text_is_refused_before_anything_is_played(tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe"))
    with pytest.raises(StoreError, match="the name of this folder is no UTF-8; write elsewhere"), FolderLock(folder):
        pass
    assert not folder.exists()
    assert b"cd \\\\udcff" in Command(line="cd \udcff", folder=str(folder)).values()["command"]


def test_a_number_left_in_the_lock_by_a_killed_run_means_nothing(tmp_path: Path) -> None:
    (tmp_path / "lock").write_text(str(os.getpid()))  # the system has given it to somebody else
    assert running_process(tmp_path) is None
    with FolderLock(tmp_path):
        assert running_process(tmp_path) == os.getpid()
        with pytest.raises(StoreError, match=f"another run .process {os.getpid()}."), FolderLock(tmp_path):
            pass
    assert running_process(tmp_path) is None
