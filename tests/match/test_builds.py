"""Bots that come as source: built once, the same again from the same source, and known by the hash of what was made."""

import itertools
import os
from pathlib import Path

import pytest

from arena.agent import BotFiles
from arena.cache import cache_root
from arena.disk import set_mode
from arena.errors import ArenaError, BotError
from arena.match import builds
from arena.match.builds import BuildFailed, built, first_message
from arena.match.sandbox import LOCKED, PROCESS, BuildLost, BuildOutcome, LockError, lockdown, present_toolchains
from arena.match.sandbox.builds import builder
from helpers.processes import survivors

numbers = itertools.count()
COPIES = "open('bot', 'w').write(open('text.txt').read())"
DRAWS = "import os; open('bot', 'wb').write(os.urandom(8))"


def source(script: str, text: str = "", more: str = "") -> BotFiles:
    """A bot that a line of Python makes; each is another one, unless it has a text."""
    toml = (
        'name = "x"\ncommand = ["./bot"]\n[build]\ncommand = ["python3", "-S", "build.py"]\nmakes = ["bot"]\n'
        f"seconds = 20\n{more}"
    )
    text = text or f"{os.getpid()} {next(numbers)}"
    return BotFiles("bot.toml", {"bot.toml": toml.encode(), "build.py": script.encode(), "text.txt": text.encode()})


def test_what_is_made_plays_together_with_the_source_and_has_a_hash_of_its_own() -> None:
    bot = source(COPIES)
    done = built(bot, "x")
    assert done.files.files == bot.files | {"bot": bot.files["text.txt"]}
    assert done.report is not None and done.report.source == bot.sha256 == done.files.source.sha256 != done.files.sha256
    assert built(done.files, "x") == (done.files, None)


def test_the_same_source_gives_the_same_bot_also_where_a_compiler_draws_numbers() -> None:
    bot, told = source(DRAWS), list[str]()
    first, again = (built(bot, "x", is_trusted=True, say=told.append) for _ in range(2))
    assert first.files == again.files and told.count("building x ...") == 1
    assert first.report and again.report and not first.report.is_kept and again.report.is_kept
    other = built(source(DRAWS), "x", is_trusted=True)
    assert other.files.sha256 != first.files.sha256


def test_what_is_damaged_in_the_cache_is_built_again() -> None:
    bot = source(DRAWS)
    before = set((cache_root() / builds.FOLDER).glob("*.built"))
    first = built(bot, "x", is_trusted=True)
    (path,) = set((cache_root() / builds.FOLDER).glob("*.built")) - before
    content = path.read_bytes()
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    again = built(bot, "x", is_trusted=True)
    assert again.report and not again.report.is_kept and again.files.sha256 != first.files.sha256


def test_a_failed_build_says_why_in_one_line_and_is_tried_again() -> None:
    bot = source("import sys; print('bot.x:3:1: error: no such word'); print('that was all'); sys.exit(2)")
    for _ in range(2):
        with pytest.raises(BuildFailed) as failed:
            built(bot, "mine", is_trusted=True)
        assert str(failed.value) == ("mine: its build failed: python3 ended with exit code 2; bot.x:3:1: error: no such word")
        assert failed.value.report.log == "bot.x:3:1: error: no such word\nthat was all\n"


def test_a_trusted_build_has_limits_of_time_and_what_it_started_ends_with_it(tmp_path: Path) -> None:
    mark = tmp_path / "alive"
    script = f"import os, time\nif os.fork() == 0:\n    open({str(mark)!r}, 'w').write(str(os.getpid()))\nwhile True: pass"
    toml = source(script).files["bot.toml"].replace(b"seconds = 20", b"seconds = 1")
    with pytest.raises(BuildFailed, match="used more than 1 s of CPU time"):
        built(BotFiles("bot.toml", source(script).files | {"bot.toml": toml}), "x", is_trusted=True)
    assert not survivors({int(mark.read_text())})


