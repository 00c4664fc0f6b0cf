"""Find a bot by what a text names (a path, `house:naga_planner` ships with arena, `submitted:alice` was submitted) and execute
its module anew for every match, so that no state is shared between matches, seats or bots.
"""

import inspect
import itertools
import os
import sys
import types
from collections.abc import Callable
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from typing import Any, NamedTuple

from arena.agent.agent import Agent
from arena.agent.files import BotFiles, bot_name, read_bot, syntax_told, unpack
from arena.agent.submissions import ALL, PREFIX, Submissions
from arena.errors import BotError, StoreError, nearest, printable
from arena.shipped import house_folder

HOUSE = "house:"


class NamedBot(NamedTuple):
    """A bot that a text names."""

    name: str
    """What it is called on boards, unless it is given another name."""
    files: BotFiles


def find_bot(text: str, results: Path, *, read: Callable[[Path], BotFiles] = read_bot) -> NamedBot:
    """The bot that a text names. `results`: the folder with the submitted bots; `read`: see read_bot and read_unparsed.

    Raises BotError for files that are no bot, and StoreError for no submitted one; both say what is wrong and what there is.
    """
    if text.startswith(PREFIX):
        store = Submissions(results)
        found = store.find(text)
        if text == PREFIX + ALL:
            raise StoreError(f"{text}: one bot is needed here, such as {found[0].reference}")
        return NamedBot(found[0].name, store.files(found[0]))
    path = named_bot(text)
    if not path.exists():
        raise BotError(f"{path}: no such bot: {path.absolute()} does not exist")
    return NamedBot(bot_name(path), read(path))


def named_bot(text: str) -> Path:
    """The path of the bot that a text names, which need not exist unless it is a house bot.

    Raises BotError for an unknown house bot, with the nearest name.
    """
    if not text.startswith(HOUSE):
        return Path(text)
    name, known = text.removeprefix(HOUSE), house_bots()
    if name not in known:
        raise BotError(f"{text}: no house bot of this name; {nearest(name, known)}")
    return known[name]


def is_house_bot(bot: BotFiles) -> bool:
    """Return whether these are exactly the files of a house bot, whatever it is called."""
    (content, *others) = bot.files.values()
    return not others and any(path.read_bytes() == content for path in house_bots().values())


def house_bots() -> dict[str, Path]:
    """The files of the house bots by name, sorted. Raises BotError if the installation lacks them."""
    folder = house_folder("bots")
    # resolved: some installers link files, and a bot's own files are read without following links
    found = {path.stem: path.resolve() for path in sorted(folder.glob("*.py"))}
    if not found:
        raise BotError(f"{folder}: the house bots are missing; install arena again")
    return found


NAMES_IT = "AGENT"
"""The variable of a module with several Agent classes that says which one plays."""
_serial = itertools.count()


class BlankModule:
    """A bot's module before any of its lines has run: it can be made ahead, also in another process than the one it runs in."""

    def __init__(self, main: str, source: bytes, folder: Path, name: str | None = None) -> None:
        """Compile the source. `name`: the module's; None: one that no other module has.

        Raises BotError.
        """
        path = str(folder / main)
        self.name = f"arena_bot_{next(_serial)}" if name is None else name
        self.main = main
        self.below = str(folder) + os.sep
        """How the paths of the bot's other files begin."""
        self.module = _blank(self.name, path, str(folder) if main == "__init__.py" else None)
        with syntax_told(main):
            self.code = _compiled(source, path)


