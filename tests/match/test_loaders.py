"""Dynamic loaders: a program may name any file as its own, and only those of the system are granted to a locked bot."""

import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

from arena.agent import read_bot
from arena.match.probe import probe, probe_locked
from arena.match.sandbox import LockError, Supervisor
from arena.match.sandbox.program import examine
from arena.records import DEFAULT_LIMITS

PROGRAM = Path(os.path.realpath(sys.executable))
LOADER = examine(PROGRAM).loader if sys.platform == "linux" else ""
pytestmark = pytest.mark.skipif(not LOADER, reason="the programs of this system name no loader")


def program_with(loader: str, path: Path) -> Path:
    """A copy of a program that names another loader."""
    room = len(LOADER) + 1
    named = os.fsencode(loader).ljust(room, b"\0")
    assert len(named) == room, "a loader's path as long as the system's at most"
    content = PROGRAM.read_bytes().replace(LOADER.encode() + b"\0", named, 1)
    path.write_bytes(content)
    path.chmod(0o755)
    return path


def test_the_systems_own_loader_is_granted(tmp_path: Path) -> None:
    found = examine(program_with(LOADER, tmp_path / "bot"))
    assert found.system_loader == found.loader == LOADER


@pytest.mark.parametrize(
    "loader",
    ["leaderboards", "./leaderboards", "/usr/lib", "/etc/passwd", "/lib/../etc/passwd", "/", "/usr/lib/none"],
)
def test_no_other_file_is(loader: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "leaderboards").write_text("secret")
    monkeypatch.chdir(tmp_path)
    found = examine(program_with(loader, tmp_path / "bot"))
    assert found.loader == loader and found.system_loader == ""


def test_a_loader_ends_where_the_kernel_sees_its_end(tmp_path: Path) -> None:
    assert examine(program_with("/etc\0/x", tmp_path / "bot")).loader == "/etc"


def test_a_link_is_followed(tmp_path: Path) -> None:
    link = Path(tempfile.mkdtemp(dir="/tmp"), "l")  # a short path
    link.symlink_to("/etc/passwd")
    try:
        assert examine(program_with(str(link), tmp_path / "bot")).system_loader == ""
    finally:
        shutil.rmtree(link.parent)


def test_a_bot_with_a_loader_of_its_own_is_refused_unless_it_is_trusted(tmp_path: Path) -> None:
    bot = tmp_path / "loads"
    bot.mkdir()
    program_with("leaderboards", bot / "bot")
    (bot / "bot.toml").write_text('name = "loads"\ncommand = ["./bot"]\n')
    files = read_bot(bot)
    with Supervisor(()) as supervisor:
        try:
            (profile,) = probe_locked(supervisor, [files], 1.0, DEFAULT_LIMITS)
        except LockError as error:
            pytest.skip(f"bots cannot be locked in here: {error}")
    assert profile.error == "bot.toml: command: ./bot: its loader 'leaderboards' is no library of this system"
    assert probe([files], 1.0)[0].error is None
