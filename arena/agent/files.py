"""A bot's files: read, checked, hashed, and unpacked to where they are executed."""

import ast
import hashlib
import os
import stat
from collections.abc import Mapping
from pathlib import Path

import msgspec

from arena.agent import command_bot
from arena.agent.command_bot import CommandBot
from arena.cache import cache_root, cached_folder, keep_newest
from arena.errors import BotError

BOT_BYTES = 64 << 20  # a bot's files, all together
BOTS_KEPT = 200  # unpacked ones, the most recently used

_ELF = b"\x7fELF"


class BotFiles(msgspec.Struct, frozen=True):
    """A bot's files by value: they are hashed, sent to workers and executed."""

    main: str
    """The name of the file that has the Agent class; for a command bot bot.toml."""
    files: dict[str, bytes]
    """The content of each file, by its path relative to the bot's folder."""

    @property
    def command(self) -> CommandBot | None:
        """What the bot.toml of a command bot says; None for a bot in Python."""
        return command_bot.read_command(self.files[self.main]) if self.main == command_bot.FILE else None

    @property
    def sha256(self) -> str:
        """The SHA-256 of all paths and contents, as hex digits: the bot's identity."""
        digest = hashlib.sha256()
        for name, content in sorted(self.files.items()):
            digest.update(f"{len(name.encode())}:{name}:{len(content)}:".encode() + content)
        return digest.hexdigest()


def read_bot(path: Path) -> BotFiles:
    """Read a bot from a `.py` file, or from a folder with `__init__.py` or `bot.toml`.

    Raises BotError that names the path.
    """
    try:
        if (path / command_bot.FILE).is_file():
            return BotFiles(command_bot.FILE, _contents(_files_of_command(path), path))
        if path.is_dir():
            if not (path / "__init__.py").is_file():
                raise BotError(f"{path}: a bot folder needs an __init__.py with one Agent class, or a bot.toml with a command")
            bot = BotFiles("__init__.py", _contents(_all_files(path), path))
        elif path.suffix == ".py":
            bot = BotFiles(path.name, _contents({path.name: path}, path))
        else:
            raise BotError(f"{path}: a bot is a .py file or a folder with __init__.py or bot.toml")
    except OSError as error:
        raise BotError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        ast.parse(bot.files[bot.main], filename=str(path))
    except SyntaxError as error:
        raise BotError(f"{path}: line {error.lineno}: syntax error: {error.msg}") from None
    except ValueError as error:
        raise BotError(f"{path}: not Python source: {error}") from None
    return bot


def bot_name(path: Path) -> str:
    """A bot's default name: the one in its bot.toml, else its file's or folder's name. Raises BotError for a bad bot.toml."""
    try:
        content = (path / command_bot.FILE).read_bytes()
    except OSError:
        return path.stem
    try:
        return command_bot.read_command(content).name
    except BotError as error:
        raise BotError(f"{path}/{error}") from None


def unpack(bot: BotFiles) -> Path:
    """Write a bot's files to the user's cache, unless they are there, and return their folder, named by the content hash."""

    def fill(folder: Path) -> None:
        for name, content in bot.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            if content.startswith(_ELF):
                path.chmod(0o755)  # a program that a bot.toml may name

    folder = cached_folder(f"bots/{bot.sha256}", fill)
    if not folder.stat().st_mode & 0o005:  # a locked bot is another user
        for path in (*folder.rglob("*"), folder):
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
    keep_newest("bots/*", BOTS_KEPT, folder)
    return folder


def unpacked(sha256: str) -> BotFiles | None:
    """The bot with this content hash from the user's cache; None if it was never unpacked here or is gone."""
    folder = cache_root() / "bots" / sha256
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    mains = [name for name in ("__init__.py", command_bot.FILE, *found) if name in found]
    if not mains:
        return None
    bot = BotFiles(mains[0], {name: path.read_bytes() for name, path in found.items()})
    return bot if bot.sha256 == sha256 else None


def _contents(files: Mapping[str, Path], bot: Path) -> dict[str, bytes]:
    """The content of each file. Raises BotError for anything but plain files, and for more than BOT_BYTES of them."""
    size = 0
    for name, path in files.items():
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise BotError(f"{path}: not a plain file")
        if not name.isprintable():
            raise BotError(f"{bot}: {name!r} is no name for a bot's file")
        size += found.st_size
    if size > BOT_BYTES:
        raise BotError(f"{bot}: {size / (1 << 20):.1f} MiB of files; a bot may have {BOT_BYTES >> 20} MiB")
    return {name: path.read_bytes() for name, path in files.items()}


def _all_files(folder: Path) -> dict[str, Path]:
    """All files in a bot's folder by relative path. Links are refused, since a link can lead out of the folder."""
    found: dict[str, Path] = {}
    for parent, folders, files in os.walk(folder):
        here = Path(parent)
        folders[:] = sorted(name for name in folders if _belongs(name))
        for name in [*folders, *sorted(files)]:
            if _belongs(name):
                _refuse_link(here / name)
        found |= {(here / name).relative_to(folder).as_posix(): here / name for name in sorted(files) if _belongs(name)}
    return found


def _refuse_link(path: Path) -> None:
    if path.is_symlink():
        raise BotError(f"{path}: a link; a bot's files are plain files in its own folder")


def _files_of_command(folder: Path) -> dict[str, Path]:
    """The bot.toml and the files that it lists, or all files if it lists none. Raises BotError for a missing file."""
    path = folder / command_bot.FILE
    _refuse_link(path)
    try:
        bot = command_bot.read_command(path.read_bytes())
    except BotError as error:
        raise BotError(f"{folder}/{error}") from None
    inside = folder.resolve()
    named = {}
    for name in bot.files:
        file = folder / name
        _refuse_link(file)
        if not file.resolve().is_relative_to(inside):
            raise BotError(f"{path}: files: {name} is not in the bot's folder")
        if not file.is_file():
            raise BotError(f"{path}: files: no such file: {name} (compiled programs must be built first)")
        named[file.relative_to(folder).as_posix()] = file
    files = {command_bot.FILE: path, **(named or _all_files(folder))}
    program = bot.command[0]
    own = folder / program
    if "/" in program and own.resolve() not in [file.resolve() for file in files.values()]:
        raise BotError(f"{path}: command: {program} is not among the bot's files (compiled programs must be built first)")
    return files


def _belongs(name: str) -> bool:
    """Whether a file is part of the bot: compiled and hidden files are not."""
    return name != "__pycache__" and not name.startswith(".")
