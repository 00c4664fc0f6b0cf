"""docs/isolation.md has the limits of the code; every class of attacks in tests/bad_bots/README.md names a test that exists."""

import re

from arena.agent.command_bot import FILE_BYTES
from arena.agent.plain_files import BOT_BYTES, BOT_FILES, DEEPEST
from arena.match import BACKSTOP_FACTOR, BACKSTOP_SECONDS, SLEEP_SECONDS
from arena.records import MOST_BYTES
from arena.userfiles import FILE_LETTERS, UNFOLDED_LETTERS
from helpers.paths import PACKAGE, TESTS

PAGE = (PACKAGE / "docs" / "isolation.md").read_text("utf-8")
ATTACKS = (TESTS / "bad_bots" / "README.md").read_text("utf-8")


def test_every_named_test_exists() -> None:
    there = {
        name for path in TESTS.rglob("test_*.py") for name in re.findall(r"^def (test_\w+)", path.read_text("utf-8"), re.M)
    }
    rows = [line for line in ATTACKS.partition("closed by the test")[2].splitlines() if line.startswith("| ")]
    assert len(rows) > 25
    for row in rows:
        named = re.findall(r"`(test_\w+)`", row)
        assert named, f"no test: {row}"
        assert set(named) <= there, f"no such test: {set(named) - there}"


def test_every_named_file_exists() -> None:
    for path in re.findall(r"`(tests/[\w/.]+)`", PAGE + ATTACKS):
        assert (TESTS.parent / path).exists(), path
    for name in re.findall(r"`(\w+\.py)`", PAGE):
        assert (PACKAGE / "match" / "sandbox" / name).exists(), name


def test_the_figures_are_those_of_the_code() -> None:
    assert f"| {BACKSTOP_FACTOR:g} times the clock and {BACKSTOP_SECONDS:g} s |" in PAGE
    assert f"costs its clock | {SLEEP_SECONDS:g} s |" in PAGE
    files = f"{BOT_BYTES >> 20} MiB, {BOT_FILES:,} files, {DEEPEST} folders in each other"
    assert f"| {files}; a `bot.toml` {FILE_BYTES >> 10} KiB |" in PAGE
    assert f"| {FILE_LETTERS >> 20} Mi characters; {UNFOLDED_LETTERS >> 20} Mi with every alias written out |" in PAGE
    assert f"| {MOST_BYTES >> 50} PiB |" in PAGE
