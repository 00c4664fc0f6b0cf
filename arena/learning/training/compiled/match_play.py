"""Whole matches between quick players of many kinds, and what a network that judges pairs of seats is to learn from them."""

from typing import Any, cast

import numpy as np

from arena.engine import jit
from arena.engine.contract import (
    Actions,
    Features,
    Numbers,
    State,
    States,
    alternatives,
    current_seat,
    deal,
    is_round_over,
    is_terminal,
    legal_actions,
    next_round,
    num_seats,
    places,
    rollout_action,
    step,
)
from arena.engine.machine import stack_array
from arena.engine.net import MOST_SEATS
from arena.engine.rng import Words, below, chance, next_word

MATCH, PAIR, END, TURNED = range(4)  # columns of `numbers`
MODULES: dict[Any, Any] = {}
"""The games' modules win_features.py, by the type of their records; filled by arena.learning.training.win_features."""


def win_features(s: State, pair: int, out: Features) -> int:
    """Write the numbers of a pair of seats; gives first seat << 4 | second seat, or -1 where there is no such pair."""
    return cast(int, MODULES[s.dtype].win_features(s, pair, out))


jit.stub(win_features, MODULES)


def play(
    states: States,
    seats: int,
    options: Words,
    rng: Words,
    actions: Actions,
    players: Numbers,
    slips: Numbers,
    keep: float,
    lucky: float,
    inputs: Features,
    numbers: Actions,
    results: Numbers,
) -> int:
    """Play matches until no more of them fit; gives how many rows were written.

    `players`: [kinds, constants] of the rollout policy, and `slips`: the share of random choices of each kind; each seat draws
    its kind for the match. A row is a pair of seats at some moment: the deal of a round, a share `lucky` of the moments after
    another chance event, a share `keep` of all others, and the end of each round before the match is over. `inputs`: what the
    game writes of it. `numbers`: [rows, 4] the number of the MATCH; the seats of the PAIR as a code; the row of that pair at
    the END of the round, -1 where the match ends with it; whether it is TURNED there, the other seat being the first one.
    `results`: 1 if the first seat of the pair finished before the second, 0.5 if they shared a place.
    """
    s = states[0]
    seed = stack_array(4, np.int64)
    kinds = stack_array(MOST_SEATS, np.int64)
    reached = stack_array(MOST_SEATS, np.int64)[:seats]
    at = 0
    match = 0
    while True:
        begin = at
        for i in range(4):
            seed[i] = next_word(rng)
        deal(s, seats, options, seed)
        for seat in range(seats):
            kinds[seat] = below(rng, len(players))
        opening = at
        is_open, is_drawn = True, False
        while not is_terminal(s):
            if is_round_over(s):
                closing = at
                at = write(s, match, inputs, numbers, at)
                if at < 0:
                    return begin
                _close(numbers, opening, closing, at)
                next_round(s)
                opening = at
                is_open = True
            if is_open or chance(rng) < (lucky if is_drawn else keep):
                at = write(s, match, inputs, numbers, at)
                if at < 0:
                    return begin
            is_open = False
            count = legal_actions(s, actions)
            kind = kinds[current_seat(s)]
            action = int(actions[0])
            if count > 1:
                if chance(rng) < slips[kind]:
                    action = int(actions[below(rng, count)])
                else:
                    action = rollout_action(s, actions, count, players[kind], rng)
            is_drawn = alternatives(s, action) != 0
            step(s, action)
        places(s, reached)
        for row in range(begin, at):
            first, second = reached[numbers[row, PAIR] >> 4], reached[numbers[row, PAIR] & 15]
            results[row] = 0.5 * (1 + (first < second) - (first > second))
        match += 1


@jit.generic
def write(s: State, match: int, inputs: Features, numbers: Actions, at: int) -> int:
    """Write the rows of all pairs from `at` on; gives where they end, or -1 if they do not fit."""
    seats = num_seats(s)
    if at + seats * (seats - 1) // 2 > len(inputs):
        return -1
    pair = 0
    code = win_features(s, pair, inputs[at])
    while code >= 0:
        numbers[at, MATCH] = match
        numbers[at, PAIR] = code
        numbers[at, END] = -1
        numbers[at, TURNED] = 0
        at += 1
        pair += 1
        if at == len(inputs):
            break
        code = win_features(s, pair, inputs[at])
    return at


@jit.generic
def _close(numbers: Actions, opening: int, closing: int, end: int) -> None:
    """Tell all rows of a round where its end is. The pairs may be in another order there, and each the other way round."""
    for row in range(opening, end):
        code = numbers[row, PAIR]
        other = code >> 4 | (code & 15) << 4
        for last in range(closing, end):
            if numbers[last, PAIR] == code:
                numbers[row, END] = last
            elif numbers[last, PAIR] == other:
                numbers[row, END] = last
                numbers[row, TURNED] = 1
