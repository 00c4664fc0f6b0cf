"""Odd terminals and descriptors: closed, full, without letters or width. No traceback, no work lost, a sensible exit code."""

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from rich.text import Text

from arena.__main__ import BLAS_THREADS, HASH_SEED, run
from arena.cli.commands import BENCH, VERBS
from arena.cli.shared import printing
from arena.cli.shared.streams import Output, close_output, is_gone, mend_sizes, open_streams
from helpers.commands import COMMANDS
from helpers.paths import HOUSE_BOTS
from helpers.tournaments import write_config

ODD = {  # how a shell starts the command: the words after it, and variables
    "closed output": (">&-", {}),
    "full output": (">/dev/full", {}),
    "closed errors": ("2>&-", {}),
    "full errors": ("2>/dev/full", {}),
    "nothing open": ("<&- >&- 2>&-", {}),
    "no input": ("<&-", {}),
    "read no further": ("| head -1", {}),
    "latin-1": ("", {"PYTHONIOENCODING": "latin-1"}),
    "ascii": ("", {"PYTHONIOENCODING": "ascii:strict", "LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0"}),
    "no width": ("", {"COLUMNS": "0", "LINES": "0"}),
    "narrow": ("", {"COLUMNS": "5"}),
    "no number": ("", {"COLUMNS": "abc", "LINES": "x"}),
    "negative": ("", {"COLUMNS": "-1"}),
    "endless": ("", {"COLUMNS": "99999999999999999999"}),
    "dumb": ("", {"TERM": "dumb", "NO_COLOR": "1"}),
    "no terminal": ("", {"TERM": ""}),
}
FEW = {
    "full output": ("leaderboard", "rules"), "nothing open": ("leaderboard",), "ascii": ("leaderboard", "rules"),
    "no width": ("leaderboard",),
}  # fmt: skip
"""Commands that are tried at some terminals; all at all: below."""

REALLY = {  # words with which a verb does its work, quickly; the others are asked for what is not there
    "docs": ["formats"], "rules": ["naga"], "trace": ["naga"], "status": [], "plan": ["small.yaml"], "init": ["fresh"],
    "new": ["mine.py"], "bots": [], "leaderboard": ["cup"], "report": ["cup"], "replay": ["MATCH"], "rerate": ["cup"],
    "archive": [], "verify-results": ["cup"], "match": ["naga", "random_bot.py", "random_bot.py"],
    "tournament": ["small.yaml", "--backend", "local", "--workers", "1"], "warmup": ["naga"],
}  # fmt: skip
TAKES_OUT = {"status", "bots", "leaderboard", "report", "replay", "rerate", "archive", "verify-results", "tournament"}


