"""House bots as opponents in `arena check`. They are shipped with the package, so that a bot can be checked anywhere."""

from functools import cache
from pathlib import Path

import arena
from arena.agent import BotFiles, read_bot

_PACKAGE = Path(arena.__file__).parent
_FOLDERS = (_PACKAGE / "house_bots", _PACKAGE.parent / "bots")
"""The folders of the house bots: in an installed package, and in a clone of the repository."""


def house_bot_path(name: str) -> Path:
    """The path of a house bot. Raises FileNotFoundError if the installation is incomplete."""
    for path in _found(name):
        return path
    raise FileNotFoundError(f"no house bot {name} in {' or '.join(map(str, _FOLDERS))}")


@cache
def rivals(game: str) -> dict[str, BotFiles]:
    """The opponents for a game by name: the house bots made for it (`bots/<game>_*.py`), if any, then the random bot."""
    paths = [*_found(f"{game}_*"), house_bot_path("random_bot")]
    return {path.stem: read_bot(path) for path in paths}


def _found(pattern: str) -> list[Path]:
    """The bots whose names match, of the first folder that has any."""
    return next(filter(None, (sorted(folder.glob(f"{pattern}.py")) for folder in _FOLDERS)), [])
