"""Hisatsu Shigotonin: sizes, options, and the state that all the rules are about (RULES.md 3.1, 3.5)."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from arena.engine.options import NAME_WORDS, Choice, Column, Option, table_beside
from arena.engine.rng import Seed

SEATS = (3, 4, 5)
MAX_SEATS = 5
MAX_SLOTS = 4  # one less than the seats
VALUES = 7  # number cards of a seat: 1 to 7
TURNS = 6  # of each seat
MAX_ACTIONS = 35  # seven cards on four requests or away
MAX_REQUESTS = 60  # in a deck: more than can ever come into play
MAX_CARDS = MAX_SEATS * TURNS  # on one request: all that are played, if every claim is taken over
FAILURE = 2  # points that a failed request costs

FULL_HAND = 0b11111110  # bit v = card v
BELOW_SEVEN = 0b01111110  # the 7 is never face down on a request
HIDEABLE = BELOW_SEVEN >> 1  # as action codes of one slot
DEALING, FIRST_STARTER = 1, 2  # purposes of random streams
SEEN_HIDDEN = 64  # + slot: a seen action whose card is hidden; an open one is its code + 1
NO_REQUEST = -1  # in `request`

DECK = table_beside(
    __file__,
    "requests.csv",
    "deck",
    (Column("bang", 0, 6), Column("hp", 1, 999), Column("points", 0, 99)),
    MAX_REQUESTS,
    "the request cards: how many one-point cards lie on them, what they bear, what they are worth (O-H9)",
)
OPTIONS: tuple[Option, ...] = (
    Choice("pass_discard", "face_up", ("face_up", "face_down"), "how a card lies that is discarded as the action (O-H1)"),
    Choice("tiebreak", "none", ("none", "captures"), "what decides between equal scores (O-H5)"),
    DECK,
)
FIRST_ROW = 3  # of the deck in the options vector
ROW_WIDTH = DECK.row_width
ROW_NAME = len(DECK.columns)  # where a row's name begins

STATE = np.dtype((np.record, [
    ("names", "i8", (MAX_REQUESTS, NAME_WORDS)),  # of the deck's requests; read by text.py alone
    ("hand", "i8", (MAX_SEATS,)),  # card masks
    ("seats", "i8"),  # wide, like the next ones: compiled functions of them have one signature
    ("turn", "i8"),  # at the end: the starter
    ("turns", "i8"),  # taken by all seats together
    ("seed", "u4", (4,)),  # the deal's secret
    ("hp", "i2", (MAX_REQUESTS,)),
    ("bang", "i1", (MAX_REQUESTS,)),
    ("worth", "i1", (MAX_REQUESTS,)),  # points
    ("request", "i1", (MAX_SLOTS,)),  # place in the deck, or NO_REQUEST
    ("chips", "i1", (MAX_SLOTS,)),  # one-point cards left
    ("num_cards", "i1", (MAX_SLOTS,)),
    ("cards", "i1", (MAX_SLOTS, MAX_CARDS)),  # seat * 8 + value in the order of placing; value 0 = not known
    ("stock", "i1", (MAX_REQUESTS,)),  # places in the deck, bottom first
    ("discards", "i1", (MAX_SEATS, TURNS)),  # values
    ("passed", "i1", (MAX_SEATS, TURNS)),  # values of face-down passes; 0 = not known
    ("captured", "i1", (MAX_SEATS, TURNS)),  # places in the deck
    ("failed", "i1", (MAX_SEATS, TURNS)),
    ("num_discards", "i1", (MAX_SEATS,)),
    ("num_passed", "i1", (MAX_SEATS,)),
    ("num_captured", "i1", (MAX_SEATS,)),
    ("num_failed", "i1", (MAX_SEATS,)),
    ("points", "i1", (MAX_SEATS,)),  # one-point cards taken
    ("num_requests", "i1"),
    ("num_stock", "i1"),
    ("starter", "i1"),
    ("pass_discard", "i1"),  # 1 = face down
    ("tiebreak", "i1"),  # 1 = captures
]))  # fmt: skip


class State(Protocol):
    """The fields of STATE, for the type checker."""

    names: NDArray[np.int64]
    hand: NDArray[np.int64]
    seats: int
    turn: int
    turns: int
    seed: Seed
    hp: NDArray[np.int16]
    bang: NDArray[np.int8]
    worth: NDArray[np.int8]
    request: NDArray[np.int8]
    chips: NDArray[np.int8]
    num_cards: NDArray[np.int8]
    cards: NDArray[np.int8]
    stock: NDArray[np.int8]
    discards: NDArray[np.int8]
    passed: NDArray[np.int8]
    captured: NDArray[np.int8]
    failed: NDArray[np.int8]
    num_discards: NDArray[np.int8]
    num_passed: NDArray[np.int8]
    num_captured: NDArray[np.int8]
    num_failed: NDArray[np.int8]
    points: NDArray[np.int8]
    num_requests: int
    num_stock: int
    starter: int
    pass_discard: int
    tiebreak: int
