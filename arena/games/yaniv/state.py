"""The record of a match: its fields, and what their numbers mean."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from arena.engine.jit import jit
from arena.engine.rng import Seed
from arena.games.yaniv.rows import HAND, ROW

DECK = 54  # cards in one deck, two jokers among them
MAX_DECK = 2 * DECK
MAX_SEATS = 10

START, DRAW, SLAP, ROUND_OVER, MATCH_OVER = 0, 1, 2, 3, 4  # phases
TAKEN, FRESH, OLDER = 0, 1, 2  # how a card came into a hand: openly; from this stock; OLDER + class: from an earlier stock
ORIGINS = (1 << 2 * HAND) - 1
BURIED = 0  # in `piles`; class k is pile 1 + k
CLASSES = 2  # earlier stocks that are told apart (RULES.md 5.5)
DEALING, FIRST_STARTER, RESHUFFLING = 1, 2, 3  # purposes of random streams
PLAIN = np.arange(8)  # PLAIN[n] is n, but no constant: a compiled function has one signature per constant argument

CALL = 0  # START; a discard is its mask over the hand << 6 | arrangement (RULES.md 5.5)
STOCK, FIRST, LAST = 0, 1, 2  # DRAW; 2 + k is middle card k
HOLD, SLAP_DOWN = 0, 1  # SLAP

STATE = np.dtype((np.record, [
    ("piles", "i8", (2 + 2 * CLASSES,)),  # two masks each: buried, then the hidden cards of each earlier stock
    ("previous", "i8"),  # row, as laid
    ("laid", "i8"),  # row, the own discard of this turn, before it becomes the previous one
    ("seats", "i8"),  # wide, like the next one: compiled functions of them have one signature
    ("turn", "i8"),
    ("hand", "i4", (MAX_SEATS,)),  # rows
    ("known", "i4", (MAX_SEATS,)),  # rows: what everybody knows of a hand, because it was taken openly
    ("seed", "u4", (4,)),  # the deal's secret
    ("origin", "i2", (MAX_SEATS,)),  # 2 bits per card of the hand: how its owner got it
    ("totals", "i2", (MAX_SEATS,)),
    ("dropped", "i2", (MAX_SEATS,)),  # round in which a seat dropped out, 0 = still in
    ("limit", "i2"),
    ("turn_limit", "i2"),
    ("max_rounds", "i2"),
    ("round_number", "i2"),  # from 1
    ("turns", "i2"),  # completed turns of this round
    ("last_turn", "i2"),  # how many turns this round may have at most
    ("reshuffles", "i2"),  # of this round
    ("hand_size", "i1", (MAX_SEATS,)),
    ("held", "i1", (CLASSES * MAX_SEATS,)),  # by class, then seat: hidden cards from that earlier stock
    ("stock", "i1", (MAX_DECK,)),  # card ids, bottom first
    ("num_stock", "i1"),
    ("phase", "i1"),
    ("starter", "i1"),
    ("drawn", "i1"),  # SLAP: the card just drawn, id + 1
    ("threshold", "i1"),
    ("decks", "i1"),
    ("slap_down", "i1"),
    ("mode", "i1"),
    ("reduction", "i1"),
    ("halve_requires_change", "i1"),
    ("joker_pair", "i1"),
    ("set_take", "i1"),
]))  # fmt: skip


class State(Protocol):
    """The fields of STATE, for the type checker."""

    piles: NDArray[np.int64]
    previous: int
    laid: int
    hand: NDArray[np.int32]
    known: NDArray[np.int32]
    seed: Seed
    origin: NDArray[np.int16]
    totals: NDArray[np.int16]
    dropped: NDArray[np.int16]
    limit: int
    turn_limit: int
    max_rounds: int
    round_number: int
    turns: int
    last_turn: int
    reshuffles: int
    hand_size: NDArray[np.int8]
    held: NDArray[np.int8]
    stock: NDArray[np.int8]
    num_stock: int
    seats: int
    phase: int
    turn: int
    starter: int
    drawn: int
    threshold: int
    decks: int
    slap_down: int
    mode: int
    reduction: int
    halve_requires_change: int
    joker_pair: int
    set_take: int


@jit
def hand_row(s: State, seat: int) -> int:
    """The hand of a seat as a row."""
    return int(s.hand[seat]) & ROW
