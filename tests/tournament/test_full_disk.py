"""A disk that is really full, and a file size limit: a clear message, nothing lost, the same command goes on."""

import os
import resource
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.results import sqlite
from arena.results.status import read_status
from arena.tournament.session import LOCAL, read_results
from helpers.tournaments import arena, ended, run, write_config

pytestmark = pytest.mark.processes
DISK = 24_000_000  # bytes
LEFT = 180_000  # for the folder: not enough for the journal of the whole tournament
DEALS = 25


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The results hash of an undisturbed run."""
    return run(tmp_path_factory.mktemp("calm"), deals=DEALS).manifest.results_sha256 or ""


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own, nearly full; what fills it is `ballast`."""
    mount, umount = shutil.which("mount"), shutil.which("umount")
    if os.geteuid() != 0 or mount is None or umount is None:
        pytest.skip("a small file system can be mounted by root only")
    disk = tmp_path / "disk"
    disk.mkdir()
    command = [mount, "-t", "tmpfs", "-o", f"size={DISK}", "none", str(disk)]
    mounted = subprocess.run(command, check=False, capture_output=True, text=True)
    if mounted.returncode:
        pytest.skip(f"a small file system cannot be mounted here: {mounted.stderr.strip()}")
    try:
        (disk / "ballast").write_bytes(bytes(DISK - LEFT))
        yield disk
    finally:
        subprocess.run([umount, disk], check=True)


def test_a_disk_without_room_for_the_shared_memory_of_a_database_is_full_and_has_locks(
    small_disk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    room = os.statvfs(small_disk).f_bavail * os.statvfs(small_disk).f_frsize
    (small_disk / "more").write_bytes(bytes(room - 20_480))
    with pytest.raises(sqlite.Error, match="disk"):
        sqlite.opened(small_disk / "journal", "rwc", is_shared=False)
    assert not capsys.readouterr().err


def is_clear(code: int, err: str) -> bool:
    return code == 2 and "Traceback" not in err and "nothing finished is lost: free some space and run the same command" in err


@pytest.mark.slow
def test_a_full_disk_stops_with_a_message_and_the_same_command_goes_on(calm: str, small_disk: Path, tmp_path: Path) -> None:
    out = small_disk / "out"
    command = ["tournament", write_config(tmp_path, deals=DEALS), "--out", out, "--backend", LOCAL, "--workers", 1]
    code, _, err = ended(arena(*command))
    assert is_clear(code, err), (code, err)
    stopped = read_status(out / "small")
    assert 0 < stopped.done < stopped.total == 6 * DEALS and stopped.process is None
    code, _, err = ended(arena(*command))
    assert code == 2 and "Traceback" not in err  # still full
    (small_disk / "ballast").unlink()
    assert read_status(out / "small").done >= stopped.done
    code, _, err = ended(arena(*command))
    assert code == 0, err
    assert f"{stopped.done:,} of them played before" in err
    assert read_results(out / "small").manifest.results_sha256 == calm


@pytest.mark.slow
def test_a_file_size_limit_stops_with_a_message_and_the_same_command_goes_on(calm: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = ["tournament", write_config(tmp_path, deals=DEALS), "--out", out, "--backend", LOCAL, "--workers", 1]
    limit = (100_000, resource.getrlimit(resource.RLIMIT_FSIZE)[1])
    code, _, err = ended(arena(*command, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit)))
    assert is_clear(code, err), (code, err)
    stopped = read_status(out / "small")
    assert 0 < stopped.done < stopped.total
    code, _, err = ended(arena(*command))
    assert code == 0, err
    assert read_results(out / "small").manifest.results_sha256 == calm