class LoadedBot:
    """A bot's module, executed on its own and forgotten on exit. A context manager."""

    def __init__(self, bot: BotFiles, folder: Path | None = None) -> None:
        """Execute the bot's module in `folder`, or unpack the files first. Raises BotError unless it has one Agent class."""
        self._run(BlankModule(bot.main, bot.files[bot.main], folder or unpack(bot)))

    @classmethod
    def of(cls, blank: BlankModule) -> "LoadedBot":
        """Execute a module that was made ahead, for the first time. Raises BotError unless it has one Agent class."""
        loaded = cls.__new__(cls)
        loaded._run(blank)
        return loaded

    def __enter__(self) -> "LoadedBot":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Forget the module and its submodules."""
        for name in self._new_modules():
            if self._is_own(name):
                del sys.modules[name]

    def _run(self, blank: BlankModule) -> None:
        self._name = blank.name
        try:
            self.agent_class = self._execute(blank)
        except BaseException:
            self.close()
            raise

    def _execute(self, blank: BlankModule) -> type[Agent[Any]]:
        sys.modules[self._name] = blank.module
        search_path = list(sys.path)
        try:
            exec(blank.code, blank.module.__dict__)
        finally:  # a bot that imports its own files by an absolute name leaves neither them nor the way to them behind
            sys.path[:] = search_path
            self._forget_files(blank.below)
        return _agent_class(blank.module, blank.main)

    def _forget_files(self, own: str) -> None:
        for name in self._new_modules():
            if not self._is_own(name) and str(getattr(sys.modules[name], "__file__", None)).startswith(own):
                del sys.modules[name]

    def _is_own(self, name: str) -> bool:
        return name == self._name or name.startswith(self._name + ".")

    def _new_modules(self) -> list[str]:
        """The bot's module and all that were imported after it: a process knows a thousand others, which are not looked at."""
        later = list(itertools.takewhile(lambda name: name != self._name, reversed(sys.modules)))
        return [*later, self._name] if self._name in sys.modules else later


def _blank(name: str, path: str, package: str | None) -> types.ModuleType:
    """A module as Python makes one of a source file, but for `__cached__`. `package`: its folder, if it is a package."""
    module = types.ModuleType(name)
    loader = SourceFileLoader(name, path)
    spec = ModuleSpec(name, loader, origin=path, is_package=package is not None)
    spec.has_location = True
    if package is not None:
        module.__path__ = spec.submodule_search_locations = [package]
    module.__file__, module.__spec__, module.__loader__, module.__package__ = path, spec, loader, spec.parent
    return module


_code_cache: dict[tuple[str, bytes], types.CodeType] = {}


def _compiled(source: bytes, path: str) -> types.CodeType:
    """The compiled source. Code objects hold no state, so they alone are kept between matches."""
    key = path, source
    if key not in _code_cache:
        _code_cache[key] = compile(source, path, "exec")
    return _code_cache[key]


def _agent_class(module: types.ModuleType, main: str) -> type[Agent[Any]]:
    named = vars(module).get(NAMES_IT)
    if named is not None:
        if not (isinstance(named, type) and issubclass(named, Agent)):
            raise BotError(f"{main}: {NAMES_IT} must be the Agent class that plays, not {printable(repr(named), 60)}")
        return _checked(named, main)
    found = [
        value
        for value in dict.fromkeys(item for item in vars(module).values() if isinstance(item, type))
        if issubclass(value, Agent) and f"{value.__module__}.".startswith(f"{module.__name__}.")
    ]
    if len(found) == 1:
        return _checked(found[0], main)
    playing = [one for one in found if not inspect.isabstract(one) and not any(one in other.__mro__[1:] for other in found)]
    if len(playing) != 1:
        names = ", ".join(agent.__name__ for agent in playing or found) or "none"
        way_out = f"; say which one plays: {NAMES_IT} = {playing[-1].__name__}" if playing else ""
        raise BotError(f"{main}: one Agent class is needed, found {names}{way_out}")
    return _checked(playing[0], main)


def _checked(agent: type[Agent[Any]], main: str) -> type[Agent[Any]]:
    games = agent.games
    if not isinstance(games, tuple | list) or not all(isinstance(name, str) for name in games):
        raise BotError(f'{main}: games must be a tuple of names such as ("naga",), not {printable(repr(games), 60)}')
    return agent
