"""The record of a Nertz match: its cards, its fields, and what they mean (RULES.md 4.1 and 4.6)."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from arena.cards import RANKS, SUITS, Deck
from arena.engine.rng import Seed
from arena.games.nertz.options import KINDS, MAX_SEATS

CARDS = Deck([suit + rank for rank in RANKS for suit in SUITS])
"""Card = 4 * rank + suit, so that the lowest bit of a work pile as a mask is its top card."""
DECK = 52
NO_CARD = 60  # a bit that no mask has
EVERY = (1 << DECK) - 1

UNITS = 6
PILES = 4  # work piles of a unit
NERTZ = 13  # cards dealt to a Nertz pile
LINE = 35  # cards dealt to a stock
FOUNDATIONS = 4 * UNITS
RANK_COUNT = 13

WAIT, FLIP, CALL, NERTZ_FOUND, WASTE_FOUND, WORK_FOUND = range(6)  # codes (RULES.md 4.2)
NERTZ_WORK, WASTE_WORK, WORK_WORK, CODES = 9, 13, 17, 29

PLAY, ROUND_OVER, MATCH_OVER = 0, 1, 2  # phases
DEALING, PRIORITY = 1, 2  # purposes of random streams

CARD = 63  # of a place in the line: card + 1, 0 = hidden or none
SEEN = 64  # its unit has seen it
SHOWN = 128  # everybody has seen it, as the top of the waste
FLAGS = SEEN | SHOWN

MOVE_BITS = 5  # of a seat in the moves of a tick: code + 1, 0 = none
MOVE_MASK = (1 << MOVE_BITS) - 1
BEGUN = 30  # instead of a code + 1: a move that takes more ticks has begun; which one is not seen

STATE = np.dtype((np.record, [
    ("work", "i8", (UNITS, PILES)),  # card masks: ranks descend from the bottom, so the set gives the order
    ("laid", "i8", (UNITS,)),  # the unit's cards on the foundations, a mask
    ("pile_units", "i8", (FOUNDATIONS,)),  # who laid ace, 2, ..: 4 bits each; piles in order of opening
    ("wanted", "i8"),  # the cards that some foundation takes at the start of this tick, a mask
    ("moves", "i8"),  # what everybody saw in the last tick, failed moves too: MOVE_BITS a seat
    ("priority", "i8"),  # seats, the first one first, 4 bits each; 0: as drawn from the seed
    ("seats", "i8"),
    ("turn", "i8"),  # the seat to choose
    ("teams", "i8"),  # 1: two seats are a unit
    ("tick", "i8"),  # resolved ticks of this round
    ("seed", "u4", (4,)),  # the deal's secret
    ("due", "i4", (MAX_SEATS,)),  # latency: the tick in which `pending` counts
    ("since", "i4", (MAX_SEATS,)),  # latency: the tick after that in which a running move was chosen; 0 = not busy
    ("could", "i4", (MAX_SEATS,)),  # latency: what was legal when the running move was chosen, a mask of codes
    ("totals", "i4", (UNITS,)),
    ("target", "i4"),
    ("call_bonus", "i4"),
    ("idle_window", "i4"),
    ("stall_window", "i4"),
    ("stuck_limit", "i4"),
    ("tick_limit", "i4"),
    ("max_rounds", "i4"),
    ("ms_per_tick", "i4"),
    ("round_number", "i4"),  # from 1
    ("idle", "i4"),  # ticks in a row in which all waited
    ("stall", "i4"),  # ticks in a row without progress
    ("stuck", "i4"),  # stuck events since the last progress
    ("delays", "i2", (KINDS * MAX_SEATS,)),  # by seat and kind of move
    ("failed", "i2"),  # seats whose move failed in the last tick, a mask
    ("line", "u1", (UNITS, LINE)),  # waste from the bottom, then stock from the top: a flip only moves the border
    ("nertz", "i1", (UNITS, NERTZ)),  # card + 1, bottom first
    ("num_line", "i1", (UNITS,)),
    ("num_waste", "i1", (UNITS,)),
    ("num_nertz", "i1", (UNITS,)),
    ("pending", "i1", (MAX_SEATS,)),  # code + 1 of the choice, 0 = none
    ("pile_suit", "i1", (FOUNDATIONS,)),
    ("pile_size", "i1", (FOUNDATIONS,)),
    ("num_piles", "i1"),
    ("phase", "i1"),
    ("caller", "i1"),  # seat + 1 of the caller, 0 = none
    ("flip", "i1"),
    ("empty_from_work", "i1"),
    ("partial_moves", "i1"),
    ("latency", "i1"),
]))  # fmt: skip


class State(Protocol):
    """The fields of STATE, for the type checker."""

    work: NDArray[np.int64]
    laid: NDArray[np.int64]
    pile_units: NDArray[np.int64]
    wanted: int
    moves: int
    priority: int
    seats: int
    turn: int
    teams: int
    tick: int
    seed: Seed
    due: NDArray[np.int32]
    since: NDArray[np.int32]
    could: NDArray[np.int32]
    totals: NDArray[np.int32]
    target: int
    call_bonus: int
    idle_window: int
    stall_window: int
    stuck_limit: int
    tick_limit: int
    max_rounds: int
    ms_per_tick: int
    round_number: int
    idle: int
    stall: int
    stuck: int
    delays: NDArray[np.int16]
    failed: int
    line: NDArray[np.uint8]
    nertz: NDArray[np.int8]
    num_line: NDArray[np.int8]
    num_waste: NDArray[np.int8]
    num_nertz: NDArray[np.int8]
    pending: NDArray[np.int8]
    pile_suit: NDArray[np.int8]
    pile_size: NDArray[np.int8]
    num_piles: int
    phase: int
    caller: int
    flip: int
    empty_from_work: int
    partial_moves: int
    latency: int
