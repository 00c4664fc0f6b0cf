"""The README is true: its bot plays, its files are there, its commands exist."""

import re
from pathlib import Path

import pytest

from arena.cli.main import VERBS
from arena.match.single_match import play_match
from arena.records import Ending
from helpers.commands import options
from helpers.paths import HOUSE_BOTS, ROOT

TEXT = (ROOT / "README.md").read_text()


def test_the_bot_of_the_readme_plays_without_a_fault(tmp_path: Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    bot = tmp_path / "strongest.py"
    bot.write_text(code)
    record = play_match("naga", [bot, HOUSE_BOTS / "random_bot.py"], seed=1)
    assert [seat.ending for seat in record.seats] == [Ending.PLAYED, Ending.PLAYED]
    body = code[code.index("class") :].strip().splitlines()
    assert len(body) <= 10


def test_every_command_is_mentioned() -> None:
    assert all(f"arena {verb}" in TEXT for verb in VERBS)


def test_mentioned_commands_exist() -> None:
    mentioned = set(re.findall(r"\barena ([a-z]+)\b", TEXT))
    assert mentioned <= set(VERBS), mentioned - set(VERBS)


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`((?:arena|bots|configs|leaderboards)/[\w/.]+)`", TEXT))))
def test_mentioned_files_exist(path: str) -> None:
    assert path == "bots/strongest.py" or (ROOT / path).exists()


def test_set_up_is_one_line_each() -> None:
    for mark in ("main", "tests"):
        block = re.search(rf"<!-- {mark} -->\n```bash\n(.*?)\n```\n<!-- end -->", TEXT, re.DOTALL)
        assert block and "\n" not in block[1]


def test_a_newcomer_reads_one_page_that_begins_with_what_works() -> None:
    assert len(TEXT.splitlines()) <= 90
    assert re.findall(r"<!-- (\w+) -->", TEXT) == ["main", "end", "tests", "end"]
    assert "--demo" in options("tournament")
