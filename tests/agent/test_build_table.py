"""The table [build] of a bot.toml: how it is read, and which files of a folder are source."""

from pathlib import Path
from unittest.mock import Mock

import pytest

from arena.agent import BotFiles, build_table, command_bot, read_bot
from arena.agent.build_table import DISK_MB, MEMORY_MB, SECONDS
from arena.agent.command_bot import CommandBot, read_toml
from arena.agent.plain_files import inner_path
from arena.errors import BotError
from arena.userfiles import parse_toml

HEAD = 'name = "made"\ncommand = ["./bot"]\n'
TABLE = '[build]\ncommand = ["cc", "-o", "bot", "bot.c"]\nmakes = ["bot"]\n'


def folder(path: Path, toml: str, *names: str) -> Path:
    """A bot's folder with a bot.toml and files that hold their own names."""
    for name in names:
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(name)
    (path / "bot.toml").write_text(toml)
    return path


def test_a_table_has_limits_of_its_own_or_the_usual_ones() -> None:
    usual, own = (read_toml((HEAD + TABLE + more).encode()) for more in ("", "seconds = 5\nmemory_mb = 64\ndisk_mb = 32\n"))
    assert isinstance(usual, CommandBot) and usual.build and isinstance(own, CommandBot) and own.build
    assert (usual.build.command, usual.build.makes) == (["cc", "-o", "bot", "bot.c"], ["bot"])
    assert (usual.build.seconds, usual.build.memory_mb, usual.build.disk_mb) == (SECONDS, MEMORY_MB, DISK_MB)
    assert (own.build.seconds, own.build.memory_mb, own.build.disk_mb) == (5, 64, 32)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("makes = ['bot']", "build.command"), ("command = []\nmakes = ['bot']", "build.command: a program is needed"),
        ("command = ['./make.sh']\nmakes = ['bot']", 'as in ["sh", "build.sh"]'),
        ("command = ['/bin/sh']\nmakes = ['bot']", "build.command: /bin/sh"),
        ("command = ['cc', 'a\\u0000b']\nmakes = ['bot']".replace("'", '"'), "build.command: no argument"),
        ("command = ['cc']\nmakes = []", "build.makes: the files"), ("command = ['cc']", "build.makes"),
        ("command = ['cc']\nmakes = ['../bot']", "build.makes: '../bot' is not in the bot's folder"),
        ("command = ['cc']\nmakes = ['./bot.toml']", "build.makes: a command cannot make the bot.toml"),
        ("command = ['cc']\nmakes = ['bot']\nseconds = 601", "build.seconds: a whole number from 1 to 600"),
        ("command = ['cc']\nmakes = ['bot']\nmemory_mb = 0", "build.memory_mb: a whole number from 1 to 4,096"),
        ("command = ['cc']\nmakes = ['bot']\ndisk_mb = 1.5", "build.disk_mb"),
        ("command = ['cc']\nmakes = ['bot']\nsecond = 3", "build.second"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_key(table: str, said: str) -> None:
    with pytest.raises(BotError) as wrong:
        read_toml((HEAD + "[build]\n" + table).encode())
    assert said in str(wrong.value) and "\n" not in str(wrong.value)


def test_what_a_build_makes_is_never_taken_from_the_folder(tmp_path: Path) -> None:
    both = HEAD + TABLE.replace('["bot"]', '["bot", "out/"]')
    bot = read_bot(folder(tmp_path, both, "bot.c", "bot", "out/deep/table.bin", "outside.c"))
    assert set(bot.files) == {"bot.toml", "bot.c", "outside.c"} and bot.wants_build
    listed = read_bot(folder(tmp_path, f'files = ["bot.c", "bot"]\n{both}'))
    assert set(listed.files) == {"bot.toml", "bot.c"} and listed.wants_build


def test_a_bot_knows_its_source_when_it_is_built(tmp_path: Path) -> None:
    source = read_bot(folder(tmp_path, HEAD + TABLE, "bot.c"))
    built = BotFiles(source.main, source.files | {"bot": b"\x7fELF"})
    assert source.wants_build and not built.wants_build
    assert built.sha256 != source.sha256 == built.source.sha256 == source.source.sha256


def test_what_is_made_is_worked_out_once_however_many_names_and_files_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"{number:x}" for number in range(2000)]
    toml = HEAD + TABLE.replace('["bot"]', str(names).replace("'", '"'))
    bot = BotFiles("bot.toml", {"bot.toml": toml.encode(), **{f"{number}.c": b"" for number in range(900)}})
    parsed, cut = Mock(wraps=parse_toml), Mock(wraps=inner_path)
    monkeypatch.setattr(command_bot, "parse_toml", parsed)
    monkeypatch.setattr(build_table, "inner_path", cut)
    for _ in range(3):
        assert bot.command is not None and bot.wants_build and bot.source == bot
    assert parsed.call_count == 1
    assert cut.call_count <= 3 * len(names), "twice where a name is checked, and once to know what is made"
    again = BotFiles("bot.toml", bot.files | {"7cf": b""})
    assert not again.wants_build and again.source == bot


def test_nothing_is_built_without_a_table(tmp_path: Path) -> None:
    bot = read_bot(folder(tmp_path, HEAD, "bot", "bot.c"))
    assert not bot.wants_build and bot.source is bot
    (tmp_path / "bot").unlink()
    with pytest.raises(BotError, match=r"\./bot is not among the bot's files"):
        read_bot(tmp_path)
