"""Nertz for searches: what a position is worth, and quick play (arena/contract.py says what each function is for)."""

import numpy as np
from numpy.typing import NDArray

from arena.games.nertz.state import (
    CALL,
    FLIP,
    MATCH_OVER,
    NERTZ_FOUND,
    PLAY,
    WORK_WORK,
    State,
)
from arena.jit import jit, popcount
from arena.rng import Words, below

SIMULTANEOUS = "ucb"  # a tick is a race more than a guess
DEPTH = 60  # choices after which a rollout is cut: a round takes hundreds of ticks

MATCH = 20.0  # points: what the match is worth at its end
OUT = 2.5  # points for each card that has left the Nertz pile: two that it no longer costs, and the way to the end of the round
LINE = 0.2  # points for each card that has left stock and waste
WHIM = 8  # one choice in so many is any


@jit
def evaluate(s: State, out: NDArray[np.float64]) -> None:
    """How many points the seat's unit has more than the others on average; within a round also by what is open to it."""
    total = 0.0
    units = s.seats >> s.teams
    for seat in range(s.seats):
        unit = seat >> s.teams
        if s.phase == PLAY:
            out[seat] = s.totals[unit] + popcount(s.laid[unit]) - OUT * s.num_nertz[unit] - LINE * s.num_line[unit]
        else:
            out[seat] = s.totals[unit]
        total += out[seat]
    total /= 1 << s.teams
    for seat in range(s.seats):
        out[seat] -= (total - out[seat]) / (units - 1)
    if s.phase == MATCH_OVER:
        for seat in range(s.seats):
            if out[seat] > 0:
                out[seat] += MATCH


@jit
def rollout_action(_s: State, actions: Words, count: int, rng: Words) -> int:
    """Call, lay in the middle, Nertz pile, waste; then turn the stock; between work piles on a whim."""
    if below(rng, WHIM) == 0:
        return int(actions[below(rng, count)])
    chosen = int(actions[0])
    for i in range(count):
        code = int(actions[i])
        if code == CALL or NERTZ_FOUND <= code < WORK_WORK:
            return code
        if code == FLIP:
            chosen = code
    return chosen


@jit
def choice_code(_s: State, action: int) -> int:
    """Codes name places, and what lies open there everybody sees."""
    return action


@jit
def private_code(_s: State, _seat: int) -> int:
    """What a seat sees of its own waste the actions tell, but for the cards themselves: too many to tell apart."""
    return 0


@jit
def reopen(s: State) -> None:
    """Choices of this tick are taken back; moves that run on stay."""
    if s.phase == PLAY:
        for seat in range(s.seats):
            if s.since[seat] == 0:
                s.pending[seat] = 0
                s.due[seat] = 0
        s.turn = 0
