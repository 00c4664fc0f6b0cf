"""Rows of cards, and what cards are worth (RULES.md 5.1).

A *row* is one whole number: 6 bits per card, card id + 1, first card lowest, 0 = no more cards. Hands are rows in ascending
card id.
"""

import numpy as np

from arena.cards import STANDARD
from arena.engine.jit import jit
from arena.engine.machine import bit_length

CARDS = STANDARD
JOKER = 52
CARD_IDS = JOKER + 1
HAND = 5  # cards dealt; a hand never grows beyond
RANKS = 13
ROW = (1 << 6 * HAND) - 1  # a hand as a row

# By card id + 1, as in rows; 0 = no card. 64 entries: every index of 6 bits is inside.
VALUE = np.array([0, *[min(rank + 1, 10) for _ in range(4) for rank in range(RANKS)], *[0] * 11], np.int64)
RANK = np.array([RANKS + 1, *[rank for _ in range(4) for rank in range(RANKS)], *[RANKS] * 11], np.int64)  # 0 = ace, 13 = joker
SUIT = np.array([4, *[suit for suit in range(4) for _ in range(RANKS)], *[4] * 11], np.int64)


@jit
def hand_value(row: int) -> int:
    """The points of a row: ace 1, 2 to 10 their number, court cards 10, joker 0."""
    value = 0
    for shift in range(0, 6 * HAND, 6):
        value += VALUE[row >> shift & 63]
    return value


@jit
def row_length(row: int) -> int:
    """How many cards a row holds."""
    return (bit_length(row) + 5) // 6


@jit
def card_at(row: int, place: int) -> int:
    """The card id at a place of a row."""
    return (row >> 6 * place & 63) - 1


@jit
def inserted(row: int, place: int, card: int) -> int:
    """The row with a card put in at a place."""
    shift = 6 * place
    return row & ((1 << shift) - 1) | (card + 1) << shift | row >> shift << shift + 6


@jit
def deleted(row: int, place: int) -> int:
    """The row without the card at a place."""
    shift = 6 * place
    return row & ((1 << shift) - 1) | row >> shift + 6 << shift


@jit
def place_in(row: int, field: int) -> int:
    """The first place of an ascending row whose card id + 1 is at least `field`."""
    place = 0
    for shift in range(0, 6 * HAND, 6):  # without a branch, as no processor can guess it
        place += (row >> shift & 63 != 0) & (row >> shift & 63 < field)
    return place


@jit
def is_set(row: int) -> bool:
    """Whether all cards of a row have one rank: a single card or a set; jokers are a rank of their own."""
    rank = RANK[row & 63]
    while row:
        if RANK[row & 63] != rank:
            return False
        row >>= 6
    return True
