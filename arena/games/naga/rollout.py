"""Naga for searches: what a position is worth, and quick play (arena/contract.py says what each function is for)."""

import numpy as np
from numpy.typing import NDArray

from arena.games.naga.knowledge import selected
from arena.games.naga.rules import contest_strength
from arena.games.naga.state import ELTAM, GAME_OVER, SELECT, State
from arena.jit import jit
from arena.rng import Words, below

SIMULTANEOUS = "ucb"  # against rule bots stronger than regret matching, which needs many more simulations
DEPTH = 0  # decisions after which a rollout is cut; 0: at the end of the game

LEAD = 0.1  # what a field card more is worth before the end; the game is worth 1
STRONGEST = 2  # one selection in so many is the strongest one, the others are any


@jit
def evaluate(s: State, out: NDArray[np.float64]) -> None:
    """1 for a won game, 0 for a lost one, half for a draw; within a game by the lead in field cards."""
    lead = 0
    for place in range(1, 8):
        worth = 3 if place == ELTAM else 1
        if s.won[place] == 1:
            lead += worth
        elif s.won[place] == 2:
            lead -= worth
    value = LEAD * lead
    if s.phase >= GAME_OVER:
        value = 0.5 if lead > 0 else -0.5 if lead < 0 else 0.0
    out[0] = 0.5 + value
    out[1] = 0.5 - value


@jit
def rollout_action(s: State, actions: Words, count: int, rng: Words) -> int:
    """Any place; half of the time the strongest cards, else any."""
    if s.phase != SELECT or below(rng, STRONGEST) > 0:
        return int(actions[below(rng, count)])
    best = -1
    chosen = 0
    hand = int(s.hand[s.turn])
    for i in range(count):
        strength = contest_strength(s, selected(hand, int(actions[i])), s.place)
        if strength > best:
            best = strength
            chosen = int(actions[i])
    return chosen


@jit
def choice_code(s: State, action: int) -> int:
    """The selected cards."""
    return selected(int(s.hand[s.turn]), action)


@jit
def private_code(s: State, seat: int) -> int:
    """The own hand: new cards come after each contest."""
    return int(s.hand[seat])


@jit
def reopen(s: State) -> None:
    """The first selection is taken back."""
    if s.phase == SELECT:
        s.pending[0] = 0
        s.pending[1] = 0
        s.turn = 0
