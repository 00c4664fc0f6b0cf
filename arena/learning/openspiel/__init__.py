"""The games of arena in OpenSpiel: importing this registers them all, `pyspiel.load_game("arena_naga(series=first_to:1)")`.

What the parameters are: `parameters`, and docs/learning.md. Games of other installed distributions are registered, too.
"""

import importlib.util
import warnings

from arena.errors import ConfigError

if importlib.util.find_spec("pyspiel") is None:
    raise ConfigError("OpenSpiel is not installed here; install it with: pip install 'arena-hall[openspiel]'")

from arena import games
from arena.learning.openspiel.game import PREFIX, ArenaGame, ArenaState, register
from arena.learning.openspiel.policies import OpenSpielAgent, Rollouts

__all__ = ["PREFIX", "ArenaGame", "ArenaState", "OpenSpielAgent", "Rollouts", "register", "register_all"]


def register_all() -> None:
    """Register all games that are installed. A game that does not load is left out with a warning."""
    for name in games.names():
        try:
            register(games.load(name))
        except ConfigError as error:
            warnings.warn(f"not registered with OpenSpiel: {error}", stacklevel=2)


register_all()