def test_a_program_that_is_not_here_is_named() -> None:
    bot = BotFiles("bot.toml", {"bot.toml": source("").files["bot.toml"].replace(b'"python3"', b'"no-such-compiler"')})
    with pytest.raises(BotError, match=r"x: build\.command: no no-such-compiler on the machine that builds; `arena doctor`"):
        built(bot, "x")


def test_nothing_is_built_unlocked_unless_somebody_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lockdown, "landlock_version", lambda: 0)
    with pytest.raises(LockError, match="Landlock"):
        built(source(COPIES), "x")
    done = built(source(COPIES), "x", least=PROCESS)
    assert done.report is not None and done.report.isolation == PROCESS


def test_a_build_whose_host_failed_is_tried_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = list[int]()

    def lost(*_: object, **__: object) -> BuildOutcome:
        tried.append(1)
        raise BuildLost("killed from outside")

    monkeypatch.setattr(builds, "run_build", lost)
    with pytest.raises(ArenaError, match="the machine failed its build, not the bot: killed from outside"):
        built(source(COPIES), "x")
    assert len(tried) == 2


def test_the_output_is_kept_from_its_end() -> None:
    lines = builder.LOG_BYTES // 10 + 100
    script = f"for number in range({lines}): print(f'{{number:09}}')\nopen('bot', 'w')"
    report = built(source(script), "x", is_trusted=True).report
    assert report is not None and len(report.log) == builder.LOG_BYTES and report.log.endswith(f"{lines - 1:09}\n")


@pytest.mark.parametrize(
    ("log", "message"),
    [
        ("bot.c: In function 'f':\nbot.c:3:5: warning: unused\nbot.c:7:1: error: no ';'", "bot.c:7:1: error: no ';'"),
        ("warning: unused\n --> main.rs:1:5\n\nerror[E0308]: mismatched types\n --> main.rs:2:9\n  |",
         "error[E0308]: mismatched types --> main.rs:2:9"),
        ("# command-line-arguments\n./bot.go:4:2: undefined: x", "./bot.go:4:2: undefined: x"),
        ("Bot.java:1: error: class X is public", "Bot.java:1: error: class X is public"),
        ("bot.ts(3,7): error TS2322: Type 'string'", "bot.ts(3,7): error TS2322: Type 'string'"),
        ("nothing that anybody knows\nthe end\n\n", "the end"), ("", ""), ("a\x1b[2J", "a\\x1b[2J"),
    ],
)  # fmt: skip
def test_the_first_message_of_a_compiler_is_told(log: str, message: str) -> None:
    assert first_message(log) == message


@pytest.mark.slow
@pytest.mark.parametrize("level", [None, LOCKED])
def test_a_compiler_makes_the_same_program_in_the_lock_as_outside(level: str | None) -> None:
    if "gcc" not in dict(present_toolchains()):
        pytest.skip("no gcc here")
    toml = 'name = "c"\ncommand = ["./bot"]\n[build]\ncommand = ["gcc", "-O2", "-o", "bot", "bot.c"]\nmakes = ["bot"]\n'
    code = f'#include <stdio.h>\nint main(void) {{ return puts("{os.getpid()} {next(numbers)}") < 0; }}\n'.encode()
    bot = BotFiles("bot.toml", {"bot.toml": toml.encode(), "bot.c": code})
    locked = built(bot, "c") if level is None else built(bot, "c", level=level, least=level)
    assert locked.files.files["bot"].startswith(b"\x7fELF")
    assert locked.files == built(bot, "c", is_trusted=True).files


def test_toolchains_that_the_organiser_names_are_found_with_their_versions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = {"rustc": "rustc 9.8.7 (abc 2026-01-01)", "go": "go version go1.99.1 linux/amd64", "node": "v99.0.1", "tsc": "?"}
    (tmp_path / "bin").mkdir()
    for name, says in programs.items():
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\necho '{says}'\n")
        set_mode(tmp_path / "bin" / name, 0o755)
    monkeypatch.setenv("ARENA_TOOLCHAINS", str(tmp_path))
    found = dict(present_toolchains())
    assert {name: found[name] for name in programs} == {"rustc": "9.8.7", "go": "1.99.1", "node": "99.0.1", "tsc": "?"}
