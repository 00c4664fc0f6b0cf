"""Hisatsu Shigotonin: sizes, options, and the state that all the rules are about (RULES.md 3.1, 3.5)."""

import numpy as np

from arena.engine.options import NAME_WORDS, Choice, Column, table_beside
from arena.engine.state import array, declare, number, option

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


class State:
    """The fields of a match."""

    names = array(np.int64, MAX_REQUESTS, NAME_WORDS, option=DECK.names)  # read by text.py alone
    hand = array(np.int64, MAX_SEATS, seen_by="owner")  # card masks
    seats = number(np.int64)  # wide, like the next ones: compiled functions of them have one signature
    turn = number(np.int64)  # at the end: the starter
    turns = number(np.int64)  # taken by all seats together
    seed = array(np.uint32, 4, seen_by="nobody")  # the deal's secret
    hp = array(np.int16, MAX_REQUESTS, option=DECK.column("hp"))
    bang = array(np.int8, MAX_REQUESTS, option=DECK.column("bang"))
    worth = array(np.int8, MAX_REQUESTS, option=DECK.column("points"))
    request = array(np.int8, MAX_SLOTS)  # place in the deck, or NO_REQUEST
    chips = array(np.int8, MAX_SLOTS)  # one-point cards left
    num_cards = array(np.int8, MAX_SLOTS)
    cards = array(
        np.int8, MAX_SLOTS, MAX_CARDS, seen_by="rule"
    )  # seat * 8 + value in the order of placing; value 0 = not known
    stock = array(np.int8, MAX_REQUESTS, seen_by="nobody")  # places in the deck, bottom first
    discards = array(np.int8, MAX_SEATS, TURNS)  # values
    passed = array(np.int8, MAX_SEATS, TURNS, seen_by="owner")  # values of face-down passes; 0 = not known
    captured = array(np.int8, MAX_SEATS, TURNS)  # places in the deck
    failed = array(np.int8, MAX_SEATS, TURNS)
    num_discards = array(np.int8, MAX_SEATS)
    num_passed = array(np.int8, MAX_SEATS)
    num_captured = array(np.int8, MAX_SEATS)
    num_failed = array(np.int8, MAX_SEATS)
    points = array(np.int8, MAX_SEATS)  # one-point cards taken
    num_requests = option(np.int8, DECK.count)
    num_stock = number(np.int8)
    starter = number(np.int8)
    pass_discard = option(
        np.int8, Choice("face_up", ("face_up", "face_down"), "how a card lies that is discarded as the action (O-H1)")
    )
    tiebreak = option(np.int8, Choice("none", ("none", "captures"), "what decides between equal scores (O-H5)"))


RECORD = declare(State, SEATS)
STATE, OPTIONS = RECORD.dtype, RECORD.options
