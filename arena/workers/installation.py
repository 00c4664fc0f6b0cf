"""What is installed on a machine, as far as it decides how matches are played: where it is equal, matches are played alike."""

import hashlib
import importlib.metadata
import platform
from collections.abc import Iterable, Mapping
from pathlib import Path

from arena import games

HALL = "arena-hall"
PACKAGES = ("numpy", "numba", "llvmlite", "scipy", "msgspec")  # what plays, and what bots may use
DIGITS = 12

_PACKAGE = Path(__file__).parent.parent


def installation(rooms: Iterable[str]) -> dict[str, str]:
    """By part, what is installed here; `rooms`: the games that are to be played."""
    found = {"arena": f"{_version(HALL)} (sources {_source_hash()})"}
    found |= {f"the rules of {room}": f"version {games.load(room).version}" for room in rooms}
    found |= {"Python": f"{platform.python_version()} ({platform.python_implementation()})"}
    found |= {package: _version(package) for package in PACKAGES}
    return found | {"processor": platform.machine()}  # another one may round a bot's floating point numbers differently


def differences(ours: Mapping[str, str], theirs: Mapping[str, str]) -> list[str]:
    """What another installation has instead of ours, in words.

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


def _source_hash() -> str:
    """Over code and data of the whole package, wherever it lies."""
    digest = hashlib.sha256()
    for path in sorted(path for path in _PACKAGE.rglob("*") if path.suffix in (".py", ".csv")):
        digest.update(path.relative_to(_PACKAGE).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:DIGITS]
