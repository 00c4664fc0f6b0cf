"""What a search can be asked to do, and what is refused."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from numbers import Integral, Real
from typing import Any

from arena.errors import ConfigError, nearest
from arena.search.tree import NODES
from arena.search.workspace import FLAT, ISMCTS, PIMC

MOST = 1_000_000_000
MOST_NODES = 100_000_000
MOST_THREADS = 64


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a search is asked to do. At least one of `iterations` and `time` is needed."""

    iterations: int | None = None
    """Simulations, for each thread its part of them. Such a search can be repeated exactly."""
    time: float | None = None
    """CPU seconds; where both are given, what ends first. The seat's row is then marked as not reproducible."""
    method: str = "ismcts"
    """`ismcts`: one tree over all worlds; `pimc`: a tree for each of some worlds, as if all cards lay open; `flat`: no tree,
    every action in the same worlds against the same chance, each as often as the others: at least once."""
    rollout: str = "policy"
    """How a simulation goes on below the tree: `policy`, the room's quick play; or `uniform`, any legal action."""
    evaluate: int | None = None
    """Decisions after which a rollout is cut and the position is judged as it stands; 0: never; None: the room's own number."""
    selection: str | None = None
    """For simultaneous choices: `ucb` or `regret`; None: what suits the room."""
    exploration: float | None = None
    """Width of the confidence bounds, in standard deviations of the rewards; None: the room's own."""
    first: str = "halving"
    """How `ismcts` tries the own choice: `halving`, all that may still be best in the same worlds, half of them drop out again
    and again (see halving.py); or `ucb`. Where it is a simultaneous one by regret, that decides."""
    prior: float | None = None
    """How many visits it counts what a choice looks like at a glance, by the room's rule of thumb; 0: nothing; None: the
    room's own number, with uniform rollouts 0."""
    expansion: int | None = None
    """How often a choice is tried before what comes after it joins the tree; until then the rollout goes on from it. None: the
    room's own number, with uniform rollouts 1. Simultaneous choices join at once."""
    habit: float | None = None
    """`ismcts`: share of the others' choices in the tree that go by quick play, as those below it do; the rest are what is
    found to be best for them. As that is found against the observer's own cards, the others play as if they saw these, the more
    so the more simulations there are. None: the room's own number, with uniform rollouts 0."""
    constants: Mapping[str, float] = field(default_factory=dict)
    """Other numbers than the room's own in what it thinks of positions and choices: `CONSTANTS` in its rollout.py."""
    world_iterations: int = 100
    """`pimc`: simulations in each world."""
    nodes: int = NODES
    """The most nodes of a tree; when they are used up the search goes on without new ones."""
    threads: int = 1
    """Searches side by side, each with a tree of its own, added up; one after the other where threads are not allowed."""
    seed: int = 0
    """Another seed is another search of the same position."""

    def __post_init__(self) -> None:
        """Raise ConfigError for what makes no sense."""
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
    """Settings by name. Raises ConfigError for unknown names and for what makes no sense."""
    names = [field.name for field in fields(Settings)]
    for name in asked:
        if name not in names:
            raise ConfigError(f"search: no setting {name!r}; {nearest(name, names)}")
    return Settings(**asked)


def check_number(name: str, value: Any, low: float, high: float, *, is_whole: bool = False) -> None:
    """Raise ConfigError for what is no number, or not from `low` to `high`."""
    what = "a whole number" if is_whole else "a number"
    number: Any = value
    if not isinstance(value, Integral if is_whole else Real) or isinstance(value, bool):
        raise ConfigError(f"search: {name}: {what} is needed, not {value!r}")
    if not low <= number <= high:
        raise ConfigError(f"search: {name}: {what} from {low:,} to {high:,} is needed, not {value!r}")


METHODS = {"ismcts": ISMCTS, "pimc": PIMC, "flat": FLAT}
_WORDS = {"method": (*METHODS,), "rollout": ("policy", "uniform"), "selection": ("ucb", "regret"), "first": ("halving", "ucb")}
_NUMBERS = {  # the least and the most
    "iterations": (1, MOST),
    "time": (1e-9, 1_000_000),
    "evaluate": (0, MOST),
    "exploration": (0, 1_000_000),
    "prior": (0, MOST),
    "expansion": (0, MOST),
    "habit": (0, 1),
    "world_iterations": (1, MOST),
    "nodes": (1, MOST_NODES),
    "threads": (1, MOST_THREADS),
    "seed": (-math.inf, math.inf),
}
_REAL = {"time", "exploration", "prior", "habit"}
_MAY_BE_LEFT_OPEN = {"iterations", "time", "evaluate", "selection", "exploration", "prior", "expansion", "habit"}
