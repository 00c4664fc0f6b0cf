"""Equilibria of games in which two seats choose once, at the same time, and each knows its own hand and not the other's.

Regret matching (S. Hart, A. Mas-Colell 2000) of every hand, in the form of CFR+ (O. Tammelin, "Solving large imperfect
information games using CFR+", 2014): the seats learn in turns, no regret falls below 0, and later rounds count more.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.engine.contract import Numbers
from arena.engine.jit import jit, unchecked
from arena.engine.rng import Words

Payoffs: TypeAlias = NDArray[np.float32]
"""What the first seat gets: a block for each pair of hands, one after the other, a row for each choice of the first seat."""


@jit
def equilibrium(
    first_starts: Words, second_starts: Words, pairs: Words, payoffs: Payoffs, rounds: int, first: Numbers, second: Numbers
) -> None:
    """Write how often each hand plays each of its choices: `first` and `second`, hand after hand.

    `first_starts`, `second_starts`: where the choices of each hand begin, and the number of all of them at the end; `pairs`:
    [pairs, 2], the hands of both seats that can meet, all equally likely. What one seat gets the other one loses.
    """
    first_regrets, second_regrets = np.zeros(len(first)), np.zeros(len(second))
    first_now, second_now = np.zeros(len(first)), np.zeros(len(second))
    first_gains, second_gains = np.zeros(len(first)), np.zeros(len(second))
    _follow(first_starts, first_regrets, first_now)
    _follow(second_starts, second_regrets, second_now)
    first[:] = 0.0
    second[:] = 0.0
    for number in range(1, rounds + 1):
        weight = 2.0 * number / (rounds * (rounds + 1.0))
        first_values(first_starts, second_starts, pairs, payoffs, second_now, first_gains)
        _learn(first_starts, first_gains, weight, first_regrets, first_now, first)
        second_values(first_starts, second_starts, pairs, payoffs, first_now, second_gains)
        _learn(second_starts, second_gains, weight, second_regrets, second_now, second)


@unchecked
def first_values(
    first_starts: Words, second_starts: Words, pairs: Words, payoffs: Payoffs, second: Numbers, out: Numbers
) -> None:
    """Write what each choice of each hand of the first seat brings, summed over all hands that the other may have."""
    out[:] = 0.0
    at = 0
    for pair in range(len(pairs)):
        i, j = pairs[pair, 0], pairs[pair, 1]
        start, end = second_starts[j], second_starts[j + 1]
        for a in range(first_starts[i], first_starts[i + 1]):
            total = 0.0
            for b in range(start, end):
                total += payoffs[at] * second[b]
                at += 1
            out[a] += total


@unchecked
def second_values(
    first_starts: Words, second_starts: Words, pairs: Words, payoffs: Payoffs, first: Numbers, out: Numbers
) -> None:
    """The same for the second seat, which loses what the first one gets."""
    out[:] = 0.0
    at = 0
    for pair in range(len(pairs)):
        i, j = pairs[pair, 0], pairs[pair, 1]
        start, end = second_starts[j], second_starts[j + 1]
        for a in range(first_starts[i], first_starts[i + 1]):
            share = first[a]
            if share == 0.0:  # as of most choices after some rounds
                at += end - start
                continue
            for b in range(start, end):
                out[b] -= payoffs[at] * share
                at += 1


@unchecked
def _learn(starts: Words, gains: Numbers, weight: float, regrets: Numbers, now: Numbers, average: Numbers) -> None:
    """Add to the regrets of all choices what they would have brought, follow them, and count what is played now."""
    for hand in range(len(starts) - 1):
        mean = 0.0
        for a in range(starts[hand], starts[hand + 1]):
            mean += now[a] * gains[a]
        for a in range(starts[hand], starts[hand + 1]):
            regrets[a] = max(0.0, regrets[a] + gains[a] - mean)
    _follow(starts, regrets, now)
    for a in range(len(now)):
        average[a] += weight * now[a]


@unchecked
def _follow(starts: Words, regrets: Numbers, now: Numbers) -> None:
    """Play each choice of a hand as often as it is regretted; all alike where none is."""
    for hand in range(len(starts) - 1):
        start, end = starts[hand], starts[hand + 1]
        total = 0.0
        for a in range(start, end):
            total += regrets[a]
        for a in range(start, end):
            now[a] = regrets[a] / total if total > 0.0 else 1.0 / (end - start)
