"""`arena dev` as a program: a terminal, signals, a bot that hangs, and an editor's debugger that stops inside `act`."""

import json
import os
import pty
import queue
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from arena.agent import read_bot
from arena.cli.development.debugging import HOST
from arena.cli.development.faults import FAULT_FILE
from arena.cli.main import main

pytestmark = pytest.mark.slow

PATIENCE = 240.0  # seconds for a line on a busy machine
HEAD = "from arena.agent import Agent\n\nclass First(Agent):\n    games = ('naga',)\n\n    def act(self, view):\n"
FIRST = f"{HEAD}        return view.legal[0]\n"
HANGS = f"{HEAD}        while view.contest == 1:\n            pass\n        return view.legal[0]\n"
FAILS = f"{HEAD}        hand = view.hand\n        return hand[99]\n"


@dataclass
class Program:
    """A running `arena dev` in a terminal of its own."""

    process: subprocess.Popen[bytes]
    terminal: int
    said: "queue.Queue[str]"

    def line(self, pattern: str) -> str:
        """The next line in which the pattern is found."""
        until = time.monotonic() + PATIENCE
        seen = []
        while time.monotonic() < until:
            try:
                seen.append(self.said.get(timeout=1.0))
            except queue.Empty:
                assert self.process.poll() is None, seen
                continue
            if re.search(pattern, seen[-1]):
                return seen[-1]
        raise AssertionError(seen)

    def press(self, keys: bytes) -> None:
        os.write(self.terminal, keys)


