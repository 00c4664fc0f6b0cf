"""What it takes to clear a hand of Nana Toridori: how it falls apart into plays, in turns.

Clearing a run lets its neighbours meet, so the order of plays decides how many there are: the puzzle of removing boxes. A play
costs the turns that it takes to get through: many equal cards cost nearly nothing, a low single card a whole lead.
"""

import numpy as np
from numpy.typing import NDArray

from arena.contract import Numbers
from arena.games.nanatoridori.state import COPIES
from arena.jit import jit

SINGLE, STEP, MORE, HURRY = range(4)  # the first of a room's constants
RUNS = 16  # a hand with more runs is taken run by run

Cards = NDArray[np.int8]


@jit
def price(count: int, value: int, constants: Numbers) -> float:
    """Turns that a play of equal cards takes to get through."""
    return float(max(0.0, constants[SINGLE] - constants[STEP] * value - constants[MORE] * (count - 1)))


@jit
def plan(cards: Cards, size: int, constants: Numbers) -> float:
    """The turns that the first `size` of `cards` take in the best order of plays, each play taking all that have met."""
    values = np.empty(size + 1, np.int64)
    counts = np.empty(size + 1, np.int64)
    runs = 0
    seen = 0
    is_plain = True  # no value occurs twice
    total = constants[HURRY] * size
    for place in range(size):
        value = int(cards[place])
        if runs > 0 and values[runs - 1] == value:
            counts[runs - 1] += 1
        else:
            is_plain &= seen >> value & 1 == 0
            seen |= 1 << value
            values[runs] = value
            counts[runs] = 1
            runs += 1
    if is_plain or runs > RUNS:
        for run in range(runs):
            total += price(counts[run], values[run], constants)
        return float(total)
    return float(total + _best_order(values, counts, runs, constants))


@jit
def _best_order(values: NDArray[np.int64], counts: NDArray[np.int64], runs: int, constants: Numbers) -> float:
    """Interval by interval: turns for runs first..last-1, to the first of which `joined` equal cards have come."""
    turns = np.empty((runs + 1, runs + 1, COPIES + 1))
    for first in range(runs + 1):
        turns[first, first, 0] = 0.0
    for first in range(runs - 1, -1, -1):
        before = 0  # cards of this value that may have come to it
        for run in range(first):
            if values[run] == values[first]:
                before += counts[run]
        for last in range(first + 1, runs + 1):
            for joined in range(before + 1):
                count = counts[first] + joined
                best = price(count, values[first], constants) + turns[first + 1, last, 0]
                for meet in range(first + 2, last):
                    if values[meet] == values[first]:
                        best = min(best, turns[first + 1, meet, 0] + turns[meet, last, count])
                turns[first, last, joined] = best
    return float(turns[0, runs, 0])
