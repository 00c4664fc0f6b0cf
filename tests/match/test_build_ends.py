"""Whatever ends who builds, nothing of the build is left: no process, no folder, no half of a result. With real kills."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.cache import VARIABLE
from arena.disk import set_mode
from arena.match.sandbox import LOCKED, NAMESPACE, PROCESS
from helpers.processes import survivors, until

SCRIPT = """
import sys
from arena.agent import BotFiles
from arena.match.builds import built

build = "import os, sys, time\\nos.fork()\\nopen('bot', 'w')\\nprint('begun', flush=True)\\ntime.sleep(1e6)\\n"
toml = f'''name = "x"
command = ["./bot"]
[build]
command = ["python3", "-S", "build.py", "{sys.argv[1]}"]
makes = ["bot"]
'''
bot = BotFiles("bot.toml", {"bot.toml": toml.encode(), "build.py": build.encode()})
level = sys.argv[2]
built(bot, "x", is_trusted=level == "process", level=level, least=level, say=print)
"""


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that other users can enter, too."""
    with tempfile.TemporaryDirectory(prefix="arena-scratch-", dir="/tmp") as name:
        for path in (Path(name), Path(name, "scratch"), Path(name, "cache")):
            path.mkdir(exist_ok=True)
            set_mode(path, 0o1777)
        yield Path(name)


@pytest.mark.parametrize(
    ("blow", "level"),
    [
        (signal.SIGKILL, NAMESPACE),
        (signal.SIGINT, NAMESPACE),
        pytest.param(signal.SIGTERM, NAMESPACE, marks=pytest.mark.slow),
        pytest.param(signal.SIGKILL, LOCKED, marks=pytest.mark.slow),
        pytest.param(signal.SIGINT, LOCKED, marks=pytest.mark.slow),
        pytest.param(signal.SIGINT, PROCESS, marks=pytest.mark.slow),
    ],
)
def test_nothing_is_left_of_a_build_whose_host_was_ended(blow: signal.Signals, level: str, place: Path) -> None:
    mark, process = started(place, level)
    try:
        built = until(lambda: len(found := marked(mark) - {process.pid}) >= 2 and found, process)
        family = built | children(process.pid)
    finally:
        process.send_signal(blow)
        try:
            process.communicate(timeout=30)
        finally:
            process.kill()
    assert not survivors(family)
    until(lambda: not list((place / "scratch").glob("arena-build-*")), seconds=20.0)
    assert not list((place / "cache").rglob("*.built")) and not list((place / "cache").rglob(".new-*"))


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("level", [pytest.param(NAMESPACE, marks=pytest.mark.slow), LOCKED])
def test_nothing_is_left_of_a_build_whose_host_was_killed_together_with_a_holder(level: str, depth: int, place: Path) -> None:
    """Of the two processes that hold a build, one is left: it ends the build."""
    mark, process = started(place, level)
    try:
        built = until(lambda: len(found := marked(mark) - {process.pid}) >= 2 and found, process)
        process.send_signal(signal.SIGSTOP)  # it would end the build
        (upper,) = children(process.pid)
        (lower,) = children(upper)
        assert not {upper, lower} & built
        os.kill((upper, lower)[depth - 1], signal.SIGKILL)
    finally:
        process.kill()
        process.communicate(timeout=30)
    assert not survivors(built | {upper, lower})
    until(lambda: not list((place / "scratch").glob("arena-build-*")), seconds=20.0)


@pytest.mark.slow
@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("level", [NAMESPACE, LOCKED])
def test_a_killed_process_that_held_a_build_is_no_fault_of_the_build(level: str, depth: int, place: Path) -> None:
    """It is begun once more, then the machine has failed."""
    mark, process = started(place, level)
    family = {process.pid}
    try:
        for _ in range(2):
            begun = until(lambda: len(found := marked(mark) - family) >= 2 and found, process)  # noqa: B023 - it is called here
            (upper,) = children(process.pid)
            (lower,) = children(upper)
            family |= begun | {upper, lower}
            os.kill((upper, lower)[depth - 1], signal.SIGKILL)
        _, said = process.communicate(timeout=60)
    finally:
        process.kill()
    assert "the machine failed its build, not the bot" in said
    assert not survivors(family)
    assert not list((place / "scratch").glob("arena-build-*"))


def started(place: Path, level: str) -> tuple[str, "subprocess.Popen[str]"]:
    """A host that builds a bot without end, and the word by which the processes of the build are known."""
    mark = f"mark-{place.name}"
    environment = os.environ | {"TMPDIR": str(place / "scratch"), VARIABLE: str(place / "cache")}
    words = [sys.executable, "-c", SCRIPT, mark, level]
    return mark, subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def marked(mark: str) -> set[int]:
    """The processes with a word in their command lines, in whatever namespace."""
    found = set()
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (path / "cmdline").read_bytes():
                found.add(int(path.name))
        except OSError:
            continue
    return found


def children(pid: int) -> set[int]:
    """The processes that a process has started."""
    return set(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))
