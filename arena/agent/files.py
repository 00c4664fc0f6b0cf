"""A bot's files: read, checked, hashed, and unpacked to where they are executed."""

import ast
import contextlib
import hashlib
import os
import shutil
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

import msgspec

from arena import userfiles
from arena.agent import command_bot
from arena.agent.command_bot import CommandBot
from arena.agent.model_bot import ModelBot
from arena.agent.plain_files import BotFolder, inner_path
from arena.cache import cache_root, cached_folder, keep_newest
from arena.disk import set_mode
from arena.errors import BotError

BOTS_KEPT = 200  # unpacked ones, the most recently used

_ELF = b"\x7fELF"
_PACKAGE = "__init__.py"
_BUILT = "compiled programs must be built first, or by a [build]"


class BotFiles(msgspec.Struct, frozen=True, dict=True):
    """A bot's files by value: they are hashed, sent to workers and executed."""

    main: str
    """The name of the file that has the Agent class; for a command bot, and for a language model, bot.toml."""
    files: dict[str, bytes]
    """The content of each file, by its path relative to the bot's folder."""

    @property
    def command(self) -> CommandBot | None:
        """What the bot.toml of a command bot says; None for a bot in Python, and for a language model."""
        found = self._toml
        return found if isinstance(found, CommandBot) else None

    @property
    def model(self) -> ModelBot | None:
        """What the bot.toml of a language model says; None for any other bot."""
        found = self._toml
        return found if isinstance(found, ModelBot) else None

    @cached_property
    def _toml(self) -> CommandBot | ModelBot | None:
        return command_bot.read_toml(self.files[self.main]) if self.main == command_bot.FILE else None

    @cached_property
    def wants_build(self) -> bool:
        """Whether these files are source: the bot.toml has a table `[build]`, and nothing that it makes is here yet."""
        command = self.command
        return command is not None and command.build is not None and not any(map(command.is_made, self.files))

    @cached_property
    def source(self) -> "BotFiles":
        """The files without what a build made of them: the bot itself, where nothing is built."""
        command = self.command
        if command is None or command.build is None:
            return self
        return BotFiles(self.main, {name: content for name, content in self.files.items() if not command.is_made(name)})

    @cached_property
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
    bot = read_unparsed(path)
    if bot.main != command_bot.FILE:
        with syntax_told(path):
            ast.parse(bot.files[bot.main], filename=str(path))
    return bot


def read_unparsed(path: Path) -> BotFiles:
    """Read a bot as `read_bot` does, but leave it to the lock, where memory is limited, to find out whether it is Python."""
    try:
        bot = _read(path)
    except OSError as error:
        raise BotError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError:  # what the system refuses before it looks: a zero character
        raise BotError(f"{path!r}: no path of a bot") from None
    if bot.main != command_bot.FILE and userfiles.is_utf16(bot.files[bot.main]):
        raise BotError(f"{path}: {userfiles.UTF16}")
    return bot


def bot_name(path: Path) -> str:
    """A bot's default name: the one in its bot.toml, else its file's or folder's name. Raises BotError for a bad bot.toml."""
    try:
        with BotFolder(path) as folder:
            content = folder.read(command_bot.FILE)
    except (OSError, ValueError):
        return path.stem
    return _read_toml(content, path).name


def _read(path: Path) -> BotFiles:
    if not path.is_dir():
        if path.suffix != ".py":
            raise BotError(f"{path}: a bot is a .py file or a folder with __init__.py or bot.toml")
        with BotFolder(path.parent) as folder:
            return BotFiles(path.name, {path.name: folder.read(path.name)})
    with BotFolder(path) as folder:
        if folder.has(command_bot.FILE):
            return BotFiles(command_bot.FILE, _files_of_toml(folder))
        if not folder.has(_PACKAGE):
            raise BotError(f"{path}: a bot folder needs an {_PACKAGE} with one Agent class, or a bot.toml with a command")
        files = folder.read_all()
    if _PACKAGE not in files:
        raise BotError(f"{path}: its {_PACKAGE} went while it was read")
    return BotFiles(_PACKAGE, files)


