"""The bots of this house as rivals: shipped with the package, so that a bot can be checked anywhere."""

from functools import cache
from pathlib import Path

import arena
from arena.agent import BotFiles, read_bot

_PACKAGE = Path(arena.__file__).parent
_FOLDERS = (_PACKAGE / "house_bots", _PACKAGE.parent / "bots")
"""In an installed package, and in a clone of the repository."""


def house_bot_path(name: str) -> Path:
    """The file of a house bot. Raises FileNotFoundError: then the installation is not complete."""
    return next(iter(_paths(name)))


@cache
def rivals(game: str) -> dict[str, BotFiles]:
    """By name: the house bots made for a game (`bots/<game>_*.py`), then the one that plays all games at random."""
    paths = [*_paths(f"{game}_*"), house_bot_path("random_bot")]
    return {path.stem: read_bot(path) for path in paths}


def _paths(pattern: str) -> list[Path]:
    for folder in _FOLDERS:
        found = sorted(folder.glob(f"{pattern}.py"))
        if found:
            return found
    raise FileNotFoundError(f"no house bot {pattern} in {' or '.join(map(str, _FOLDERS))}")
