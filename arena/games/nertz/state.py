"""The record of a Nertz match: its cards, its options, its fields, and what they mean (RULES.md 4.1, 4.6, 4.8)."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from arena.cards import RANKS, SUITS, Deck
from arena.engine.options import Choice, Flag, Option, Whole
from arena.engine.rng import Seed
from arena.games.nertz.options import KINDS, LATENCIES, MAX_SEATS, Delays, Teams

CARDS = Deck([suit + rank for rank in RANKS for suit in SUITS])
"""Card = 4 * rank + suit, so that the lowest bit of a work pile as a mask is its top card."""
DECK = 52
NO_CARD = 60  # a bit that no mask has
EVERY = (1 << DECK) - 1

SEATS = (2, 3, 4, 5, 6, 8, 10, 12)
UNITS = 6
PILES = 4  # work piles of a unit
NERTZ = 13  # cards dealt to a Nertz pile
LINE = 35  # cards dealt to a stock
FOUNDATIONS = 4 * UNITS
RANK_COUNT = 13

WAIT, FLIP, CALL, NERTZ_FOUND, WASTE_FOUND, WORK_FOUND = range(6)  # codes (RULES.md 4.2)
NERTZ_WORK, WASTE_WORK, WORK_WORK, CODES = 9, 13, 17, 29
MAX_ACTIONS = CODES

PLAY, ROUND_OVER, MATCH_OVER = 0, 1, 2  # phases
DEALING, PRIORITY = 1, 2  # purposes of random streams

CARD = 63  # of a place in the line: card + 1, 0 = hidden or none
SEEN = 64  # its unit has seen it
SHOWN = 128  # everybody has seen it, as the top of the waste
FLAGS = SEEN | SHOWN

MOVE_BITS = 5  # of a seat in the moves of a tick: code + 1, 0 = none
MOVE_MASK = (1 << MOVE_BITS) - 1
BEGUN = 30  # instead of a code + 1: a move that takes more ticks has begun; which one is not seen

OPTIONS: tuple[Option, ...] = (
    Teams("teams", "whether two seats share one deck and layout; auto: where there are more than 6 seats (O-Z5)"),
    Whole("target", 100, 1, 10_000, "the total that ends the match (O-Z7)"),
    Whole("flip", 3, 1, 35, "cards turned at once from the stock (O-Z8)"),
    Whole("call_bonus", 0, 0, 1000, "points for the unit that calls (O-Z8)"),
    Flag("empty_from_work", False, "whether the top card of a work pile may go to an empty slot (RULES.md 4.2)"),
    Flag("partial_moves", True, "whether a part of a work pile may move (O-Z6)"),
    Whole("idle_window", 5, 1, 1000, "ticks in which all seats wait, that make everybody stuck (O-Z10)"),
    Whole("stall_window", 60, 1, 10_000, "ticks without progress that make everybody stuck (O-Z10)"),
    Whole("stuck_limit", 3, 0, 1000, "times in a row that everybody may be stuck before a round is blocked (O-Z10)"),
    Whole("tick_limit", 20_000, 1, 1_000_000, "ticks after which a round ends without a caller (O-Z10)"),
    Whole("max_rounds", 50, 1, 1000, "rounds after which the match ends (O-Z10)", is_length=True),
    Choice("latency", "none", LATENCIES, "how long moves take (RULES.md 4.4)"),
    Delays("delays", "latency=declared: ticks per seat for flip, call, foundation, to work, work to work (RULES.md 4.4)"),
    Whole("ms_per_tick", 50, 1, 60_000, "latency=measured: CPU milliseconds of thinking that make a tick (RULES.md 4.4)"),
)

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
