"""Leduc hold'em: the record of a match, what its numbers mean, and the options."""

import numpy as np

from arena.cards import Deck
from arena.engine.options import Whole
from arena.engine.state import array, declare, number, option

CARDS = Deck(rank + suit for rank in "JQK" for suit in "sh")
"""Card id = 2 * rank + suit: the jacks are 0 and 1, the kings 4 and 5."""

SEATS = (2,)
DECK = 6
MAX_ACTIONS = 3
ANTE = 1
BETS = (0, 2, 4)  # chips that a raise adds, by street
MAX_RAISES = 2  # in a street
STREETS = 2
LONGEST = 8  # actions of a hand: check, raise, raise, call in both streets

FOLD, CALL, RAISE = 0, 1, 2  # action codes; a call with nothing to pay is a check
PLAY, HAND_OVER, MATCH_OVER = 0, 1, 2  # phases
NOBODY = -1  # in `folded`


class State:
    """The fields of a match."""

    hand = number(np.int64)  # its number, from 1
    hands = option(np.int64, Whole(1, 1, 1000, "the hands of a match (rule 4)", is_length=True))
    turn = number(np.int64)
    street = number(np.int64)  # 1 before the public card lies open, then 2
    seed = array(np.uint32, 4, seen_by="nobody")  # the deal's secret
    won = array(np.int32, 2)  # chips of the hands that are over
    paid = array(np.int16, 2)  # chips in the pot, by seat
    cards = array(np.int8, DECK, seen_by="rule")  # of seat 0, of seat 1, the public card, and three that nobody gets
    line = array(np.int8, LONGEST)  # the actions of the hand, each + 1
    num_line = number(np.int8)
    raises = number(np.int8)  # in this street
    actions = number(np.int8)  # in this street
    folded = number(np.int8)  # a seat, or NOBODY
    phase = number(np.int8)


RECORD = declare(State, SEATS)
STATE, OPTIONS = RECORD.dtype, RECORD.options
