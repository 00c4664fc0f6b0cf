"""What one search reads and writes, beside the states and the tree: a record of arrays, and what their places mean.

What the rooms' functions are given lies apart, in plain arrays: for arrays in a record they would be compiled once more.
"""

from typing import Any, TypeAlias

import numpy as np

Workspace: TypeAlias = Any
"""One record of `workspace_type`."""

# Of `settings`: what is asked for. CHOICES: how many legal actions the observer has.
(OBSERVER, CHOICES, METHOD, SIMULATIONS, PER_WORLD, NANOSECONDS, BEGAN, DEPTH, BY_POLICY, BY_REGRET, REMEMBER,
 BY_HALVING, EXPANSION, SETTINGS) = range(14)  # fmt: skip
# Of `counters`: what has happened. Of a time budget, in nanoseconds: SPENT until LAST_LOOK, and on the SLOWEST simulations.
USED, DONE, DECISIONS, PATH, KEPT, NEXT_LOOK, LAST_LOOK, SPENT, SLOWEST, COUNTERS = range(10)
# Of `numbers`: how choices are weighed, and the spread of the rewards so far. From FIRST_MEAN on: each seat's mean reward.
EXPLORATION, PRIOR, HABIT, MIXING, SQUARES, REWARDS, WIDEST, FIRST_MEAN = range(8)
# Columns of `results`, a row for each legal action of the observer.
# RIVAL: 1 for a choice that may still be the best one.
VISITS, VALUE, SHARE, PRIOR_VALUE, RIVAL, COLUMNS = range(6)
# Columns of `path`: the choices of a simulation.
CHOSEN, MOVER, FIRST_KEPT, KEPT_COUNT, PATH_COLUMNS = range(5)

NEVER = -1  # as DEPTH
ISMCTS, PIMC, FLAT = range(3)  # METHOD

LONGEST_PATH = 512  # choices in the tree in one simulation
KEPT_CHOICES = 4096  # choices that regrets are to be updated for in one simulation


def workspace_type(state_bytes: int, actions: int, seats: int) -> np.dtype[Any]:
    """The record for a room with states of so many bytes, and at most so many legal actions and seats."""
    return np.dtype((np.record, np.dtype([
        ("settings", "i8", (SETTINGS,)),
        ("counters", "i8", (COUNTERS,)),
        ("numbers", "f8", (FIRST_MEAN + seats,)),
        ("results", "f8", (actions, COLUMNS)),
        ("children", "i8", (actions,)),  # the node of each of `out`
        ("path", "i8", (LONGEST_PATH, PATH_COLUMNS)),
        ("kept", "i8", (KEPT_CHOICES,)),
        ("chances", "f8", (KEPT_CHOICES,)),  # the probability of each of `kept`
        ("sight", "i8", ((state_bytes + 7) // 8,)),  # the bytes of what the observer sees at its next decision
    ], align=True)))  # fmt: skip