@contextmanager
def running(folder: Path, *words: str) -> Iterator[Program]:
    """The program with a terminal of 200 columns."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "arena", "dev", *words], cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs,
        env={**os.environ, "COLUMNS": "200", "TERM": "xterm"}, start_new_session=True,
        preexec_fn=lambda: os.close(os.open(os.ttyname(0), os.O_RDWR)),  # noqa: PLW1509 (it becomes the session's terminal)
    )  # fmt: skip
    os.close(theirs)
    said: queue.Queue[str] = queue.Queue()
    threading.Thread(target=_read, args=(ours, said), daemon=True).start()
    try:
        yield Program(process, ours, said)
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        os.close(ours)


def _read(terminal: int, said: "queue.Queue[str]") -> None:
    text = ""
    while True:
        try:
            text += os.read(terminal, 4096).decode("utf-8", "replace")
        except OSError:
            return
        *whole, text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", text).split("\n")
        for line in whole:
            said.put(line)


def test_from_the_first_version_to_ctrl_c(tmp_path: Path) -> None:
    bot = tmp_path / "first.py"
    bot.write_text(FIRST)
    with running(tmp_path, "first.py", "--out", "results") as program:
        program.line(r"loads, plays \d match(es)?, 0 faults")  # on a busy machine fewer than usual
        program.line("kept as the first version")
        program.press(b"\n")
        program.line("this version is kept already")
        bot.write_text(HANGS)
        program.line("loads, plays 1 match, 1 fault")
        program.line("first timeout at decision")
        command = program.line("arena capsule .*--run --bot first.py").split()
        bot.write_text(f"{HEAD}        return view.search(iterations=200).best\n")
        program.line("kept from now on")
        program.press(b"\x03")
        assert "the kept versions are in results/kept/first" in program.line("stopped; ")
        assert program.process.wait(PATIENCE) == 0
    assert len(list((tmp_path / "results" / "kept" / "first").glob("*/first.py"))) == 2
    assert command[:2] == ["arena", "capsule"]


def test_a_comparison_ends_with_the_program(tmp_path: Path) -> None:
    bot = tmp_path / "first.py"
    bot.write_text(FIRST)
    with running(tmp_path, "first.py", "--against", "first.py", "--out", "results") as program:
        program.line("kept as the first version")
        program.process.send_signal(signal.SIGTERM)
        program.line("stopped; ")
        assert program.process.wait(PATIENCE) == 0


class Editor:
    """Attaches to a debugger as editors do, by the Debug Adapter Protocol."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection((HOST, port), timeout=PATIENCE)
        self._stream = self._socket.makefile("rb")
        self._number = 0

    def ask(self, command: str, **arguments: Any) -> None:
        self._number += 1
        body = json.dumps({"seq": self._number, "type": "request", "command": command, "arguments": arguments}).encode()
        self._socket.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def heard(self, is_wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The next message that is wanted."""
        while True:
            length = 0
            while (line := self._stream.readline()) != b"\r\n":
                assert line, "the debugger has hung up"
                length = int(line.partition(b":")[2])
            message: dict[str, Any] = json.loads(self._stream.read(length))
            if is_wanted(message):
                return message

    def event(self, name: str) -> dict[str, Any]:
        found = self.heard(lambda message: message.get("event") == name)
        return dict(found.get("body", {}))

    def answer(self, command: str) -> dict[str, Any]:
        found = self.heard(lambda message: message.get("command") == command)
        assert found["success"], found
        return dict(found.get("body", {}))

    def close(self) -> None:
        self._stream.close()
        self._socket.close()


DEBUGGED = """
import sys, time
from pathlib import Path
from rich.console import Console
from arena.agent import read_bot
from arena.agent.saves import Saves
from arena.cli.development.debugging import debug, last_fault, wait_for_editor
from arena.cli.development.lines import Lines

bot, fault, port = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
lines = Lines(Console(width=200))
wait_for_editor(lines, port)
debug(bot, "first", last_fault(fault, read_bot(bot)), None, Saves(bot), lines, time.sleep)
"""


def attach(port: int, bot: Path, line: int) -> Editor:
    """An editor with a breakpoint in a line of the bot, when the program has begun to listen."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            editor = Editor(port)
            break
        except ConnectionError:
            assert time.monotonic() < until
            threading.Event().wait(0.1)
    editor.ask("initialize", adapterID="python", pathFormat="path", linesStartAt1=True)
    editor.answer("initialize")
    editor.ask("attach", justMyCode=False)
    editor.event("initialized")
    editor.ask("setBreakpoints", source={"path": str(bot)}, breakpoints=[{"line": line}])
    assert editor.answer("setBreakpoints")["breakpoints"]
    editor.ask("configurationDone")
    return editor


@pytest.mark.parametrize("is_fault", [False, True], ids=["a match", "the decision that failed"])
def test_a_breakpoint_in_act_stops(tmp_path: Path, capfd: pytest.CaptureFixture[str], *, is_fault: bool) -> None:
    bot = tmp_path / "first.py"
    bot.write_text(FAILS if is_fault else FIRST)
    fault = tmp_path / FAULT_FILE
    decision = _write_fault(bot, fault) if is_fault else 0
    with socket.socket() as free:
        free.bind((HOST, 0))
        port = free.getsockname()[1]
    with subprocess.Popen(
        [sys.executable, "-c", DEBUGGED, str(bot), str(fault), str(port)], stdout=subprocess.PIPE, text=True
    ) as process:
        editor = attach(port, bot, 7)
        try:
            stopped = editor.event("stopped")
            assert stopped["reason"] == "breakpoint"
            editor.ask("stackTrace", threadId=stopped["threadId"])
            frame = editor.answer("stackTrace")["stackFrames"][0]
            assert (frame["name"], frame["line"], frame["source"]["path"]) == ("act", 7, str(bot))
            editor.ask("setBreakpoints", source={"path": str(bot)}, breakpoints=[])
            editor.ask("continue", threadId=stopped["threadId"])
            assert process.stdout is not None
            said = []
            for line in process.stdout:
                said.append(line)
                if "done; a save does it again" in line:
                    break
        finally:
            editor.close()
            process.kill()
    text = "".join(said)
    if is_fault:
        assert f"to decision {decision}, where it failed (crash)" in text
        assert "it fails: crash" in text and "IndexError" in text
    else:
        assert "a match of naga, seed 1" in text and "seat 0 first" in text


def _write_fault(bot: Path, file: Path) -> int:
    """Write the capsule of the bot's first fault; returns the number of the decision."""
    from arena.cli.development.faults import print_fault
    from arena.cli.development.first_matches import Checker
    from arena.reports.terminal import MarkdownPage

    with Checker("first", ["naga"]) as checker:
        found = checker.play(read_bot(bot), 1)
    assert found.fault is not None
    print_fault(found.fault, bot, file.parent, MarkdownPage())
    return found.fault.capsule.decision


def test_without_debugpy_it_is_said_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "first.py").write_text(FIRST)
    monkeypatch.setitem(sys.modules, "debugpy", None)
    assert main(["dev", str(tmp_path / "first.py"), "--debug"]) == 2
    assert "pip install 'arena-hall[debug]'" in capsys.readouterr().err
