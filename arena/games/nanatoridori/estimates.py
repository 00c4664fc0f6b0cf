"""Estimates for Nana Toridori: how many turns it takes to clear a hand. Prior, policy and evaluation rest on them.

Playing a run lets its neighbours meet, so the order of plays decides how many there are: the puzzle of removing boxes. The
price of a play is the number of turns until nobody beats it: many equal cards cost nearly nothing, one low card a whole lead.
"""

import numpy as np
from numpy.typing import NDArray

from arena.engine.contract import Numbers
from arena.engine.jit import jit
from arena.engine.machine import lowest_bit, stack_array
from arena.games.nanatoridori.state import COPIES, ROW, VALUES

SINGLE, STEP, MORE, HURRY = range(4)  # the first of a game's constants
RUNS = 16  # a hand with more runs is taken run by run
MOST_CARDS = (1 << ROW) + COPIES  # of a hand, with a block of equal cards that comes to it
_RUNS = MOST_CARDS + 1
_BY_VALUE = VALUES + 1
_BY_LAST = COPIES + 1  # steps in the table of intervals: to the next last run, and to the next first one
_BY_FIRST = (RUNS + 1) * _BY_LAST
_INTERVALS = (RUNS + 1) * _BY_FIRST

Cards = NDArray[np.int8]


@jit
def price(count: int, value: int, constants: Numbers) -> float:
    """Turns that it takes until nobody beats a play of `count` equal cards."""
    return float(max(0.0, constants[SINGLE] - constants[STEP] * value - constants[MORE] * (count - 1)))


@jit
def plan(cards: Cards, size: int, constants: Numbers) -> float:
    """The turns that the first `size` of `cards` take in the best order of plays, each play taking all that have met."""
    values = stack_array(_RUNS, np.int64)
    counts = stack_array(_RUNS, np.int64)
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
    """Interval by interval: turns for runs first..last-1, to the first of which `joined` equal cards have come.

    Only intervals up to the end, or up to a run that may meet one before them, are ever asked for.
    """
    turns = stack_array(_INTERVALS, np.float64)  # first * _BY_FIRST + last * _BY_LAST + joined
    where = stack_array(_BY_VALUE, np.int64)  # the runs of each value, a mask
    where[:] = 0
    may_join = stack_array(RUNS, np.int64)  # numbers of cards that may have come to a run, a mask
    for run in range(runs):
        joins = 1
        before = where[values[run]]
        while before != 0:
            other = lowest_bit(before)
            before &= before - 1
            joins |= may_join[other] << counts[other]
        may_join[run] = joins
        where[values[run]] |= 1 << run
    for first in range(runs - 1, -1, -1):
        value = values[first]
        ends = 1 << runs
        for other in range(first):
            ends |= where[values[other]]
        ends &= -(2 << first)
        start = first * _BY_FIRST
        after = start + _BY_FIRST
        turns[after + (first + 1) * _BY_LAST] = 0.0
        while ends != 0:
            last = lowest_bit(ends)
            ends &= ends - 1
            end = last * _BY_LAST
            joins = may_join[first]
            while joins != 0:
                joined = lowest_bit(joins)
                joins &= joins - 1
                best = price(counts[first] + joined, value, constants) + turns[after + end]
                meets = where[value] & -(4 << first) & (1 << last) - 1
                while meets != 0:
                    meet = lowest_bit(meets)
                    meets &= meets - 1
                    best = min(best, turns[after + meet * _BY_LAST] + turns[meet * _BY_FIRST + end + counts[first] + joined])
                turns[start + end + joined] = best
    return float(turns[runs * _BY_LAST])