def arena(words: list[str], kind: str, folder: Path) -> subprocess.CompletedProcess[str]:
    redirected, variables = ODD[kind]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    return subprocess.run(
        ["bash", "-c", f'set -o pipefail; "$@" {redirected}', "bash", sys.executable, "-P", "-m", "arena", *words],
        cwd=folder, env={**environment, **variables}, capture_output=True, text=True, errors="replace", timeout=300,
        check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a config, a bot and the results of a tournament that was played onto a full disk."""
    folder = tmp_path_factory.mktemp("odd")
    (folder / "random_bot.py").write_text((HOUSE_BOTS / "random_bot.py").read_text())
    write_config(folder, [folder / "random_bot.py", HOUSE_BOTS / "naga_greedy.py"], deals=2, name="cup", seed=1)
    words = ["tournament", "small.yaml", "--backend", "local", "--workers", "1", "--out", "kept"]
    for kind in ("full output", "nothing open"):  # the second time it is there already, and complete
        played = arena(words, kind, folder)
        assert "Traceback" not in played.stderr
        assert played.returncode == (2 if kind == "full output" else 0)
    assert json.loads((folder / "kept" / "cup" / "manifest.json").read_text())["finished"]
    return folder


def words_of(command: str, kind: str) -> list[str]:
    if command not in REALLY:
        return [*command.split(), "--no-such-option"]
    if command in ("init", "new"):
        return [command, f"{kind.replace(' ', '_').replace('-', '_')}_{REALLY[command][0]}"]
    return [command, *REALLY[command], *(["--out", "kept"] if command in TAKES_OUT else [])]


def first_match(folder: Path) -> str:
    identifier: bytes = pq.read_table(folder / "kept" / "cup" / "matches.parquet", columns=["match_id"])["match_id"][0].as_py()
    return identifier.hex()


def check(command: str, kind: str, folder: Path) -> None:
    words = [first_match(folder) if word == "MATCH" else word for word in words_of(command, kind)]
    answer = arena(words, kind, folder)
    assert "Traceback" not in answer.stderr and "Exception ignored" not in answer.stderr, answer.stderr
    if command not in REALLY or (kind == "full output" and command != "init"):
        assert answer.returncode == 2, answer
    elif kind != "full output":
        assert answer.returncode == 0, answer


@pytest.mark.parametrize("kind", FEW)
def test_work_is_done_whatever_the_streams_are(kind: str, folder: Path) -> None:
    for command in FEW[kind]:
        check(command, kind, folder)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ODD)
def test_every_verb_stands_every_terminal(kind: str, folder: Path) -> None:
    others = [verb for verb in (*VERBS, "bench engine") if verb not in REALLY and verb != BENCH]
    for command in (*REALLY, *others[list(ODD).index(kind) :: len(ODD)]):  # each of the others at one terminal: all end alike
        assert command in COMMANDS
        check(command, kind, folder)


@pytest.mark.parametrize("kind", ["full output", "closed output", "nothing open", "no width", "ascii"])
def test_the_list_of_commands_stands_them_too(kind: str, tmp_path: Path) -> None:
    answer = arena(["--help"], kind, tmp_path)
    assert "Traceback" not in answer.stderr and answer.returncode == (2 if kind == "full output" else 0)
    assert kind != "full output" or answer.stderr.startswith("arena: standard output is not whole: No space left")


@pytest.mark.parametrize(
    ("columns", "left"), [("0", None), ("abc", None), ("-1", None), ("5", "40"), ("120", "120"), ("9" * 30, "1000"), ("", None)]
)
def test_a_width_is_one(columns: str, left: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    mend_sizes()
    assert os.environ.get("COLUMNS") == left


def test_after_a_failure_nothing_is_written_and_nothing_raised() -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    output = Output(full)
    try:
        assert output.write(b"abc") == 3 and output.write(b"d") == 1
        assert output.failure is not None and output.failure.errno == errno.ENOSPC
    finally:
        os.close(full)


def test_a_pipe_that_somebody_else_made_impatient_is_waited_for() -> None:
    read, write = os.pipe()
    os.set_blocking(write, False)
    child = subprocess.Popen(["wc", "-c"], stdin=read, stdout=subprocess.PIPE)
    os.close(read)
    output, data, sent = Output(write), b"x" * 1_000_000, 0
    while sent < len(data):
        sent += output.write(data[sent:])
    os.close(write)
    assert output.failure is None and int(child.communicate()[0]) == 1_000_000


@pytest.mark.parametrize(("number", "code"), [(errno.ENOSPC, 2), (errno.EPIPE, 0)])
def test_only_a_reader_that_has_gone_is_no_failure(number: int, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    output = Output(1)
    output.failure = OSError(number, os.strerror(number))
    assert close_output(output, 0, failed=2) == code and close_output(output, 1, failed=2) == 1
    assert ("not whole" in capsys.readouterr().err) == (code == 2)


def test_a_stream_that_nobody_reads_ends_a_long_listing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", sys.stderr)
    monkeypatch.setattr(sys, "stdout", sys.stdout)
    output = open_streams()
    output.failure = OSError(errno.EPIPE, "gone")
    assert is_gone(sys.stdout)
    printing.say_all(line for line in endless())


ABSENT_PAGERS = [
    {"PAGER": "no_such_pager -R"}, {"MANPAGER": "no_such_pager"}, {"MANPAGER": "", "PAGER": "no_such_pager"},
    {"MANPAGER": " ", "PAGER": "X=1 no_such_pager"}, {"PAGER": "'no_such_pager"}, {"PAGER": "no_such_pager=1"},
]  # fmt: skip


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has long texts go through a pager."""
    console: Callable[..., object] = printing.Console
    monkeypatch.setattr(printing, "Console", lambda: console(force_terminal=True))
    for name in ("PAGER", "MANPAGER", "LESS"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("variables", ABSENT_PAGERS)
@pytest.mark.usefixtures("terminal")
def test_a_pager_that_is_not_there_loses_no_text(
    variables: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    printing.page_through(Text("the whole text"))
    said = capsys.readouterr()
    assert "the whole text" in said.out and "no_such_pager" in said.err


@pytest.mark.parametrize("value", ["cat", "X=1 cat", "'cat' -u", " ", ""])
@pytest.mark.usefixtures("terminal")
def test_a_pager_that_is_there_is_asked_and_a_blank_one_is_none(
    value: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[str | None] = []
    monkeypatch.setattr("pydoc.pager", lambda _: asked.append(os.environ.get("PAGER")))
    monkeypatch.setenv("PAGER", value)
    printing.page_through(Text("the whole text"))
    assert asked == [value.strip() or None] and not capsys.readouterr().err


def test_matrices_are_worked_out_by_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine threads wait for each other: 160 bots took minutes. Who wants more says so."""
    started: list[str | None] = []

    def start(*_: object) -> None:
        started.append(os.environ.get(BLAS_THREADS))
        raise SystemExit

    monkeypatch.setattr(os, "execv", start)
    monkeypatch.setattr(sys, "argv", ["arena", "leaderboard"])
    for asked in ("", "4"):
        monkeypatch.delenv(HASH_SEED, raising=False)
        monkeypatch.delenv(BLAS_THREADS)
        if asked:
            monkeypatch.setenv(BLAS_THREADS, asked)
        with pytest.raises(SystemExit):
            run()
    assert started == ["1", "4"]


def endless() -> Iterator[str]:
    yield "one"
    pytest.fail("another line was worked out")
