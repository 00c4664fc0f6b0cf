"""Kuhn poker: the record of a match, and what its numbers mean."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from arena.cards import Deck
from arena.engine.options import Option
from arena.engine.rng import Seed

CARDS = Deck("JQK")
"""Card id 0 is the jack, 1 the queen, 2 the king: the higher id wins."""

SEATS = (2,)
MAX_ACTIONS = 2
OPTIONS: tuple[Option, ...] = ()

PASS, BET = 0, 1  # action codes
START = 1
"""A line before the first action. A line holds the actions so far as binary digits behind a leading 1: pass, bet is 0b101."""
ENDS = (0b100, 0b110, 0b111, 0b1010, 0b1011)
"""The lines that end the hand: pass pass, bet pass, bet bet, pass bet pass, pass bet bet."""

STATE = np.dtype((np.record, [
    ("line", "i8"),
    ("seed", "u4", (4,)),  # the deal's secret
    ("cards", "i1", (3,)),  # of seat 0, of seat 1, and the one that nobody gets
]))  # fmt: skip


class State(Protocol):
    """The fields of STATE, for the type checker."""

    line: int
    seed: Seed
    cards: NDArray[np.int8]
