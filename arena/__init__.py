"""Tournaments of card-game bots. These names are the documented Python API; everything else is reached through its module.

>>> import arena
>>> arena.load_game("naga").seats
(2,)
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arena.games import load as load_game
    from arena.match.single_match import play_match
    from arena.tournament.run import run_tournament
    from arena.tournament.session import LOCAL, Settings, read_results

__all__ = ["LOCAL", "Settings", "load_game", "play_match", "read_results", "run_tournament"]

_HOMES = {
    "play_match": ("arena.match.single_match", "play_match"),
    "load_game": ("arena.games", "load"),
    "run_tournament": ("arena.tournament.run", "run_tournament"),
    "read_results": ("arena.tournament.session", "read_results"),
    "Settings": ("arena.tournament.session", "Settings"),
    "LOCAL": ("arena.tournament.session", "LOCAL"),
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that a bot or a verb that needs one module does not pay for all."""
    if name == "__version__":
        return importlib.import_module("importlib.metadata").version("arena-hall")
    if name not in _HOMES:
        raise AttributeError(f"module 'arena' has no attribute {name!r}")
    module, attribute = _HOMES[name]
    return getattr(importlib.import_module(module), attribute)
