"""Where games are found: the folders beside this file, and packages that other distributions name as entry points.

A distribution offers a game by an entry point of the group `arena.games`. The entry point's name is the game's; its value is
the package with rules.py, text.py and view.py:

    [project.entry-points."arena.games"]
    kuhn = "poker_rooms.kuhn"
"""

import os
import re
import sys
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import Distribution, EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path

from arena.engine.jit import source_folder
from arena.errors import ConfigError

GROUP = "arena.games"

_FOLDER = Path(__file__).parent
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_SEPARATORS = re.compile(r"[-_.]+")


@dataclass(frozen=True)
class Place:
    """The package and the distribution that a game comes from."""

    package: str
    """The package that holds rules.py, text.py and view.py, such as `arena.games.naga`."""
    distribution: Distribution | None = None
    """The installed distribution that offers the game; None for arena's own games."""

    def __str__(self) -> str:
        known = self.distribution
        return self.package if known is None else f"{self.package} (of {known.name} {known.version})"


def places() -> dict[str, Place]:
    """The place of every game, by name in alphabetical order.

    To read what the installed distributions offer takes 10 ms, in which a server answers nobody: it is read again only where
    one may have come or gone. Raises ConfigError for an entry point that names no package, or a game that exists already.
    """
    return dict(_places(tuple((entry, _changed(entry)) for entry in sys.path)))


def _changed(entry: str) -> int:
    """When something in a folder of `sys.path` came or went; 0: that cannot be known."""
    try:
        return os.stat(entry or ".").st_mtime_ns  # noqa: PTH116  # it is asked often
    except OSError:
        return 0


@lru_cache(maxsize=4)
def _places(_where: tuple[tuple[str, int], ...]) -> dict[str, Place]:
    """What `places` tells, as long as `sys.path` and its folders are these."""
    found = {path.parent.name: Place(f"{GROUP}.{path.parent.name}") for path in _FOLDER.glob("*/rules.py")}
    for entry in entry_points(group=GROUP):
        place = Place(entry.value, entry.dist)
        _check(entry, place)
        if entry.name in found:
            raise ConfigError(
                f'game: {place} claims the name "{entry.name}", which {found[entry.name]} has already; '
                f"uninstall {entry.dist.name if entry.dist else entry.value} or give its game another name"
            )
        found[entry.name] = place
    return dict(sorted(found.items()))


def outside_paths() -> tuple[list[str], list[str]]:
    """What a process needs to import the games of other distributions: entries of its `sys.path`, and folders to read.

    The folders are those of the packages and of their metadata, with nothing beside them.
    """
    entries, readable = [], []
    for place in places().values():
        if place.distribution is None:
            continue
        folder, root = _folders(place)
        base = Path(str(place.distribution.locate_file("")))
        title = f"{_SEPARATORS.sub('_', place.distribution.name)}-{place.distribution.version}.dist-info"
        entries += [root, base]
        readable += [folder, base / title]
    return [str(path) for path in dict.fromkeys(entries)], [str(path) for path in dict.fromkeys(readable) if path.exists()]


def _folders(place: Place) -> tuple[Path, Path]:
    """The folder of a game's sources, and the entry of `sys.path` by which they are found. Raises ConfigError."""
    try:
        folder = source_folder(place.package)
        spec = find_spec(place.package.split(".")[0])
    except ImportError as error:
        raise ConfigError(f"game: {place} cannot be found: {error}") from None
    tops = [Path(top) for top in (spec and spec.submodule_search_locations) or ()]
    return folder, next((top.parent for top in tops if folder.is_relative_to(top)), folder.parent)


def _check(entry: EntryPoint, place: Place) -> None:
    """Raise ConfigError unless the entry point has a usable name and names a package."""
    if not _NAME.fullmatch(entry.name):
        raise ConfigError(f'game: {place} calls its game "{entry.name}"; small letters, digits and _ are needed')
    if entry.attr or not all(part.isidentifier() for part in entry.value.split(".")):
        raise ConfigError(f'game: {entry.name}: "{entry.value}" is no package; the one with rules.py is needed')
