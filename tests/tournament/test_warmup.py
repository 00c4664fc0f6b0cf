"""Compiling before the first match: it says what is done and left, and leaves no process behind."""

import os
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from arena.engine import jit
from arena.engine.readiness import CHANCE
from arena.errors import ArenaError
from arena.tournament.workers import compiling
from arena.tournament.workers.compiling import _started, warm_games

COMPILES = "pass"
FAILS = "raise ValueError('the compiler gave up')"
NEVER_ENDS = "import signal; signal.pause()"


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """The processes that compile, two at once."""
    made = []

    def start(module: str, name: str, parts: Iterable[str] = ()) -> subprocess.Popen[bytes]:
        made.append(_started(module, name, parts))
        return made[-1]

    monkeypatch.setattr(compiling, "_started", start)
    monkeypatch.setattr(compiling, "available_cpus", lambda: 2)
    monkeypatch.setattr(jit, "is_warm", lambda name, part="": False)
    return made


def modules(folder: Path, sources: Mapping[str, str], monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Modules that do what the sources say, by name."""
    for name, source in sources.items():
        (folder / f"compile_{name}.py").write_text(source)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]))
    return {name: f"compile_{name}" for name in sources}


def test_it_says_what_is_compiled_and_how_long_the_rest_takes(
    started: list[subprocess.Popen[bytes]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    seconds = warm_games({}, said.append, modules(tmp_path, dict.fromkeys("abc", COMPILES), monkeypatch))
    assert said[0] == "compiling a, b, c (first run only) ..."
    assert [text.split(", ")[1] for text in said[1:3]] == ["1 of 3", "2 of 3"]
    assert {text.split()[0] for text in said[1:3]} < set("abc") and all(text.endswith(" s left") for text in said[1:3])
    assert said[3:] == [f"compiled in {seconds:.1f} s"]
    assert len(started) == 3


def test_what_cannot_be_compiled_is_named_and_the_others_are_ended(
    started: list[subprocess.Popen[bytes]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = modules(tmp_path, {"slow": NEVER_ENDS, "broken": FAILS, "next": COMPILES}, monkeypatch)
    with pytest.raises(ArenaError, match=r"^broken could not be compiled: ValueError: the compiler gave up$"):
        warm_games({}, print, others)
    assert len(started) == 2 and all(child.returncode is not None for child in started)


def test_ctrl_c_ends_what_compiles(
    started: list[subprocess.Popen[bytes]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_: str) -> None:
        if started:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        warm_games({}, interrupt, modules(tmp_path, {"slow": NEVER_ENDS, "a": COMPILES, "b": COMPILES}, monkeypatch))
    assert len(started) == 2 and all(child.returncode is not None for child in started)


def test_a_part_that_a_bot_asks_for_and_that_does_not_compile_ends_nothing(
    started: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiling, "_lacking", lambda name, parts: list(parts))
    said: list[str] = []
    with compiling.Compiling({}, said.append) as running:
        for _ in range(2):
            running.ask("nowhere", "flat")
        assert not running.is_compiled("nowhere", "flat") and running.is_ready("nowhere")
        running.finish()
        running.ask("nowhere", "flat")
        assert running.is_over and running.is_compiled("nowhere", "flat")
    assert said[0] == "compiling nowhere: search by flat: a bot asks for it for the first time ..."
    assert said[1].startswith('warning: nowhere: search by flat could not be compiled: game: no game "now')
    assert len(said) == 2 and len(started) == 1


def test_luck_is_compiled_before_it_is_worked_out_and_no_match_waits_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "is_warm", lambda name, part="": part != CHANCE)
    lacking = compiling.Compiling({"naga": (CHANCE,)}, print)
    assert not lacking.is_over and lacking.is_ready("naga")
