"""The exhaustive counts of RULES.md 5.5."""

from math import comb

import numba
import numpy as np
import pytest

from arena.games.yaniv import rows
from arena.games.yaniv.discards import RUN, laid_row
from arena.games.yaniv.discards import discards as discard_codes
from helpers.yaniv_tables import GAME


@numba.njit
def exhaustive(decks, call_values, out, zero, joker_pair):
    """Over all five-card hands of one or two decks, cards told apart: [hands, discards, fewest, most, hands with five]."""
    found = np.array([0, 0, 1 << 30, 0, 0])
    callable_hands = np.zeros(len(call_values), np.int64)
    ids = np.zeros(5, np.int64)
    held = np.zeros(53, np.int64)
    while True:
        held[:] = 0
        hand = zero  # no constant: compiled functions have one signature
        for i in range(5):
            held[ids[i]] += 1
            hand |= (ids[i] + 1) << 6 * i
        hands = 1
        for i in range(5):
            if i == 0 or ids[i] != ids[i - 1]:
                hands *= choose(decks if ids[i] < 52 else 2 * decks, held[ids[i]])
        if hands:
            physical = 0
            for place in range(discard_codes(hand, joker_pair, out, zero)):
                physical += ways(laid_row(hand, out[place]), out[place] & 63, held)
            found[0] += hands
            found[1] += hands * physical
            found[2] = min(found[2], physical)
            found[3] = max(found[3], physical)
            found[4] += hands * (physical == 5)
            for at in range(len(call_values)):
                callable_hands[at] += hands * (rows.hand_value(hand) <= call_values[at])
        last = 4
        while last >= 0 and ids[last] == 52:
            last -= 1
        if last < 0:
            return found, callable_hands
        ids[last:] = ids[last] + 1


@numba.njit
def choose(many, few):
    ways = 1
    for i in range(few):
        ways = ways * (many - i) // (i + 1)
    return ways


@numba.njit
def ways(row, arrangement, held):
    """In how many ways a discard can be made of physical cards."""
    used = np.zeros(53, np.int64)
    first, last = (row & 63) - 1, 0
    while row:
        last = (row & 63) - 1
        used[last] += 1
        row >>= 6
    count = 1
    for card in range(53):
        if used[card]:
            count *= choose(held[card], used[card])
    if 0 < arrangement < RUN:
        count *= used[first] * used[last] if first != last else choose(used[first], 2)
    return count


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(exhaustive, "py_func"), reason="hours without the compiler")
class TestExhaustiveCounts:
    """5.5: all hands of five cards."""

    def test_one_deck(self):
        (hands, total, fewest, most, five), callable_hands = exhaustive(1, np.array([5, 7, 10]), GAME.new_actions(), 0, False)
        assert (hands, fewest, most, five) == (comb(54, 5), 5, 40, 1_513_312)
        assert round(total / hands, 5) == 5.79632
        assert list(callable_hands) == [110, 730, 5016]

    def test_two_decks(self):
        (hands, _, fewest, most, _), _ = exhaustive(2, np.array([5]), GAME.new_actions(), 0, False)
        assert (hands, fewest, most) == (comb(108, 5), 5, 85)