@contextlib.contextmanager
def syntax_told(path: Path | str) -> Iterator[None]:
    """Raise BotError for a source that turns out to be no Python."""
    try:
        yield
    except SyntaxError as error:
        if error.lineno is None:  # of bytes that are no text
            raise BotError(
                f"{path}: not Python source: {error.msg}; a bot is one .py file, or a folder, which is sent as a zip"
            ) from None
        raise BotError(f"{path}: line {error.lineno}: syntax error: {error.msg}") from None
    except ValueError as error:
        raise BotError(f"{path}: not Python source: {error}") from None
    except (RecursionError, MemoryError):
        raise BotError(f"{path}: nested too deeply, or too long for its memory") from None


def unpack(bot: BotFiles) -> Path:
    """Write a bot's files to the user's cache, unless they are there, and return their folder, named by the content hash."""

    def fill(folder: Path) -> None:
        for name, content in bot.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            if content.startswith(_ELF):
                set_mode(path, 0o755)  # a program that a bot.toml may name

    key = cache_root(), bot.sha256
    if key in _unpacked:
        with contextlib.suppress(OSError):  # it is gone
            os.utime(_unpacked[key])
            return _unpacked[key]
    folder = cached_folder(f"bots/{bot.sha256}", fill)
    if not _holds(folder, bot):  # the power was lost, or somebody wrote there
        shutil.rmtree(folder, ignore_errors=True)
        folder = cached_folder(f"bots/{bot.sha256}", fill)
    if os.geteuid() == 0 and not folder.stat().st_mode & 0o005:  # a locked bot is another user then
        for path in (*folder.rglob("*"), folder):
            set_mode(path, 0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
    for bots in ("bots/[!.]*", "bots/.new-*"):  # not what the lock tries itself with (arena/match/sandbox/canary.py)
        keep_newest(bots, BOTS_KEPT, folder)
    _unpacked[key] = folder
    return folder


def _holds(folder: Path, bot: BotFiles) -> bool:
    try:
        return all((folder / name).read_bytes() == content for name, content in bot.files.items())
    except OSError:
        return False


_unpacked: dict[tuple[Path, str], Path] = {}
"""The folders of the bots that this process has unpacked, by the cache and the bot."""


def unpacked(sha256: str) -> BotFiles | None:
    """The bot with this content hash from the user's cache; None if it was never unpacked here or is gone."""
    folder = cache_root() / "bots" / sha256
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    mains = [name for name in ("__init__.py", command_bot.FILE, *found) if name in found]
    if not mains:
        return None
    bot = BotFiles(mains[0], {name: path.read_bytes() for name, path in found.items()})
    return bot if bot.sha256 == sha256 else None


def _files_of_toml(folder: BotFolder) -> dict[str, bytes]:
    """The bot.toml and the files that it lists, or all files if it lists none; of a language model the bot.toml alone.

    Raises BotError for a missing file.
    """
    path = folder.path / command_bot.FILE
    content = folder.read(command_bot.FILE)
    bot = _read_toml(content, folder.path)
    if isinstance(bot, ModelBot):
        return {command_bot.FILE: content}
    files = {command_bot.FILE: content}
    for name in bot.files:
        inside = inner_path(name)
        if inside is None:
            raise BotError(f"{path}: files: {name} is not in the bot's folder")
        if inside in files or bot.is_made(inside):  # what is built is made from the source, and taken from nobody
            continue
        try:
            files[inside] = folder.read(inside)
        except (FileNotFoundError, NotADirectoryError):
            raise BotError(f"{path}: files: no such file: {name} ({_BUILT})") from None
    if not bot.files:
        found = folder.read_all()
        files = {name: found[name] for name in found if not bot.is_made(name)} | {
            command_bot.FILE: content
        }  # as it was checked
    program = bot.command[0]
    inside = inner_path(program)
    if "/" in program and inside not in files and not (inside and bot.is_made(inside)):
        raise BotError(f"{path}: command: {program} is not among the bot's files ({_BUILT})")
    return files


def _read_toml(content: bytes, folder: Path) -> CommandBot | ModelBot:
    try:
        return command_bot.read_toml(content)
    except BotError as error:
        raise BotError(f"{folder}/{error}") from None
