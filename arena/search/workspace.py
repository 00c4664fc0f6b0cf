"""The workspace of a search: a record of arrays that it reads and writes, and what the places in these arrays mean.

The arrays that games' functions get are not in the record: numba would compile these functions once more for such arrays.
"""

from typing import Any, TypeAlias

import numpy as np

from arena.engine.net import MOST_HIDDEN, MOST_INPUTS, MOST_NUMBERS, MOST_ROW

Workspace: TypeAlias = Any
"""One record of `workspace_type`."""
Workspaces: TypeAlias = Any
"""An array of one such record: how compiled code is given it."""

# Places in `settings`: what is asked for. CHOICES: how many legal actions the observer has.
# BY_VALUE, BY_BELIEF, BY_PROPOSAL: 1 where the game's networks judge positions, choose worlds, and propose actions (learnt.py).
# IN_WORLD: simulations in each world. OPEN: 1 for trees of one world, in which the observer sees everything.
(OBSERVER, CHOICES, SIMULATIONS, IN_WORLD, NANOSECONDS, BEGAN, DEPTH, BY_POLICY, BY_REGRET, REMEMBER,
 BY_HALVING, EXPANSION, OPEN, BY_VALUE, BY_BELIEF, BY_PROPOSAL, SETTINGS) = range(17)  # fmt: skip
# Places in `counters`: what has happened. USED: nodes in use. DONE: simulations. PATH: choices in the path of this one.
# TAKEN: worlds that were kept of those drawn, or of LISTED ones, where all of them are weighed (worlds.py).
# Of a time budget, in nanoseconds: SPENT up to the simulation LAST_READING, and by a simulation at the SLOWEST.
USED, DONE, DECISIONS, PATH, KEPT, TAKEN, LISTED, NEXT_READING, LAST_READING, SPENT, SLOWEST, COUNTERS = range(12)
# Places in `numbers`: how choices are weighed; OFFSET: where the steps through `weights` begin (worlds.py); the spread of the
# rewards so far; from FIRST_MEAN on each seat's mean reward.
EXPLORATION, PRIOR, HABIT, MIXING, TEMPER, TRUST, OFFSET, SQUARES, REWARDS, WIDEST, FIRST_MEAN = range(11)
# Columns of `results`, a row for each legal action of the observer. RIVAL: 1 while sequential halving still tries it.
VISITS, VALUE, SHARE, PRIOR_VALUE, RIVAL, COLUMNS = range(6)
# Columns of `path`: the choices of a simulation in the tree; where its choices begin in `kept` (by regret), and how many.
CHOSEN, MOVER, FIRST_KEPT, KEPT_COUNT, PATH_COLUMNS = range(5)

NEVER = -1  # as DEPTH: rollouts go on to the end of the round

LONGEST_PATH = 512  # choices in the tree in one simulation
CANDIDATES = 16  # worlds drawn at once, where the game's network says which of them are kept
MOST_LISTED = 200  # worlds that are all weighed, where a game can list them
KEPT_CHOICES = 4096  # choices that regrets are to be updated for in one simulation


def workspace_type(state_bytes: int, actions: int, seats: int) -> np.dtype[Any]:
    """The record for a game with states of so many bytes, and at most so many legal actions and seats."""
    return np.dtype((np.record, np.dtype([
        ("settings", "i8", (SETTINGS,)),
        ("counters", "i8", (COUNTERS,)),
        ("numbers", "f8", (FIRST_MEAN + seats,)),
        ("results", "f8", (actions, COLUMNS)),
        ("children", "i8", (actions,)),  # the node of each legal action
        ("path", "i8", (LONGEST_PATH, PATH_COLUMNS)),
        ("kept", "i8", (KEPT_CHOICES,)),  # nodes whose regrets are to be updated
        ("chances", "f8", (KEPT_CHOICES,)),  # the probability of each of `kept`
        ("chance", "i8", (4,)),  # the generator's state when the world was drawn
        ("weights", "f8", (MOST_LISTED,)),  # of the drawn or listed worlds, added up
        ("nets", "f4", (MOST_NUMBERS,)),  # the game's networks, where they are asked
        ("inputs", "f4", (MOST_INPUTS,)),  # of a network
        ("hidden", "f4", (MOST_HIDDEN,)),
        ("rows", "f4", (actions * MOST_ROW,)),  # of a policy: the actions' inputs
        ("begun", "f4", (MOST_HIDDEN,)),  # what is the same for all of them
        ("logits", "f8", (actions,)),
        ("sight", "i8", ((state_bytes + 7) // 8,)),  # the bytes of what the observer sees at its next decision
    ], align=True)))  # fmt: skip
