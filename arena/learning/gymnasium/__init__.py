"""The games as environments of Gymnasium: `gymnasium.make("arena/Yaniv-v0")` knows them once this package is imported.

Without the import, `gymnasium.make("arena.learning.gymnasium:arena/Yaniv-v0")` does the same; so with `make_vec`.
"""

import gymnasium

from arena import games
from arena.learning.gymnasium.environments import ManyMatches, OneMatch
from arena.learning.gymnasium.on_card import MatchesOnCard

__all__ = ["ManyMatches", "MatchesOnCard", "OneMatch", "environment_id"]

_VERSION = "v0"


def environment_id(game: str) -> str:
    """The id of a game's environment.

    >>> environment_id("nanatoridori")
    'arena/Nanatoridori-v0'
    """
    return f"arena/{game.capitalize()}-{_VERSION}"


def _register() -> None:
    for game in games.names():
        gymnasium.register(
            environment_id(game),
            entry_point="arena.learning.gymnasium.environments:OneMatch",
            vector_entry_point="arena.learning.gymnasium.on_card:many_matches",
            order_enforce=False,  # the environment says itself what is wrong, and a wrapper costs as much as a step
            disable_env_checker=True,  # likewise; `check_env` is one of the tests
            kwargs={"game": game},
        )


_register()
