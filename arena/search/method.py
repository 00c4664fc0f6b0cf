"""What a search method is: a compiled call that plays simulations, and the kind of trees that it has."""

from collections.abc import Callable
from enum import Enum
from functools import cache
from typing import NamedTuple, TypeAlias

from arena.engine import jit
from arena.engine.contract import Actions, Numbers, States
from arena.engine.rng import Words
from arena.search.tree import Nodes, Slots
from arena.search.workspace import Workspaces

Search: TypeAlias = Callable[[States, States, Nodes, Slots, Workspaces, Actions, Numbers, Numbers, Numbers, Words], None]
"""A whole search as one call: from what the observer sees, simulations until the budget is spent.

`states`: what the observer sees, and room for worlds (worlds.py); `sights`: a state at the place in memory where the workspace
has its `sight`; `nodes`, `slots`: the tree; `workspaces`: one, with the settings, for results and counters; `actions`: room for
a legal list; `priors`: room for the priors of its actions; `constants`: of the game's rollout.py; `rewards`: room for a reward
for each seat; `rng`: sfc32 words.
"""


class Trees(Enum):
    """Which worlds share a tree."""

    SHARED = "shared"
    """All worlds share one tree. Then `habit` and `first=halving` have an effect, and a `Memory` keeps the tree."""
    PER_WORLD = "per world"
    """Each world has a tree of its own, for `world_iterations` simulations."""
    NONE = "none"
    """There is no tree: every action is tried equally often, and the best mean value decides."""


class Method(NamedTuple):
    """One search method; each file of `methods/` sets METHOD to one."""

    run: Search
    """Generic code: a module-level function that `bind_search` compiles for each game."""
    trees: Trees


@cache
def bind_search(game: str, method: Method) -> Search:
    """A method compiled for one game, in the game's cache folder for searches. `game`: its package."""
    return jit.bind(method.run, jit.search_of(game))
