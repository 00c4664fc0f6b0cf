"""Files that somebody else may have written pass one door; texts that people write are read as their editors save them."""

import ast
import codecs
import os
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from arena import userfiles
from arena.agent import read_bot
from arena.agent.command_bot import read_toml
from arena.audit.capsule import read_capsule
from arena.audit.laws import traces
from arena.cli.shared.exit_codes import INTERRUPTED, USER_ERROR
from arena.errors import ArenaError
from arena.games import load
from arena.match.protocol import Ready, decode
from arena.results import parquet, sqlite
from arena.results.journal import JOURNAL_FILE, Journal
from arena.results.lock import LOCK_FILE, running_process
from arena.results.manifest import MANIFEST_FILE, read_manifest
from arena.tournament.config import read_config
from arena.userfiles import read_yaml
from helpers.paths import HOUSE_BOTS, PACKAGE
from helpers.processes import until
from helpers.tournaments import arena, ended

CONFIG = f"""name: cup
games: [{{game: naga, seats: 2}}]
bots:
  - {HOUSE_BOTS / "random_bot.py"}
  - {HOUSE_BOTS / "naga_greedy.py"}
"""
TOML = 'name = "b"\ncommand = ["python3", "main.py"]\n'

ENDLESS: dict[str, Callable[[Path], object]] = {
    "config": lambda path: read_yaml(path, lambda found: found),
    "capsule": read_capsule,
    "trace": lambda path: list(traces.verify_file(path)),
    "manifest": lambda path: read_manifest(path.parent),
    "journal": lambda path: Journal(path.parent, is_read_only=True),
    "rows": lambda path: list(parquet.read_matches(path.parent, with_actions=False)),
    "bot": lambda path: read_bot(path),
}
NAMES = {"manifest": MANIFEST_FILE, "journal": JOURNAL_FILE, "rows": "matches.parquet", "bot": "bot.py"}


@pytest.mark.parametrize("device", [None, "/dev/zero", "/dev/stdin"])
@pytest.mark.parametrize("what", ENDLESS)
def test_a_pipe_or_a_device_is_refused_at_once(what: str, device: str | None, tmp_path: Path) -> None:
    path = tmp_path / NAMES.get(what, "x")
    if device is None:
        os.mkfifo(path)
    else:
        path.symlink_to(device)
    with pytest.raises(ArenaError):
        ENDLESS[what](path)


def test_a_pipe_that_comes_between_look_and_opening_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "x")
    monkeypatch.setattr(userfiles, "check_plain", lambda path: None)
    with pytest.raises(userfiles.Unfit, match="not a plain file"):
        userfiles.content(tmp_path / "x")


