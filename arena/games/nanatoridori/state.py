"""The record of a Nana Toridori match: its options, its fields, and what their numbers mean (RULES.md 1.1, 1.6)."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from arena.engine.options import Choice, Flag, Option
from arena.engine.rng import Seed

DECK = 63
VALUES = 7
COPIES = 9  # of each value
SEATS = (2, 3, 4, 5, 6)
MAX_SEATS = 6
HAND = 8  # cards dealt
DUEL_HAND = 11
FRONTS = 2  # front cards dealt to each seat of a duel
PENGUINS = 2  # in the basic rules
WINNING_POINTS = 10  # in the advanced rules
FIRST_POINTS, MIDDLE_POINTS = 4, 2  # for who is out first, and for all others but the loser
MAX_ACTIONS = 80  # plays of a duel: 24 cards in hand, each with 0, 1 or 2 front cards; elsewhere 62 gaps are the most

BASIC, ADVANCED, DUEL = 0, 1, 2  # variants
LOSER, ROTATE, RANDOM, WINNER = 0, 1, 2, 3  # next_start
TURN, TAKE, DRAWN, ROUND_OVER, MATCH_OVER = 0, 1, 2, 3, 4  # phases

PLAYS, PASS, TAKES, DROP, KEEPS, TOSS = 0, 1, 2, 3, 4, 5  # kinds of actions, in canonical order
KIND, FIRST, SECOND = 14, 8, 2  # shifts: an action is kind, a (6 bits), b (6 bits), f (2 bits); see RULES.md 1.6

ROW = 6  # a hand's cards lie from seat << ROW on
MARKS = 3  # the blocks of one value known in a hand lie from seat << MARKS on

OPTIONS: tuple[Option, ...] = (
    Choice("variant", "auto", ("auto", "basic", "advanced", "duel"), "which rules; auto: duel for 2 seats, else basic (1.2)"),
    Choice("next_start", "loser", ("loser", "rotate", "random", "winner"), "who starts the next round (O-N2)"),
    Choice("duel_penguins", 1, (1, 2), "penguins of each seat in a duel: how many lost rounds lose the match (O-N5)"),
    Flag("front_visible", True, "whether the front cards of a duel lie open (O-N6)"),
)

STATE = np.dtype((np.record, [
    ("seats", "i8"),  # wide, like all numbers below: compiled functions of them have one signature
    ("turn", "i8"),
    ("phase", "i8"),
    ("starter", "i8"),
    ("round_number", "i8"),  # from 1
    ("num_stock", "i8"),
    ("num_discard", "i8"),
    ("table_value", "i8"),  # 0 = the table is empty, as in the next two
    ("table_count", "i8"),
    ("table_owner", "i8"),
    ("beaten_value", "i8"),  # TAKE: the block that may be taken
    ("beaten_count", "i8"),
    ("drawn", "i8"),  # DRAWN: the card that may be kept
    ("passes", "i8"),  # since the last play
    ("num_out", "i8"),
    ("variant", "i8"),
    ("next_start", "i8"),
    ("duel_penguins", "i8"),
    ("front_visible", "i8"),
    ("totals", "i8", (MAX_SEATS,)),  # penguins, or points
    ("hand_size", "i8", (MAX_SEATS,)),
    ("out", "i8", (MAX_SEATS,)),  # seats in the order in which they went out
    ("num_fronts", "i8", (MAX_SEATS,)),
    ("known", "i4", (MAX_SEATS << MARKS,)),  # by seat and value: blocks that everybody knows to be in that hand (memory.py)
    ("seed", "u4", (4,)),  # the deal's secret
    ("hand", "i1", (MAX_SEATS << ROW,)),  # by seat: card values in the order of the hand
    ("fronts", "i1", (FRONTS * MAX_SEATS,)),  # by seat: front cards
    ("stock", "i1", (DECK,)),  # bottom first; in a duel the cards that are not used
    ("discard", "i1", (DECK,)),  # in the order of discarding
]))  # fmt: skip


class State(Protocol):
    """The fields of STATE, for the type checker."""

    seats: int
    turn: int
    phase: int
    starter: int
    round_number: int
    num_stock: int
    num_discard: int
    table_value: int
    table_count: int
    table_owner: int
    beaten_value: int
    beaten_count: int
    drawn: int
    passes: int
    num_out: int
    variant: int
    next_start: int
    duel_penguins: int
    front_visible: int
    totals: NDArray[np.int64]
    hand_size: NDArray[np.int64]
    out: NDArray[np.int64]
    num_fronts: NDArray[np.int64]
    known: NDArray[np.int32]
    seed: Seed
    hand: NDArray[np.int8]
    fronts: NDArray[np.int8]
    stock: NDArray[np.int8]
    discard: NDArray[np.int8]
