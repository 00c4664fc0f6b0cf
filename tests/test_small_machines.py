"""Machines with less than usual: no home, nothing that can be written, no shared memory."""

import errno
import tempfile
from pathlib import Path

import pytest

from arena import cache
from arena.cli import main
from arena.cli.verbs import doctor
from arena.errors import StoreError


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a cache nor a temporary folder can be written."""

    def refuse() -> str:
        raise FileNotFoundError(2, "No usable temporary directory found in ['/tmp']")

    monkeypatch.setenv(cache.VARIABLE, "/proc/nothing")
    monkeypatch.setattr(tempfile, "gettempdir", refuse)


def test_a_user_without_a_home_has_a_temporary_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home(_name: str) -> str:
        raise RuntimeError("could not determine the home directory")

    monkeypatch.delenv(cache.VARIABLE, raising=False)
    monkeypatch.setattr("platformdirs.user_cache_dir", no_home)
    assert cache.cache_root.__wrapped__().name.startswith("arena-cache-")
    monkeypatch.delenv(cache.VARIABLE)


def test_a_cache_that_cannot_be_written_is_read_for_what_is_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An image with compiled rules, whose file system is read-only."""
    compiled, other = tmp_path / f"naga-{'0' * 16}-{'1' * 8}", tmp_path / "bots" / "x"
    for folder in (compiled, other):
        folder.mkdir(parents=True)
        (folder / "warm").write_text("all of it")
    make = tempfile.TemporaryFile

    def refuse(*, dir: Path) -> object:
        if dir == tmp_path:
            raise OSError(errno.EROFS, "Read-only file system")
        return make(dir=dir)

    monkeypatch.setenv(cache.VARIABLE, str(tmp_path))
    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    found = cache.cache_root.__wrapped__()
    assert found != tmp_path and [path.name for path in found.iterdir()] == [compiled.name]
    assert (found / compiled.name / "warm").read_text() == "all of it"


@pytest.mark.usefixtures("nowhere")
def test_where_no_folder_can_be_written_it_is_said_what_to_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "SHARED_MEMORY", Path("/proc/nothing"))
    with pytest.raises(StoreError, match=r"name them in ARENA_CACHE_DIR and TMPDIR"):
        cache.cache_root.__wrapped__()


def test_a_command_without_a_temporary_folder_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_: object) -> int:
        raise FileNotFoundError(2, "No usable temporary directory found in ['/tmp']")

    monkeypatch.setattr(main, "_call", refuse)
    assert main.main(["warmup"]) == 2
    assert "TMPDIR" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (OSError(errno.EMFILE, "Too many open files"), "`ulimit -n`"),
        (OSError(errno.ENFILE, "Too many open files in system"), "`ulimit -n`"),
        (BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable"), "`ulimit -u`"),
        (RuntimeError("can't start new thread"), "`ulimit -u`"),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), "not enough memory"),
        (MemoryError(), "not enough memory"),
        (RuntimeError("Symlink loop from '/x'"), "'/x': a link that leads to itself"),
        (OSError(errno.ENOSPC, "No space left on device", "/x/table"), "/x/table: No space left on device"),
        (OSError(errno.EROFS, "Read-only file system", "/x"), "/x: Read-only file system"),
        (OSError(errno.EIO, "Input/output error", "/x"), "/x: Input/output error"),
    ],
    ids=str,
)
def test_what_a_machine_lacks_is_one_line(
    error: Exception, told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def lack(*_: object) -> int:
        raise error

    monkeypatch.setattr(main, "_call", lack)
    assert main.main(["warmup"]) == 2
    said = capsys.readouterr().err
    assert told in said and said.count("\n") == 1


@pytest.mark.parametrize(
    "error", [RuntimeError("wrong"), BlockingIOError(errno.EAGAIN, "no", "/x"), ConnectionResetError()], ids=str
)
def test_any_other_error_is_ours_and_shows_where_it_is(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> int:
        raise error

    monkeypatch.setattr(main, "_call", fail)
    with pytest.raises(type(error)):
        main.main(["warmup"])


def test_a_file_that_ends_too_soon_is_no_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    def short() -> int:
        raise EOFError("Ran out of input")

    monkeypatch.setattr(main, "command", lambda _name: short)
    with pytest.raises(RuntimeError, match="Ran out of input"):
        main.main(["warmup"])


def test_the_doctor_names_what_a_machine_lacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_SHARED", Path("/proc/nothing"))
    found = {finding.name: finding for finding in doctor.examine_machine(tmp_path / "not" / "made" / "yet")}
    assert set(found) == {
        "results folder",
        "cache folder",
        "memory",
        "shared memory",
        "compiled code",
        "toolchains",
        "graphics card",
    }
    assert found["results folder"].works and str(tmp_path) in found["results folder"].detail
    assert not found["shared memory"].works and "--backend local needs none" in found["shared memory"].detail
    refused = doctor.examine_machine(Path("/proc"))[0]
    assert not refused.works and refused.is_needed and "cannot be written" in refused.detail
