"""The record of a Yaniv match: its options, its fields, and what their numbers mean (RULES.md 5.1, 5.5)."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from arena.engine.jit import jit
from arena.engine.options import Choice, Flag, Option, Whole
from arena.engine.rng import Seed
from arena.games.yaniv.rows import HAND, ROW

DECK = 54  # cards in one deck, two jokers among them
MAX_DECK = 2 * DECK
SEATS = (2, 3, 4, 5, 6, 7, 8, 9, 10)
MAX_SEATS = 10
MAX_ACTIONS = 96  # 85 discards of five cards of one rank are more than any legal list holds

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

OPTIONS: tuple[Option, ...] = (
    Choice("threshold", 5, (5, 7, 10, "none"), "the highest hand value that may call (RULES.md 5.2)"),
    Choice("decks", "auto", ("auto", 1, 2), "decks of 54 cards; auto: 1 for up to 4 seats, else 2 (RULES.md 5.1)"),
    Flag("slap_down", False, "whether a card of the same rank, drawn from the stock, may be added to the discard (O-Y7)"),
    Whole("limit", 101, 1, 10_000, "the total that ends the match; 201 where mode=elim201 (O-Y1)"),
    Choice("mode", "default", ("default", "elim201"), "end at the limit, or drop out until one is left (RULES.md 5.4)"),
    Choice("reduction", "halve", ("halve", "minus50"), "which totals are lowered in mode=elim201 (RULES.md 5.4)"),
    Flag("halve_requires_change", True, "whether a total is lowered only in a round that added to it (O-Y2)"),
    Flag("joker_pair", False, "whether jokers alone are a set (O-Y3)"),
    Choice("set_take", "ends", ("ends", "any"), "which cards of a set the next seat may take (O-Y8)"),
    Whole("turn_limit", 100, 1, 1000, "turns per seat after which a round ends without a call (O-Y10)"),
    Whole("max_rounds", 200, 1, 1000, "rounds after which the match ends (O-Y10)"),
)

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
