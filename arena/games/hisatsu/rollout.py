"""Hisatsu for searches: what a position is worth, and quick play (arena/contract.py says what each function is for)."""

import numpy as np

from arena.contract import Constant, Numbers
from arena.games.hisatsu.rules import claim, is_terminal, places, score
from arena.games.hisatsu.state import MAX_SEATS, VALUES, State
from arena.jit import jit
from arena.rng import Words, below

SIMULTANEOUS = "ucb"
DEPTH = 0  # decisions after which a rollout is cut; 0: at the end of the match
PRIOR = 0.0  # visits that a look is worth
EXPLORATION = 0.7  # width of confidence bounds, in standard deviations of the rewards
CONSTANTS = (
    Constant("place", 3.0, 0.0, 20.0, "points: what a place is worth at the end"),
    Constant("claim", 0.5, 0.0, 1.0, "of a request's points, for the seat whose card lies last on it"),
)
PLACE, CLAIM = range(2)


@jit
def evaluate(s: State, constants: Numbers, out: Numbers) -> None:
    """How many points a seat has more than the others on average, and its place."""
    sum_of_points = 0.0
    is_over = is_terminal(s)
    for seat in range(s.seats):
        out[seat] = score(s, seat)
    if not is_over:
        for slot in range(s.seats - 1):
            claimant = claim(s, slot)
            if claimant >= 0:
                out[claimant] += constants[CLAIM] * s.worth[s.request[slot]]
    for seat in range(s.seats):
        sum_of_points += out[seat]
    for seat in range(s.seats):
        out[seat] -= (sum_of_points - out[seat]) / (s.seats - 1)
    if is_over:
        reached = np.empty(MAX_SEATS, np.int64)
        places(s, reached)
        for seat in range(s.seats):
            out[seat] -= constants[PLACE] * reached[seat]


@jit
def rollout_action(s: State, actions: Words, count: int, constants: Numbers, rng: Words) -> int:
    """Any placement; a discard only where nothing can be placed."""
    placements = 0
    while placements < count and actions[placements] < VALUES * (s.seats - 1):
        placements += 1
    return int(actions[below(rng, placements if placements > 0 else count)])


@jit
def prior(_s: State, _actions: Words, count: int, _constants: Numbers, out: Numbers) -> None:
    """All choices look the same."""
    for i in range(count):
        out[i] = 0.0


@jit
def believe(_s: State, _seat: int, _constants: Numbers, _rng: Words) -> None:
    """All worlds that fit are taken as equally likely."""


@jit
def choice_code(_s: State, action: int) -> int:
    """Nothing is chosen simultaneously."""
    return action


@jit
def private_code(_s: State, _seat: int) -> int:
    """All that a seat learns are actions: nobody draws."""
    return 0


@jit
def reopen(_s: State) -> None:
    """Nothing is chosen simultaneously."""