def test_what_seems_a_file_and_has_nothing_to_read_now_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some files of the kernel are so, as its log is: who reads them waits for what comes."""
    os.mkfifo(tmp_path / "x")
    monkeypatch.setattr(userfiles, "_check", lambda path, found: None)
    writer = os.open(tmp_path / "x", os.O_RDWR)
    try:
        for read in (userfiles.content, userfiles.read_text, lambda path: list(userfiles.lines(path))):
            with pytest.raises(userfiles.Unfit, match="not a plain file"):
                read(tmp_path / "x")
    finally:
        os.close(writer)


def test_a_lock_that_is_a_pipe_holds_up_nobody(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / LOCK_FILE)
    assert running_process(tmp_path) is None


def test_a_file_larger_than_the_bound_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "x").open("wb") as file:
        file.truncate(1 << 40)  # it takes no room
    with pytest.raises(userfiles.Unfit, match="longer than 67,108,864 bytes"):
        userfiles.content(tmp_path / "x")
    with pytest.raises(userfiles.Unfit, match="a line of more than"):
        list(userfiles.lines(tmp_path / "x"))


def test_no_value_of_a_database_is_a_gigabyte(tmp_path: Path) -> None:
    with closing(sqlite.opened(tmp_path / "x", "rwc", is_shared=False)) as db, pytest.raises(sqlite.Error, match="too big"):
        db.execute("select zeroblob(900000000)").fetchall()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_command_that_reads_what_takes_hours_ends_by_a_signal(number: int, tmp_path: Path) -> None:
    long = tmp_path / "long.jsonl"
    long.write_text(trace(tmp_path) * 4000)
    process = arena("verify", long)
    until(lambda: has_open(process.pid, long), process)
    process.send_signal(number)
    assert ended(process)[0] == INTERRUPTED


def has_open(pid: int, path: Path) -> bool:
    """Whether a process has a file open; what it closes meanwhile is not seen."""
    for link in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(OSError):
            if link.readlink() == path:
                return True
    return False


def test_a_command_that_is_given_a_pipe_ends_by_itself(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    code, _, told = ended(arena("verify", tmp_path / "pipe"))
    assert code == USER_ERROR and "pipe: " in told and "not a plain file" in told


READY = b'{"id":1,"ok":true}\r'


def marked(text: str) -> bytes:
    return codecs.BOM_UTF8 + text.replace("\n", "\r\n").encode()


def trace(path: Path) -> str:
    game = load("naga")
    lines = traces.trace_lines(game, 2, game.resolve_options({"series": "games:1"}, 2), 1)
    return "".join(f"{line}\n" for line in lines)


def test_a_mark_before_a_text_and_ends_of_lines_of_windows_are_as_good_as_none(tmp_path: Path) -> None:
    for name, content in {
        "c.yaml": CONFIG,
        "t.jsonl": trace(tmp_path),
        "b.py": (HOUSE_BOTS / "random_bot.py").read_text(),
    }.items():
        (tmp_path / name).write_bytes(marked(content))
    assert read_config(tmp_path / "c.yaml", tmp_path).name == "cup"
    assert [found.problems for found in traces.verify_file(tmp_path / "t.jsonl")] == [()]
    assert read_bot(tmp_path / "b.py").main == "b.py"
    assert read_toml(marked(TOML)).name == "b"
    assert decode(codecs.BOM_UTF8 + READY, Ready) == decode(READY, Ready)


TEXTS: dict[str, Callable[[Path], object]] = {
    "c.yaml": lambda path: read_config(path, path.parent),
    "t.jsonl": lambda path: list(traces.verify_file(path)),
    "b.py": read_bot,
    "bot.toml": lambda path: read_bot(path.parent),
}


@pytest.mark.parametrize("order", ["utf-16", "utf-16-be"])
@pytest.mark.parametrize("name", TEXTS)
def test_a_text_in_utf_16_is_named_so(name: str, order: str, tmp_path: Path) -> None:
    mark = codecs.BOM_UTF16_BE if order == "utf-16-be" else b""
    (tmp_path / name).write_bytes(mark + (CONFIG + TOML).encode(order))
    with pytest.raises(ArenaError, match=f"{name}.*UTF-16 text; save it as UTF-8"):
        TEXTS[name](tmp_path / name)


OWN = {
    "of the installation": (
        "reports/pages/", "reports/manual.py", "reports/report.py", "llm/rule_text.py", "llm/words.py", "llm/refusal.py",
        "ratings/match_luck.py", "engine/jit.py", "learning/rendering.py", "shipped.py",
        "tournament/workers/ray/installation.py", "server/people/levels.py", "server/assets.py", "agent/loading.py",
        "engine/cuda/kernels.py", "agent/kits.py", "reports/notebook.py",
    ),
    "of the kernel": ("match/sandbox/", "tournament/workers/", "server/limits.py", "server/metrics/observed.py"),
    "of the user's cache": ("agent/files.py", "engine/stored_code.py", "match/builds.py"),
    "unpacked by this program": ("agent/submissions.py",),
    "what it has just written": ("cli/bench/", "cli/measuring/", "disk.py", "learning/dataset/shards.py"),
}  # fmt: skip
"""Files of which a module reads others than a stranger's: whose they are, and the modules."""


READING = re.compile(r"\.\s*(?:read_bytes|read_text|open)\b")
"""What a module that reads files has in its text."""


def reads(path: Path) -> Iterator[int]:
    """The lines in which a module reads a whole file by its path, or opens one to read it."""
    source = path.read_text("utf-8")
    for node in ast.walk(ast.parse(source)) if READING.search(source) else ():  # most files need not be parsed
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if isinstance(node.func.value, ast.Name) and node.func.value.id == "userfiles":
            continue  # the door
        first: Any = node.args[0] if node.args else None
        if node.func.attr in ("read_bytes", "read_text") or (
            node.func.attr == "open" and isinstance(first, ast.Constant) and first.value in ("r", "rb")
        ):
            yield node.lineno


def test_strangers_files_are_opened_by_one_door() -> None:
    own = tuple(name for names in OWN.values() for name in names)
    found = {
        f"{path.relative_to(PACKAGE)}:{line}"
        for path in PACKAGE.rglob("*.py")
        if not str(path.relative_to(PACKAGE)).startswith(own) and path.name != "userfiles.py"
        for line in reads(path)
    }
    assert found == set()
