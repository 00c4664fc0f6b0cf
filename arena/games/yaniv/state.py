"""The record of a Yaniv match: its options, its fields, and what their numbers mean (RULES.md 5.1, 5.5)."""

import numpy as np

from arena.engine.jit import jit
from arena.engine.options import Choice, Flag, Whole
from arena.engine.state import array, declare, number, option
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
RECENT = 8  # turns that a state remembers, a power of two
CLASSES = 2  # earlier stocks that are told apart (RULES.md 5.5)
DEALING, FIRST_STARTER, RESHUFFLING = 1, 2, 3  # purposes of random streams
NO_THRESHOLD = 100  # above any hand value
PLAIN = np.arange(8)  # PLAIN[n] is n, but no constant: a compiled function has one signature per constant argument

CALL = 0  # START; a discard is its mask over the hand << 6 | arrangement (RULES.md 5.5)
STOCK, FIRST, LAST = 0, 1, 2  # DRAW; 2 + k is middle card k
HOLD, SLAP_DOWN = 0, 1  # SLAP


class State:
    """The fields of a match."""

    piles = array(np.int64, 2 + 2 * CLASSES)  # two masks each: buried, then the hidden cards of each earlier stock
    previous = number(np.int64)  # row, as laid
    laid = number(np.int64)  # row, the own discard of this turn, before it becomes the previous one
    recent = array(np.int64, RECENT)  # the last turns of the round (history.py)
    seats = number(np.int64)  # wide, like the next one: compiled functions of them have one signature
    turn = number(np.int64)
    hand = array(np.int32, MAX_SEATS, seen_by="owner")  # rows
    known = array(np.int32, MAX_SEATS)  # rows: what everybody knows of a hand, because it was taken openly
    seed = array(np.uint32, 4, seen_by="nobody")  # the deal's secret
    origin = array(np.int16, MAX_SEATS, seen_by="owner")  # 2 bits per card of the hand: how its owner got it
    totals = array(np.int16, MAX_SEATS)
    dropped = array(np.int16, MAX_SEATS)  # round in which a seat dropped out, 0 = still in
    hand_size = array(np.int8, MAX_SEATS)
    held = array(np.int8, CLASSES * MAX_SEATS)  # by class, then seat: hidden cards from that earlier stock
    stock = array(np.int8, MAX_DECK, seen_by="nobody")  # card ids, bottom first
    num_stock = number(np.int8)
    phase = number(np.int8)
    starter = number(np.int8)
    drawn = number(np.int8, seen_by="rule")  # SLAP: the card just drawn, id + 1
    threshold = option(
        np.int8,
        Choice(5, (5, 7, 10, "none"), "the highest hand value that may call (RULES.md 5.2)"),
        stored=(5, 7, 10, NO_THRESHOLD),
    )
    decks = option(
        np.int8, Choice("auto", ("auto", 1, 2), "decks of 54 cards; auto: 1 for up to 4 seats, else 2 (RULES.md 5.1)")
    )
    slap_down = option(
        np.int8, Flag(False, "whether a card of the same rank, drawn from the stock, may be added to the discard (O-Y7)")
    )
    limit = option(np.int16, Whole(101, 1, 10_000, "the total that ends the match; 201 where mode=elim201 (O-Y1)"))
    mode = option(
        np.int8, Choice("default", ("default", "elim201"), "end at the limit, or drop out until one is left (RULES.md 5.4)")
    )
    reduction = option(
        np.int8, Choice("halve", ("halve", "minus50"), "which totals are lowered in mode=elim201 (RULES.md 5.4)")
    )
    halve_requires_change = option(np.int8, Flag(True, "whether a total is lowered only in a round that added to it (O-Y2)"))
    joker_pair = option(np.int8, Flag(False, "whether jokers alone are a set (O-Y3)"))
    set_take = option(np.int8, Choice("ends", ("ends", "any"), "which cards of a set the next seat may take (O-Y8)"))
    turn_limit = option(np.int16, Whole(100, 1, 1000, "turns per seat after which a round ends without a call (O-Y10)"))
    max_rounds = option(np.int16, Whole(200, 1, 1000, "rounds after which the match ends (O-Y10)"))
    round_number = number(np.int16)  # from 1
    turns = number(np.int16)  # completed turns of this round
    last_turn = number(np.int16)  # how many turns this round may have at most
    reshuffles = number(np.int16)  # of this round


RECORD = declare(State, SEATS)
STATE, OPTIONS = RECORD.dtype, RECORD.options


@jit
def hand_row(s: State, seat: int) -> int:
    """The hand of a seat as a row."""
    return int(s.hand[seat]) & ROW
