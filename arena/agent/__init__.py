"""What a bot is: the `Agent` class, and how a bot's files are read, checked and executed."""

import ast
import hashlib
import importlib.util
import itertools
import os
import random
import stat
import sys
import types
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Generic

import msgspec
from typing_extensions import TypeVar

from arena.agent import command_bot
from arena.agent.command_bot import CommandBot
from arena.agent.view import View
from arena.cache import cache_root, cached_folder, keep_newest
from arena.errors import BotError
from arena.records import Clock

__all__ = [
    "Agent", "BotFiles", "EndInfo", "LoadedBot", "StartInfo", "View", "bot_name", "read_bot", "unpack", "unpacked",
]  # fmt: skip

BOT_BYTES = 64 << 20  # a bot's files, all together
BOTS_KEPT = 200  # unpacked ones, the most recently used

V = TypeVar("V", bound=View, default=View)

_ELF = b"\x7fELF"
_serial = itertools.count()


class StartInfo(msgspec.Struct, frozen=True):
    """What a bot is told at the start of a match (never key, deal, rotation or opponents)."""

    game: str
    options: Mapping[str, Any]
    """All rule options, resolved."""
    seats: int
    seat: int
    """The own seat."""
    clock: Clock


class EndInfo(msgspec.Struct, frozen=True):
    """How a match ended, in seat order."""

    places: Sequence[int]
    scores: Sequence[float]


class Agent(Generic[V]):
    """A player of one seat in one match: the hall makes a fresh one, in a freshly executed module, for each.

    `Agent[NagaView]` types the view of a bot for one game; plain `Agent` sees the general `View`.
    """

    games: ClassVar[tuple[str, ...]] = ()
    """The games that the bot plays; empty: all."""
    wants_forced: ClassVar[bool] = False
    """Whether decisions with a single legal action are asked too."""

    rng: random.Random
    """The bot's own seeded randomness: use no other, and a run can be repeated."""
    params: Mapping[str, Any]
    """The parameters from the tournament's config."""

    def start(self, info: StartInfo) -> None:
        """Called once before the first decision."""

    def act(self, view: V) -> str:
        """Choose one of `view.legal`; anything else is a fault of the bot."""
        raise NotImplementedError(f"{type(self).__name__} has no act method")

    def end(self, result: EndInfo) -> None:
        """Called once after the match."""


class BotFiles(msgspec.Struct, frozen=True):
    """A bot's files by value: what is hashed, shipped to workers and executed."""

    main: str
    """The file that holds the Agent class; of a command bot its bot.toml."""
    files: dict[str, bytes]
    """Content by relative path."""

    @property
    def command(self) -> CommandBot | None:
        """What its bot.toml says; None for a bot in Python."""
        return command_bot.read_command(self.files[self.main]) if self.main == command_bot.FILE else None

    @property
    def sha256(self) -> str:
        """Content hash over paths and contents, hex."""
        digest = hashlib.sha256()
        for name, content in sorted(self.files.items()):
            digest.update(f"{len(name.encode())}:{name}:{len(content)}:".encode() + content)
        return digest.hexdigest()


def read_bot(path: Path) -> BotFiles:
    """A bot's files from a `.py` file, or from a folder with `__init__.py` or `bot.toml`.

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
    """What a bot is called where nobody gives it a name: as its bot.toml says, else like its file. Raises BotError."""
    try:
        content = (path / command_bot.FILE).read_bytes()
    except OSError:
        return path.stem
    try:
        return command_bot.read_command(content).name
    except BotError as error:
        raise BotError(f"{path}/{error}") from None


def _contents(files: Mapping[str, Path], bot: Path) -> dict[str, bytes]:
    """The files by name. Raises BotError for what is no plain file of the bot's own, and for too much of it."""
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
    """What is in a bot's folder, by relative path. A link could lead out of it, so there is none."""
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
    """The bot.toml and what it names, or all. Raises BotError for a file that is not there."""
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


def unpack(bot: BotFiles) -> Path:
    """The folder of the user's cache that holds a bot's files, named by their content."""

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
    """A bot that was unpacked in the user's cache, by its content hash; None where it is not there (any more)."""
    folder = cache_root() / "bots" / sha256
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    mains = [name for name in ("__init__.py", command_bot.FILE, *found) if name in found]
    if not mains:
        return None
    bot = BotFiles(mains[0], {name: path.read_bytes() for name, path in found.items()})
    return bot if bot.sha256 == sha256 else None


class LoadedBot:
    """A bot's module, executed anew: no state is shared with other seats, matches or bots. A context manager."""

    def __init__(self, bot: BotFiles, folder: Path | None = None) -> None:
        """Execute the module in `folder`, or unpack it first. Raises BotError unless it has one Agent class."""
        self._name = f"arena_bot_{next(_serial)}"
        try:
            self.agent_class = self._execute(bot, folder or unpack(bot))
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> "LoadedBot":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Forget the module and its submodules."""
        for name in [name for name in sys.modules if name == self._name or name.startswith(self._name + ".")]:
            del sys.modules[name]

    def _execute(self, bot: BotFiles, folder: Path) -> type[Agent[Any]]:
        path = folder / bot.main
        package = [str(folder)] if bot.main == "__init__.py" else None
        spec = importlib.util.spec_from_file_location(self._name, path, submodule_search_locations=package)
        if spec is None:
            raise BotError(f"{bot.main}: cannot be loaded")
        module = importlib.util.module_from_spec(spec)
        sys.modules[self._name] = module
        search_path = list(sys.path)
        try:
            exec(_compiled(bot.files[bot.main], str(path)), module.__dict__)
        finally:  # a bot that imports its own files by an absolute name leaves neither them nor the way to them behind
            sys.path[:] = search_path
            self._forget_files_of(folder)
        return _agent_class(module, bot.main)

    def _forget_files_of(self, folder: Path) -> None:
        own = str(folder) + os.sep
        for name, module in list(sys.modules.items()):
            is_own = name == self._name or name.startswith(self._name + ".")
            if not is_own and str(getattr(module, "__file__", None)).startswith(own):
                del sys.modules[name]


_code_cache: dict[tuple[str, bytes], types.CodeType] = {}


def _compiled(source: bytes, path: str) -> types.CodeType:
    """Code objects hold no state, so they alone are kept between matches."""
    key = (path, hashlib.sha256(source).digest())
    if key not in _code_cache:
        _code_cache[key] = compile(source, path, "exec")
    return _code_cache[key]


def _agent_class(module: types.ModuleType, main: str) -> type[Agent[Any]]:
    found = [
        value
        for value in dict.fromkeys(item for item in vars(module).values() if isinstance(item, type))
        if issubclass(value, Agent) and f"{value.__module__}.".startswith(f"{module.__name__}.")
    ]
    if len(found) != 1:
        names = ", ".join(agent.__name__ for agent in found) or "none"
        raise BotError(f"{main}: one Agent class is needed, found {names}")
    games = found[0].games
    if not isinstance(games, tuple | list) or not all(isinstance(name, str) for name in games):
        raise BotError(f'{main}: games must be a tuple of names such as ("naga",), not {games!r}')
    return found[0]


def _belongs(name: str) -> bool:
    """Compiled files and hidden files are no part of a bot."""
    return name != "__pycache__" and not name.startswith(".")
