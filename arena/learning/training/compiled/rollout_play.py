"""Rollout play: rounds by the game's rollout policy, some choices at random, and what networks are to learn from them."""

import numpy as np

from arena.engine import jit
from arena.engine.contract import (
    Actions,
    Features,
    Numbers,
    States,
    belief_features,
    believe,
    current_seat,
    deal,
    determinize,
    evaluate,
    is_round_over,
    is_simultaneous,
    is_terminal,
    legal_actions,
    next_round,
    num_seats,
    rollout_action,
    state_features,
    step,
)
from arena.engine.machine import stack_array
from arena.engine.net import MOST_SEATS
from arena.engine.rng import Words, below, chance, next_word


def play(
    states: States,
    seats: int,
    options: Words,
    rng: Words,
    actions: Actions,
    constants: Numbers,
    whims: Numbers,
    keep: float,
    seat_features: Features,
    outcomes: Numbers,
    world_features: Features,
    drawn: Features,
    judged: Numbers,
    rounds: Actions,
    first_round: int,
) -> int:
    """Play matches until all rows are written; gives how many rounds were played.

    `states`: room for two; `whims`: of these shares each round draws one, of random choices; `keep`: the share of decisions
    that become rows. A row: `seat_features`, the position from each seat's side; `outcomes`, what the round brought each seat;
    `world_features` and `drawn`, the true world and a drawn one from the side of the seat to choose; `judged`, what the game's
    `evaluate` says of the position; `rounds`, the number of its round.
    """
    s = states[0]
    seed = stack_array(4, np.int64)
    rewards = stack_array(MOST_SEATS, np.float64)[:seats]
    at = 0
    number = first_round
    while at < len(seat_features):
        for i in range(4):
            seed[i] = next_word(rng)
        deal(s, seats, options, seed)
        while at < len(seat_features) and not is_terminal(s):
            if is_round_over(s):
                next_round(s)
            whim = whims[below(rng, len(whims))]
            first = at
            while not is_round_over(s):
                count = legal_actions(s, actions)
                if count == 1:
                    step(s, int(actions[0]))
                    continue
                if at < len(seat_features) and chance(rng) < keep and is_open(states):
                    write_row(states, at, constants, rng, seat_features, world_features, drawn, judged)
                    rounds[at] = number
                    at += 1
                if chance(rng) < whim:
                    step(s, int(actions[below(rng, count)]))
                else:
                    step(s, rollout_action(s, actions, count, constants, rng))
            evaluate(s, constants, rewards)
            for row in range(first, at):
                for seat in range(seats):
                    outcomes[row, seat] = rewards[seat]
            number += 1
    return number - first_round


def write(
    states: States,
    at: int,
    constants: Numbers,
    rng: Words,
    seat_features: Features,
    world_features: Features,
    drawn: Features,
    judged: Numbers,
) -> bool:
    """Write a row for the position in the first of two `states`; False where it is no place to be judged at."""
    if not is_open(states):
        return False
    write_row(states, at, constants, rng, seat_features, world_features, drawn, judged)
    return True


def worth(states: States, constants: Numbers, out: Numbers) -> None:
    """Write what a position is worth to each seat, by the game's `evaluate`."""
    evaluate(states[0], constants, out)


@jit.generic
def is_open(states: States) -> bool:
    """Return whether no choice is in that is still hidden: searches judge only such positions."""
    return not is_simultaneous(states[0]) or current_seat(states[0]) == 0


@jit.generic
def write_row(
    states: States,
    at: int,
    constants: Numbers,
    rng: Words,
    seat_features: Features,
    world_features: Features,
    drawn: Features,
    judged: Numbers,
) -> None:
    """Write the state features, what the game says of them, and the belief features of the true world and a drawn one."""
    s = states[0]
    evaluate(s, constants, judged[at])
    for seat in range(num_seats(s)):
        state_features(s, seat, seat_features[at, seat])
    mover = current_seat(s)
    belief_features(s, mover, world_features[at])
    states[1] = states[0]
    determinize(states[1], mover, rng)
    believe(states[1], mover, constants, rng)
    belief_features(states[1], mover, drawn[at])
