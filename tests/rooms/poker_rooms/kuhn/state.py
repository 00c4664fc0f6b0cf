"""Kuhn poker: the record of a match, and what its numbers mean."""

import numpy as np

from arena.cards import Deck
from arena.engine.state import array, declare, number

CARDS = Deck("JQK")
"""Card id 0 is the jack, 1 the queen, 2 the king: the higher id wins."""

SEATS = (2,)
MAX_ACTIONS = 2

PASS, BET = 0, 1  # action codes
START = 1
"""A line before the first action. A line holds the actions so far as binary digits behind a leading 1: pass, bet is 0b101."""
ENDS = (0b100, 0b110, 0b111, 0b1010, 0b1011)
"""The lines that end the hand: pass pass, bet pass, bet bet, pass bet pass, pass bet bet."""


class State:
    """The fields of a match."""

    line = number(np.int64)
    seed = array(np.uint32, 4, seen_by="nobody")  # the deal's secret
    cards = array(np.int8, 3, seen_by="rule")  # of seat 0, of seat 1, and the one that nobody gets


RECORD = declare(State, SEATS)
STATE, OPTIONS = RECORD.dtype, RECORD.options
