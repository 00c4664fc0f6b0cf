"""All that one compiled search reads and writes, made in Python: arrays in one named tuple, and what their places mean."""

from typing import NamedTuple

from arena.contract import Actions, Numbers, States
from arena.rng import Words
from arena.search.tree import Nodes, Slots

# Of `settings`: what is asked for.
OBSERVER, METHOD, SIMULATIONS, PER_WORLD, NANOSECONDS, BEGAN, DEPTH, BY_POLICY, BY_REGRET, REMEMBER, SETTINGS = range(11)
# Of `counters`: what has happened.
USED, DONE, DECISIONS, PATH, KEPT, NEXT_LOOK, COUNTERS = range(7)
# Of `numbers`: how choices are weighed, and the spread of the rewards so far.
EXPLORATION, PRIOR, MIXING, SQUARES, REWARDS, FIRST_MEAN = range(6)  # from FIRST_MEAN on: each seat's mean reward
# Columns of `results`, a row for each legal action of the observer.
VISITS, VALUE, SHARE, PRIOR_VALUE, COLUMNS = range(5)
# Columns of `path`: the choices of a simulation.
CHOSEN, MOVER, FIRST_KEPT, KEPT_COUNT, PATH_COLUMNS = range(5)

NEVER = -1  # as DEPTH
LONGEST_PATH = 512  # choices in the tree in one simulation
KEPT_CHOICES = 4096  # choices that regrets are to be updated for in one simulation


class Workspace(NamedTuple):
    """The arrays of a search in one room."""

    root: States
    """What the observer sees; the search starts from it."""
    world: States
    """The deal that is imagined."""
    work: States
    """The world as it is played on."""
    sight: States
    """What the observer sees of it, at its next decision."""
    sight_words: Words
    """The bytes of `sight` as whole numbers."""
    nodes: Nodes
    slots: Slots
    path: Actions
    kept: Actions
    out: Actions
    """A legal list."""
    children: Actions
    """The node of each of `out`."""
    chances: Numbers
    """The probability of each of `kept`."""
    priors: Numbers
    """What each of `out` looks like at a glance."""
    rewards: Numbers
    """By seat."""
    constants: Numbers
    """Of the room's rollout.py."""
    settings: Words
    counters: Words
    numbers: Numbers
    results: Numbers
