"""Leduc hold'em: the record of a match, what its numbers mean, and the options."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from arena.cards import Deck
from arena.engine.options import Option, Whole
from arena.engine.rng import Seed

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

OPTIONS: tuple[Option, ...] = (Whole("hands", 1, 1, 1000, "the hands of a match (rule 4)", is_length=True),)

STATE = np.dtype((np.record, [
    ("hand", "i8"),  # number, from 1
    ("hands", "i8"),  # of the match
    ("turn", "i8"),
    ("street", "i8"),  # 1 before the public card lies open, then 2
    ("seed", "u4", (4,)),  # the deal's secret
    ("won", "i4", (2,)),  # chips of the hands that are over
    ("paid", "i2", (2,)),  # chips in the pot, by seat
    ("cards", "i1", (DECK,)),  # of seat 0, of seat 1, the public card, and three that nobody gets
    ("line", "i1", (LONGEST,)),  # the actions of the hand, each + 1
    ("num_line", "i1"),
    ("raises", "i1"),  # in this street
    ("actions", "i1"),  # in this street
    ("folded", "i1"),  # a seat, or NOBODY
    ("phase", "i1"),
]))  # fmt: skip


class State(Protocol):
    """The fields of STATE, for the type checker."""

    hand: int
    hands: int
    turn: int
    street: int
    seed: Seed
    won: NDArray[np.int32]
    paid: NDArray[np.int16]
    cards: NDArray[np.int8]
    line: NDArray[np.int8]
    num_line: int
    raises: int
    actions: int
    folded: int
    phase: int
