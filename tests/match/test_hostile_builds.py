"""Every hostile build: what it wanted is refused, or its limit ends it, and nothing of it is left."""

import itertools
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.agent import BotFiles, unpack
from arena.agent.build_table import Build
from arena.disk import set_mode
from arena.match.builds import BuildFailed, BuildReport, built
from arena.match.sandbox import LOCKED, NAMESPACE, LockError
from helpers.locked_matches import RIVAL
from helpers.paths import BAD_BOTS
from helpers.processes import survivors

ATTACKS = sorted((BAD_BOTS / "builds").glob("*.py"))
QUICK = ("gets_out", "forks_without_end", "leaves_a_daemon", "fails", "makes_a_link")
LEVELS = (NAMESPACE, LOCKED)
TABLE = Build(command=["python3", "-S", "build.py"], makes=["bot"], seconds=1, memory_mb=64, disk_mb=80)
PATIENT = {"gets_out", "leaves_a_daemon", "fails", "fills_the_disk", "hides_files"}
numbers = itertools.count()


def source(attack: Path, table: Build, **others: str) -> BotFiles:
    """A bot that is built by an attack. Each is another one, so that none was built before."""
    limits = f"seconds = {table.seconds}\nmemory_mb = {table.memory_mb}\ndisk_mb = {table.disk_mb}\n"
    toml = f'name = "x"\ncommand = ["./bot"]\n[build]\ncommand = {table.command!r}\nmakes = {table.makes!r}\n{limits}'
    number = f"{os.getpid()}-{next(numbers)}"
    texts = {"bot.toml": toml, "build.py": attack.read_text(), "number.txt": number, **others}
    return BotFiles("bot.toml", {name.replace("_txt", ".txt"): text.encode() for name, text in texts.items()})


def report_of(bot: BotFiles, level: str) -> tuple[BuildReport, dict[str, bytes], str]:
    """How a build went, what it made, and the message of one that failed."""
    try:
        done = built(bot, "x", level=level, least=level)
    except BuildFailed as failed:
        return failed.report, {}, str(failed)
    except LockError as error:
        pytest.skip(f"builds cannot be held at {level} here: {error}")
    assert done.report is not None
    return done.report, {name: content for name, content in done.files.files.items() if name not in bot.files}, ""


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


@pytest.fixture
def scratch(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder for temporary files, which other users can enter, too."""
    with tempfile.TemporaryDirectory(prefix="arena-scratch-") as name:
        set_mode(Path(name), 0o1777)
        monkeypatch.setattr(tempfile, "tempdir", name)
        yield Path(name)


@pytest.mark.parametrize(
    ("attack", "level"),
    [
        pytest.param(attack, level, marks=[] if attack.stem in QUICK and level == NAMESPACE else pytest.mark.slow)
        for attack in ATTACKS
        for level in LEVELS
    ],
    ids=lambda value: value.stem if isinstance(value, Path) else value,
)
def test_a_hostile_build_gets_nothing_and_leaves_nothing(attack: Path, level: str, tmp_path: Path, scratch: Path) -> None:
    results = tmp_path / "leaderboards" / "match.json"
    results.parent.mkdir()
    results.write_text("{}")
    rival = unpack(BotFiles("x.py", {"x.py": Path(RIVAL).read_bytes()})) / "x.py"
    mark = f"mark-{tmp_path.name}-{os.getpid()}"
    seconds = 20 if attack.stem in PATIENT else TABLE.seconds
    memory = 2048 if attack.stem == "forks_without_end" else TABLE.memory_mb
    table = Build(command=[*TABLE.command, mark], makes=TABLE.makes, seconds=seconds, memory_mb=memory, disk_mb=80)
    bot = source(attack, table, secrets_txt=f"{results} {rival}", mark_txt=mark)
    report, made, message = report_of(bot, level)
    expected = re.search(r"Expected: ([^\n]+)\.\"\"\"", attack.read_text())
    assert expected, f"{attack.name} does not say what must happen"
    if expected[1].startswith(("refused", "built")):
        assert not report.problem and made == {"bot": b"made"}, report
    else:
        assert expected[1] in message, report
        assert not made
    assert report.isolation == level
    if attack.stem == "gets_out":
        assert "GOT" not in report.log and report.log.count("REFUSED") > 25, report.log
    assert not survivors(marked(mark)) and not list(scratch.iterdir())
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["leaderboards", "match.json"]
