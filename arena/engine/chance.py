"""Luck, event by event: what chance decided in a match, against what it could have decided. For any game with a chance.py.

For each chance event - the deal of a round, a drawn card, a refill - the *correction* of a seat is the game's `value` after the
event less its mean over all that could have come. Whatever `value` is, and whoever plays, its mean is zero: bots choose by what
seats have seen, and what comes next is as random as the engine's shuffles. So the sum of a match's corrections may be taken off
its result without any bias (M. White and M. Bowling, "Learning a value analysis tool for agent evaluation", IJCAI 2009: MIVAT).

Where there are at most SAMPLES alternatives, all are played by the engine's own `step`; else so many of them, by words that
depend on the deal, the round and the number of the event alone: still unbiased, and the same at every seating of a deal. A
sample of listed alternatives is systematic: evenly spaced points, shifted by one random number, through their probabilities.
Where the game lists like beside like, it errs less than one drawn blindly: in Yaniv a quarter of the variance.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from arena.engine import jit
from arena.engine.contract import (
    Actions,
    Numbers,
    State,
    States,
    alternatives,
    arrange,
    deal,
    is_round_over,
    is_terminal,
    next_round,
    num_seats,
    redraw,
    step,
    value,
)
from arena.engine.machine import stack_array
from arena.engine.rng import Words, chance, next_word, seed_fast

SAMPLES = 12
"""What could have come instead, where it is sampled: drawn blindly, it adds a 12th to the variance of a correction."""
DEALT, DRAWN = 0, 1
"""The kinds of chance events: what a round begins with; what comes up while it is played."""
STATES = 2
"""Records that `Luck.corrections` works with: the match as it was played, and what could have come."""
_WORD = 0xFFFFFFFF


@dataclass(frozen=True)
class Luck:
    """The compiled entry of one game that works out the luck of a match."""

    corrections: Callable[[States, int, Words, Words, Words, Actions, int, Numbers, Numbers, Numbers], int]
    """`(states, seats, options, seed, stream, actions, until, constants, out, values)` plays a log again.

    `states`: STATES records, overwritten; `options`, `seed`: as `deal` takes them; `stream`: four words that sampling starts
    from; `actions`: the log as `step` takes it; `until`: only what chance decides before action `until` counts, and nothing if
    it is negative. Adds each correction to `out[moment, kind, seat]`, with moment 0 for the first deal and i + 1 for action i
    and the deal of the next round. Writes the value after each moment to `values[moment, seat]`, unless that has length 0.
    Returns the number of chance events.
    """
    value: Callable[[States, Numbers, Numbers], None]
    """`contract.value` of the first of the states."""
    redraw: Callable[[States, Words], None]
    alternatives: Callable[[States, int], int]
    arrange: Callable[[States, int, int], float]


def bind_luck(game: str) -> Luck:
    """The compiled entries of one game with a chance.py. `game`: its package."""
    return Luck(
        jit.bind(_entry_corrections, game), jit.bind(_entry_value, game), jit.bind(_entry_redraw, game),
        jit.bind(_entry_alternatives, game), jit.bind(_entry_arrange, game),
    )  # fmt: skip


def _entry_corrections(
    states: States, seats: int, options: Words, seed: Words, stream: Words, actions: Actions, until: int,
    constants: Numbers, out: Numbers, values: Numbers,
) -> int:  # fmt: skip
    rng = stack_array(4, np.int64)
    if until < 0:
        return 0
    s = states[0]
    deal(s, seats, options, seed)
    _start(rng, stream, 0, 0)
    _expect_deal(states, seats, options, rng, constants, out[0, DEALT])
    _add_value(s, constants, out[0, DEALT])
    if len(values) > 0:
        value(s, constants, values[0])
    events = 1
    rounds = number = 0
    for moment in range(1, 1 + min(until, len(actions))):
        action = actions[moment - 1]
        ways = alternatives(s, action)
        if ways != 0:
            number += 1
            _start(rng, stream, rounds, number)
            _expect_action(states, action, ways, rng, constants, out[moment, DRAWN])
        step(s, action)
        if ways != 0:
            events += 1
            _add_value(s, constants, out[moment, DRAWN])
        if is_round_over(s) and not is_terminal(s):
            rounds += 1
            number = 0
            events += 1
            _start(rng, stream, rounds, number)
            _expect_round(states, rng, constants, out[moment, DEALT])
            next_round(s)
            _add_value(s, constants, out[moment, DEALT])
        if len(values) > 0:
            value(s, constants, values[moment])
    return events


def _entry_value(states: States, constants: Numbers, out: Numbers) -> None:
    value(states[0], constants, out)


def _entry_redraw(states: States, rng: Words) -> None:
    redraw(states[0], rng)


def _entry_alternatives(states: States, action: int) -> int:
    return alternatives(states[0], action)


def _entry_arrange(states: States, action: int, alternative: int) -> float:
    return arrange(states[0], action, alternative)


@jit.generic
def _start(rng: Words, stream: Words, rounds: int, number: int) -> None:
    """Start the words of one event: the same in every match of a deal."""
    for i in range(4):
        rng[i] = stream[i]
    rng[2] = (rng[2] + rounds) & _WORD
    rng[3] = (rng[3] + number) & _WORD
    seed_fast(rng, rng)


@jit.generic
def _expect_deal(states: States, seats: int, options: Words, rng: Words, constants: Numbers, out: Numbers) -> None:
    """Take the mean value of first deals off `out`."""
    s = states[1]
    seed = stack_array(4, np.int64)
    for _ in range(SAMPLES):
        for i in range(4):
            seed[i] = next_word(rng)
        deal(s, seats, options, seed)
        _subtract_value(s, 1.0 / SAMPLES, constants, out)


@jit.generic
def _expect_round(states: States, rng: Words, constants: Numbers, out: Numbers) -> None:
    """Take the mean value of deals of the next round off `out`."""
    s = states[1]
    for _ in range(SAMPLES):
        states[1] = states[0]
        redraw(s, rng)
        next_round(s)
        _subtract_value(s, 1.0 / SAMPLES, constants, out)


@jit.generic
def _expect_action(states: States, action: int, ways: int, rng: Words, constants: Numbers, out: Numbers) -> None:
    """Take the mean value after an action off `out`: over all its alternatives, or over a sample."""
    s = states[1]
    if ways > SAMPLES:
        point = chance(rng)  # in steps from one point of the sample to the next
        reached = 0.0
        for alternative in range(ways):
            states[1] = states[0]
            reached += SAMPLES * arrange(s, action, alternative)
            points = 0
            while point < reached:
                points += 1
                point += 1.0
            if points > 0:
                step(s, action)
                _subtract_value(s, points / SAMPLES, constants, out)
        return
    if ways > 0:
        for alternative in range(ways):
            states[1] = states[0]
            weight = arrange(s, action, alternative)
            if weight > 0.0:
                step(s, action)
                _subtract_value(s, weight, constants, out)
        return
    for _ in range(SAMPLES):
        states[1] = states[0]
        redraw(s, rng)
        step(s, action)
        _subtract_value(s, 1.0 / SAMPLES, constants, out)


@jit.generic
def _subtract_value(s: State, weight: float, constants: Numbers, out: Numbers) -> None:
    found = out.copy()
    value(s, constants, found)
    for seat in range(num_seats(s)):
        out[seat] -= weight * min(1.0, max(0.0, found[seat]))  # a share, whatever the game says: so corrections are bounded


@jit.generic
def _add_value(s: State, constants: Numbers, out: Numbers) -> None:
    _subtract_value(s, -1.0, constants, out)
