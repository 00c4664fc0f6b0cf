"""The settings of a search, and the check that they make sense."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import lru_cache
from numbers import Integral, Real
from typing import Any

from arena.errors import ConfigError, nearest
from arena.search.methods import METHODS
from arena.search.tree import NODES

MOST = 1_000_000_000
MOST_NODES = 100_000_000
MOST_THREADS = 64
SETTINGS_KEPT = 256
"""How many settings this process knows already: a bot asks for the same search at every decision."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of a search. At least one of `iterations` and `time` is needed."""

    iterations: int | None = None
    """How many simulations to play, all threads together. Such a search can be repeated exactly."""
    time: float | None = None
    """CPU seconds to use; if `iterations` is given too, what is reached first ends the search. The seat's row in the results is
    then marked as not reproducible."""
    method: str = "ismcts"
    """`ismcts`: one tree over all worlds; `pimc`: a tree for each of some worlds, as if all cards lay open; `flat`: no tree,
    every action in the same worlds against the same chance, all equally often and at least once."""
    rollout: str = "policy"
    """How a simulation goes on below the tree: `policy`, by the game's rollout policy; `uniform`, by random legal actions."""
    evaluate: int | None = None
    """Decisions after which a rollout is cut and the position evaluated; 0: only at the end of the round; None: the game's own
    number."""
    selection: str | None = None
    """How simultaneous choices are selected: `ucb` or `regret`; None: as suits the game."""
    exploration: float | None = None
    """Width of the confidence bounds, in standard deviations of the rewards; None: the game's own number."""
    first: str = "halving"
    """How `ismcts` tries the actions of the seat that searches: `halving`, all that may still be best in the same worlds, and
    the worse half drops out again and again (see selection.py); or `ucb`. With `selection` regret, a simultaneous choice is
    made by regret instead."""
    prior: float | None = None
    """How many visits the game's prior counts as; 0: no prior; None: the game's own number, with uniform rollouts 0."""
    expansion: int | None = None
    """How many visits an action needs before the decision that follows it joins the tree; until then the rollout goes on from
    it. None: the game's own number, with uniform rollouts 1. What follows simultaneous choices joins at once."""
    habit: float | None = None
    """`ismcts`: the share of the opponents' choices in the tree that the rollout policy makes, as below the tree; the other
    choices are those that the search finds best for them. It finds these against the cards that the observer really holds, so
    the opponents play as if they saw them, the more so the more simulations there are. None: the game's own number, with
    uniform rollouts 0."""
    judge: str = "rule"
    """What positions in which a simulation is cut are judged by: `rule`, the game's `evaluate`; or `net`, the network that the
    game has learnt, at numbers of seats for which it has one."""
    worlds: str = "uniform"
    """Which worlds are imagined: `uniform`, all that the game's rollout.py draws; or `net`, oftener those that explain what the
    others did, by the network that the game has learnt, at numbers of seats for which it has one."""
    temper: float = 0.7
    """The exponent of the odds that the network gives a world, with `worlds` net; 0 draws all alike, 1 trusts it fully, which
    helps only against those who play as it was trained."""
    proposals: str = "rule"
    """What proposes actions in the tree: `rule`, the game's `prior`, with its rollout policy for the opponents' share `habit`;
    or `net`, the policy that the game has learnt, for both, at numbers of seats for which it has one."""
    trust: float = 0.05
    """What a unit of the policy's logits counts as in the prior with `proposals` net, as a reward."""
    constants: Mapping[str, float] = field(default_factory=dict, hash=False)
    """Other values for numbers of the game's rollout policy, prior and evaluation, by name: `CONSTANTS` in its rollout.py."""
    world_iterations: int = 100
    """`pimc`: how many simulations each world has."""
    nodes: int = NODES
    """The most nodes that a tree may have; when they are used up, the search goes on without new ones."""
    threads: int = 1
    """How many searches run side by side, each with a tree of its own; their results are added up. Where a seat may not start
    threads, they run one after the other."""
    seed: int = 0
    """The seed of the search: with another one it draws other worlds at the same position."""

    def __post_init__(self) -> None:
        """Raise ConfigError for settings that make no sense."""
        for name, known in _WORDS.items():
            word = getattr(self, name)
            if word not in known and (word is not None or name not in _MAY_BE_LEFT_OPEN):
                raise ConfigError(f"search: {name}: no {word!r}; {nearest(str(word), known)}")
        if self.iterations is None and self.time is None:
            raise ConfigError("search: give iterations=... or time=...")
        for name, (low, high) in _NUMBERS.items():
            value = getattr(self, name)
            if value is not None or name not in _MAY_BE_LEFT_OPEN:
                check_number(name, value, low, high, is_whole=name not in _REAL)
        if not isinstance(self.constants, Mapping):
            raise ConfigError(f"search: constants: names with numbers are needed, not {self.constants!r}")


def settings_of(asked: Mapping[str, Any]) -> Settings:
    """Settings from a mapping by name. Raises ConfigError for unknown names and for values that make no sense."""
    try:
        return _settings(**asked)
    except TypeError:  # unknown, or no key of a cache, such as `constants`
        return _new_settings(asked)


@lru_cache(SETTINGS_KEPT, typed=True)
def _settings(**asked: Any) -> Settings:
    return _new_settings(asked)


def _new_settings(asked: Mapping[str, Any]) -> Settings:
    names = [field.name for field in fields(Settings)]
    for name in asked:
        if name not in names:
            raise ConfigError(f"search: no setting {name!r}; {nearest(name, names)}")
    return Settings(**asked)


def check_number(name: str, value: Any, low: float, high: float, *, is_whole: bool = False) -> None:
    """Raise ConfigError unless `value` is a number (or a whole number) from `low` to `high`."""
    what = "a whole number" if is_whole else "a number"
    number: Any = value
    if not isinstance(value, Integral if is_whole else Real) or isinstance(value, bool):
        raise ConfigError(f"search: {name}: {what} is needed, not {value!r}")
    if not low <= number <= high:
        raise ConfigError(f"search: {name}: {what} from {low:,} to {high:,} is needed, not {value!r}")


_WORDS = {"method": (*METHODS,), "rollout": ("policy", "uniform"), "selection": ("ucb", "regret"), "first": ("halving", "ucb"),
          "judge": ("rule", "net"), "worlds": ("uniform", "net"), "proposals": ("rule", "net")}  # fmt: skip
_NUMBERS = {  # the least and the most
    "iterations": (1, MOST),
    "time": (1e-9, 1_000_000),
    "evaluate": (0, MOST),
    "exploration": (0, 1_000_000),
    "prior": (0, MOST),
    "expansion": (0, MOST),
    "habit": (0, 1),
    "temper": (0, 1),
    "world_iterations": (1, MOST),
    "nodes": (1, MOST_NODES),
    "threads": (1, MOST_THREADS),
    "trust": (0, 1_000),
    "seed": (-math.inf, math.inf),
}
_REAL = {"trust", "time", "exploration", "prior", "habit", "temper"}
_MAY_BE_LEFT_OPEN = {"iterations", "time", "evaluate", "selection", "exploration", "prior", "expansion", "habit"}
