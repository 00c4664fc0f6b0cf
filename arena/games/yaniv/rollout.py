"""Yaniv for searches: what a position is worth, and quick play (arena/contract.py says what each function is for)."""

import numpy as np

from arena.contract import Constant, Numbers
from arena.games.yaniv.rows import HAND, VALUE, card_at, hand_value, row_length
from arena.games.yaniv.rules import places
from arena.games.yaniv.state import (
    CALL,
    DRAW,
    FIRST,
    LAST,
    MATCH_OVER,
    MAX_SEATS,
    ROUND_OVER,
    START,
    STOCK,
    State,
    hand_row,
)
from arena.jit import jit
from arena.rng import Words, below, chance

SIMULTANEOUS = "ucb"
DEPTH = 0  # decisions after which a rollout is cut; 0: at the end of the round
PRIOR = 0.0  # visits that a look is worth
EXPLORATION = 0.7  # width of confidence bounds, in standard deviations of the rewards
CONSTANTS = (
    Constant("place", 30.0, 0.0, 100.0, "points: what a place of the match is worth at its end, as much as a failed call"),
    Constant("low", 3.0, 0.0, 10.0, "points: a card of at most so many is taken from the table"),
    Constant("whim", 0.1, 0.0, 1.0, "share of discards that are any"),
)
PLACE, LOW, WHIM = range(3)


@jit
def evaluate(s: State, constants: Numbers, out: Numbers) -> None:
    """How many points the others have more, on average; within a round the hands count as they are."""
    sum_of_points = 0.0
    for seat in range(s.seats):
        out[seat] = s.totals[seat]
        if s.phase < ROUND_OVER:
            out[seat] += hand_value(hand_row(s, seat))
        sum_of_points += out[seat]
    for seat in range(s.seats):
        out[seat] = (sum_of_points - out[seat]) / (s.seats - 1) - out[seat]
    if s.phase == MATCH_OVER:
        reached = np.empty(MAX_SEATS, np.int64)
        places(s, reached)
        for seat in range(s.seats):
            out[seat] -= constants[PLACE] * reached[seat]


@jit
def rollout_action(s: State, actions: Words, count: int, constants: Numbers, rng: Words) -> int:
    """Call when it is allowed, shed the most points, take low cards, draw otherwise."""
    if s.phase == START:
        if actions[0] == CALL:
            return CALL
        if chance(rng) < constants[WHIM]:
            return int(actions[below(rng, count)])
        hand = hand_row(s, int(s.turn))
        best = -1
        chosen = 0
        for i in range(count):
            mask = int(actions[i]) >> 6
            shed = 0
            for place in range(HAND):
                if mask >> place & 1:
                    shed += VALUE[hand >> 6 * place & 63]
            if shed > best:
                best = shed
                chosen = int(actions[i])
        return chosen
    if s.phase != DRAW:
        return int(actions[count - 1])  # slap
    previous = int(s.previous)
    length = row_length(previous)
    first = VALUE[previous & 63]
    last = VALUE[card_at(previous, length - 1) + 1]
    if min(first, last) <= constants[LOW] or actions[0] != STOCK:
        return LAST if last < first else FIRST
    return STOCK


@jit
def prior(_s: State, _actions: Words, count: int, _constants: Numbers, out: Numbers) -> None:
    """All choices look the same."""
    for i in range(count):
        out[i] = 0.0


@jit
def choice_code(_s: State, action: int) -> int:
    """Nothing is chosen simultaneously."""
    return action


@jit
def private_code(s: State, seat: int) -> int:
    """The own hand: cards come from the stock unseen by the others."""
    return hand_row(s, seat)


@jit
def reopen(_s: State) -> None:
    """Nothing is chosen simultaneously."""
