"""Whole matches of two simple players, random play and the game's rollout policy, played and logged in compiled code."""

from collections.abc import Callable

import numpy as np

from arena.engine import jit
from arena.engine.contract import (
    Actions,
    Numbers,
    States,
    current_seat,
    deal,
    is_round_over,
    is_terminal,
    legal_actions,
    next_round,
    rollout_action,
    step,
)
from arena.engine.rng import Words, below, chance

PlayQuickly = Callable[[States, int, Words, Words, Words, Numbers, Numbers, Actions, Actions], int]
"""`(states, seats, options, seed, rng, random, constants, legal, log)` plays a match to its end.

`options`, `seed`: as `deal` takes them; `rng`: sfc32 words; `random[seat]`: the share of the seat's choices that are random,
the others are made by the rollout policy with `constants`; `legal`: takes legal lists. Writes the actions to `log` and returns
how many there were, or -1 if `log` is too short for them.
"""


def bind_simple_play(game: str) -> PlayQuickly:
    """The compiled entry of one game. `game`: its package."""
    return jit.bind(_entry_play_quickly, game)


def _entry_play_quickly(
    states: States, seats: int, options: Words, seed: Words, rng: Words, random: Numbers, constants: Numbers,
    legal: Actions, log: Actions,
) -> int:  # fmt: skip
    s = states[0]
    deal(s, seats, options, seed)
    count = 0
    while not is_terminal(s):
        if is_round_over(s):
            next_round(s)
        choices = legal_actions(s, legal)
        if count == len(log):
            return -1
        action = legal[0]
        if choices > 1:
            is_random = chance(rng) < random[current_seat(s)]
            action = np.int64(legal[below(rng, choices)] if is_random else rollout_action(s, legal, choices, constants, rng))
        log[count] = action
        step(s, action)
        count += 1
    return count
