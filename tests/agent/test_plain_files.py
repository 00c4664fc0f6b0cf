"""A bot's files are read by descriptor: whatever its author swaps while they are read, no other file gets into the bot."""

import itertools
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from arena.agent import bot_name, plain_files, read_bot
from arena.errors import BotError

SECRET = b"x = 'the secret of the organiser'"


class Swapper:
    """A file of the bot, its link to the organiser's, and the swap of the two in one step."""

    def __init__(self, own: Path, link: Path) -> None:
        self._own, self._link = own, link

    def __call__(self) -> None:
        spare = self._own.with_name("spare")
        self._own.rename(spare)
        self._link.rename(self._own)
        spare.rename(self._link)


@contextmanager
def swapped_at(call: int, swap: Callable[[], None]) -> Iterator[list[int]]:
    """Swap before one call of a function in C, such as `os.open`, and back at the next; tells how many calls there were."""
    calls = [0]

    def watch(_frame: FrameType, event: str, function: Any) -> None:
        if event != "c_call" or getattr(function, "__module__", None) not in ("posix", "io", "_io", None):
            return
        calls[0] += 1
        if calls[0] in (call, call + 1):
            sys.setprofile(None)
            swap()
            sys.setprofile(watch)

    sys.setprofile(watch)
    try:
        yield calls
    finally:
        sys.setprofile(None)
        if calls[0] == call:
            swap()


def single(folder: Path) -> tuple[Path, Path, Path]:
    """A bot of one file: the bot, what is swapped, and the link it is swapped with."""
    bot = folder / "bot.py"
    bot.write_bytes(b"x = 1")
    (folder / "link.py").symlink_to(folder.parent / "secret" / "secret.py")
    return bot, bot, folder / "link.py"


def package(folder: Path) -> tuple[Path, Path, Path]:
    bot = folder / "bot"
    (bot / "sub").mkdir(parents=True)
    (bot / "__init__.py").write_bytes(b"x = 1")
    (bot / "sub" / "secret.py").write_bytes(b"x = 2")
    (folder / "link").symlink_to(folder.parent / "secret")
    return bot, bot / "sub", folder / "link"


def command(folder: Path) -> tuple[Path, Path, Path]:
    bot = folder / "bot"
    bot.mkdir()
    (bot / "bot.toml").write_text('name = "b"\ncommand = ["python3", "main.py"]\nfiles = ["main.py"]\n')
    (bot / "main.py").write_bytes(b"x = 1")
    (folder / "link").symlink_to(folder.parent / "secret" / "secret.py")
    return bot, bot / "main.py", folder / "link"


@pytest.mark.parametrize("kind", [single, package, command])
def test_nothing_swapped_in_between_two_calls_is_read(kind: Callable[[Path], tuple[Path, Path, Path]], tmp_path: Path) -> None:
    """Exhaustive: the swap happens before each call to the system in turn, so in every gap that there is."""
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "secret.py").write_bytes(SECRET)
    (tmp_path / "home").mkdir()
    bot, own, link = kind(tmp_path / "home")
    swap = Swapper(own, link)
    outcomes = set()
    for call in itertools.count(1):
        with swapped_at(call, swap) as calls:
            try:
                files = read_bot(bot)
                outcomes.add("read")
            except BotError:
                files = None
                outcomes.add("refused")
        assert files is None or SECRET not in files.files.values(), f"swapped at call {call}"
        if calls[0] < call:
            break
    assert outcomes == {"read", "refused"}  # it was swapped in time, too


def test_a_file_that_grows_while_it_is_read_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bot, real = tmp_path / "bot.py", os.fstat
    bot.write_bytes(b"x = 1\n")

    def grown(descriptor: int) -> os.stat_result:
        found = real(descriptor)
        with bot.open("ab") as file:
            file.write(b"#" * 100)
        return found

    monkeypatch.setattr("arena.agent.plain_files.os.fstat", grown)
    assert read_bot(bot).files == {"bot.py": b"x = 1\n"}


def test_folders_without_end_and_files_without_number_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = tmp_path / "deep"
    (deep / Path(*["d"] * (plain_files.DEEPEST + 1))).mkdir(parents=True)
    (deep / "__init__.py").write_text("x = 1")
    with pytest.raises(BotError, match="more than 32 folders in each other"):
        read_bot(deep)
    monkeypatch.setattr(plain_files, "BOT_FILES", 3)
    many = tmp_path / "many"
    many.mkdir()
    for name in ("__init__.py", "a", "b", "c"):
        (many / name).write_text("")
    with pytest.raises(BotError, match="more than 3 files"):
        read_bot(many)


def test_the_name_of_a_bot_is_read_from_a_plain_file_too(tmp_path: Path) -> None:
    (tmp_path / "secret.toml").write_text('name = "secret"\ncommand = ["x"]\n')
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "bot.toml").symlink_to(tmp_path / "secret.toml")
    with pytest.raises(BotError, match=r"bot\.toml: a link"):
        bot_name(tmp_path / "bot")
    os.mkfifo(tmp_path / "pipe.toml")
    (tmp_path / "bot" / "bot.toml").unlink()
    (tmp_path / "pipe.toml").rename(tmp_path / "bot" / "bot.toml")
    for read in (bot_name, read_bot):
        with pytest.raises(BotError, match=r"bot\.toml: not a plain file"):
            read(tmp_path / "bot")


def test_a_folder_that_cannot_be_listed_is_no_hindrance_for_a_file_in_it(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir()
    (tmp_path / "closed" / "bot.py").write_text("x = 1")
    (tmp_path / "closed").chmod(0o711)
    assert read_bot(tmp_path / "closed" / "bot.py").main == "bot.py"


@pytest.mark.parametrize(
    "source",
    ["(" * 100_000, "-" * 1_000_000 + "1", "a" + ".b" * 200_000, "x = " + "[" * 50_000 + "]" * 50_000, "\0", "if 1:\n " * 3000],
    ids=["brackets", "signs", "attributes", "lists", "zero", "blocks"],
)
def test_a_source_that_breaks_the_parser_is_refused(source: str, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(source)
    try:
        read_bot(tmp_path / "bot.py")
    except BotError as error:
        assert str(error).startswith(str(tmp_path / "bot.py"))
