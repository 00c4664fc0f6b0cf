"""Matches between equal players who choose what seems to be worth most, and what each choice brought."""

import numpy as np

from arena.engine.contract import (
    Actions,
    Features,
    Numbers,
    States,
    action_features,
    current_seat,
    deal,
    encode,
    evaluate,
    is_round_over,
    is_terminal,
    legal_actions,
    next_round,
    observe,
    rollout_action,
    step,
)
from arena.engine.machine import stack_array
from arena.engine.net import MOST_HIDDEN, MOST_SEATS, preferences
from arena.engine.rng import Words, below, chance, next_word


def play(
    states: States,
    seats: int,
    options: Words,
    rng: Words,
    actions: Actions,
    constants: Numbers,
    net: Features,
    by_net: bool,
    whim: float,
    far: float,
    features: Features,
    rows: Features,
    inputs: Features,
    brought: Numbers,
) -> int:
    """Play matches until no more decisions fit; gives how many of them belong to rounds that were played to their end.

    `states`: room for two; `net`: the policy, as `Net.numbers` has it; `by_net`: whether it chooses, else the game's rollout
    policy; `whim`: share of random choices; `features`, `rows`: room for what a seat knows and for its actions. Written of each
    decision: `inputs`, what the seat knew, then what it chose; `brought`, how much more it brought to the seat than the game's
    `evaluate` said before it, with all hands open: that takes out some luck, and is the same for all choices. What it brought
    counts from decision to decision: a share `far` of it is what comes later, the rest what `evaluate` says at the next one
    (R. Sutton, "Learning to predict by the methods of temporal differences", 1988), up to what the round brought at its end.
    """
    s, seen = states[0], states[1]
    seed = stack_array(4, np.int64)
    rewards = stack_array(MOST_SEATS, np.float64)[:seats]
    expected = stack_array(MOST_SEATS, np.float64)
    judged = np.empty((len(inputs), seats))
    movers = np.empty(len(inputs), np.int64)
    reached, hidden = stack_array(MOST_HIDDEN, np.float32), stack_array(MOST_HIDDEN, np.float32)
    logits = np.empty(len(actions))
    at = 0
    while True:
        for i in range(4):
            seed[i] = next_word(rng)
        deal(s, seats, options, seed)
        while not is_terminal(s):
            if is_round_over(s):
                next_round(s)
            first = at
            while not is_round_over(s):
                count = legal_actions(s, actions)
                if count == 1:
                    step(s, int(actions[0]))
                    continue
                if at == len(inputs):
                    return first
                seat = current_seat(s)
                observe(s, seat, seen)
                encode(seen, seat, features)
                action_features(seen, seat, actions, count, rows)
                place = 0
                if chance(rng) < whim:
                    place = below(rng, count)
                elif by_net:
                    preferences(net, 0, features, rows, count, reached, hidden, logits)
                    for i in range(1, count):
                        if logits[i] > logits[place]:
                            place = i
                else:
                    action = rollout_action(s, actions, count, constants, rng)
                    while actions[place] != action:
                        place += 1
                inputs[at, : len(features)] = features
                inputs[at, len(features) :] = rows[place]
                evaluate(s, constants, rewards)
                for player in range(seats):
                    judged[at, player] = rewards[player]
                movers[at] = seat
                at += 1
                step(s, int(actions[place]))
            evaluate(s, constants, rewards)
            for player in range(seats):
                expected[player] = rewards[player]
            for row in range(at - 1, first - 1, -1):
                brought[row] = expected[movers[row]] - judged[row, movers[row]]
                for player in range(seats):
                    expected[player] += (1.0 - far) * (judged[row, player] - expected[player])
