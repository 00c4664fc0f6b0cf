"""What is installed on a machine, as far as it affects matches: equal installations play equal matches."""

import hashlib
import importlib.metadata
import platform
from collections.abc import Iterable, Mapping
from pathlib import Path

from arena import games
from arena.engine.game import Game
from arena.engine.jit import source_folder
from arena.shipped import HOUSE, PACKAGE

DISTRIBUTION = "arena-hall"
PACKAGES = ("numpy", "numba", "llvmlite", "scipy", "msgspec")  # what plays, and what bots may use
DIGITS = 12


def installation(all_games: Iterable[str]) -> dict[str, str]:
    """The version or hash of each installed part, by name of the part; `games`: the games that will be played."""
    found = {"arena": f"{_version(DISTRIBUTION)} (sources {_source_hash(PACKAGE)})"}
    found |= {f"the rules of {game}": _rules(games.load(game)) for game in all_games}
    found |= {"Python": f"{platform.python_version()} ({platform.python_implementation()})"}
    found |= {package: _version(package) for package in PACKAGES}
    return found | {"processor": platform.machine()}  # another one may round a bot's floating point numbers differently


def differences(ours: Mapping[str, str], theirs: Mapping[str, str]) -> list[str]:
    """The differences between two installations, in words, for a message about the second one.

    >>> differences({"Python": "3.11.4", "numba": "0.64.0"}, {"Python": "3.11.4", "numba": "0.63.1"})
    ['numba 0.63.1 instead of 0.64.0']
    """
    return [
        f"{part} {theirs.get(part, 'none')} instead of {ours.get(part, 'none')}"
        for part in {**ours, **theirs}
        if ours.get(part) != theirs.get(part)
    ]


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "none"


def _rules(game: Game) -> str:
    """The version of a game's rules; for a game of another distribution also a hash of its sources."""
    folder = source_folder(game.package)
    version = f"version {game.version}"
    return version if folder.is_relative_to(PACKAGE) else f"{version} (sources {_source_hash(folder)})"


def _source_hash(package: Path) -> str:
    """A hash over all code and data files of a package, without the house bots: workers get every bot from the driver."""
    digest = hashlib.sha256()
    sources = (path for path in package.rglob("*") if path.suffix in (".py", ".csv"))
    for path in sorted(path for path in sources if not path.is_relative_to(HOUSE)):
        digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:DIGITS]
