"""The games as environments of PettingZoo, by the names that its own card games have (docs/learning.md, "PettingZoo").

`from arena.learning.pettingzoo import yaniv_v0` and `yaniv_v0.env(seats=3)`, or `env("yaniv", seats=3)`; so with
`parallel_env`. With this package imported, `pettingzoo.make("aec", "arena/yaniv_v0", seats=3)` gives the same.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import pettingzoo

from arena import games
from arena.errors import nearest
from arena.learning.pettingzoo.environments import Settings, TogetherEnv, TurnsEnv

__all__ = ["Environments", "Settings", "TogetherEnv", "TurnsEnv", "env", "parallel_env", "raw_env"]

_VERSION = "_v0"


@dataclass(frozen=True)
class Environments:
    """The environments of one game: what a module such as `pettingzoo.classic.leduc_holdem_v4` is to PettingZoo."""

    game: str

    def env(self, **settings: Any) -> TurnsEnv:
        """The game agent by agent. `settings`: the fields of `Settings`; raises ConfigError for one that is wrong."""
        return TurnsEnv(game=self.game, **settings)

    def raw_env(self, **settings: Any) -> TurnsEnv:
        """The same as `env`, which needs no wrappers."""
        return self.env(**settings)

    def parallel_env(self, **settings: Any) -> TogetherEnv:
        """The game with an action of all agents in each step: for games whose seats choose together."""
        return TogetherEnv(game=self.game, **settings)


def env(game: str, **settings: Any) -> TurnsEnv:
    """A game agent by agent. `settings`: the fields of `Settings`; raises ConfigError for one that is wrong."""
    return Environments(game).env(**settings)


def raw_env(game: str, **settings: Any) -> TurnsEnv:
    """The same as `env`, which needs no wrappers."""
    return Environments(game).env(**settings)


def parallel_env(game: str, **settings: Any) -> TogetherEnv:
    """A game with an action of all agents in each step. `settings`: as in `env`."""
    return Environments(game).parallel_env(**settings)


def __getattr__(name: str) -> Environments:
    """A game by its name with the version: `yaniv_v0`."""
    known = [f"{game}{_VERSION}" for game in games.names()]
    if name not in known:
        raise AttributeError(f"{__name__} has no {name}; {nearest(name, known)}")
    return Environments(name.removesuffix(_VERSION))


def __dir__() -> list[str]:
    return [*__all__, *(f"{game}{_VERSION}" for game in games.names())]


def _register() -> None:
    """Let `pettingzoo.make` find the games; versions before 1.26 have no such list."""
    register = getattr(pettingzoo, "register", None)
    if register is not None:
        for game in games.names():
            register("aec", f"arena/{game}{_VERSION}", entry_point=partial(env, game))
            register("parallel", f"arena/{game}{_VERSION}", entry_point=partial(parallel_env, game))


_register()
