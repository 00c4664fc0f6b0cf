"""The record of a Nertz match: its cards, its options, its fields, and what they mean (RULES.md 4.1, 4.6, 4.8)."""

import numpy as np

from arena.cards import RANKS, SUITS, Deck
from arena.engine.options import Choice, Flag, Part, Whole
from arena.engine.state import array, declare, number, option
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

DELAYS = Delays(
    "latency=declared: ticks per seat for flip, call, foundation, to work, work to work (RULES.md 4.4)", name="delays"
)


class State:
    """The fields of a match."""

    work = array(np.int64, UNITS, PILES)  # card masks: ranks descend from the bottom, so the set gives the order
    laid = array(np.int64, UNITS)  # the unit's cards on the foundations, a mask
    pile_units = array(np.int64, FOUNDATIONS)  # who laid ace, 2, ..: 4 bits each; piles in order of opening
    wanted = number(np.int64)  # the cards that some foundation takes at the start of this tick, a mask
    moves = number(np.int64)  # what everybody saw in the last tick, failed moves too: MOVE_BITS a seat
    priority = number(np.int64, seen_by="nobody")  # seats, the first one first, 4 bits each; 0: as drawn from the seed
    seats = number(np.int64)
    turn = number(np.int64)  # the seat to choose
    seed = array(np.uint32, 4, seen_by="nobody")  # the deal's secret
    due = array(np.int32, MAX_SEATS, seen_by="owner")  # latency: the tick in which `pending` counts
    since = array(np.int32, MAX_SEATS)  # latency: the tick after that in which a running move was chosen; 0 = not busy
    could = array(np.int32, MAX_SEATS)  # latency: what was legal when the running move was chosen, a mask of codes
    totals = array(np.int32, UNITS)
    line = array(
        np.uint8, UNITS, LINE, seen_by="rule"
    )  # waste from the bottom, then stock from the top: a flip only moves the border
    nertz = array(np.int8, UNITS, NERTZ, seen_by="rule")  # card + 1, bottom first
    num_line = array(np.int8, UNITS)
    num_waste = array(np.int8, UNITS)
    num_nertz = array(np.int8, UNITS)
    pending = array(np.int8, MAX_SEATS, seen_by="owner")  # code + 1 of the choice, 0 = none
    pile_suit = array(np.int8, FOUNDATIONS)
    pile_size = array(np.int8, FOUNDATIONS)
    num_piles = number(np.int8)
    phase = number(np.int8)
    caller = number(np.int8)  # seat + 1 of the caller, 0 = none
    teams = option(
        np.int64, Teams("whether two seats share one deck and layout; auto: where there are more than 6 seats (O-Z5)")
    )
    target = option(np.int32, Whole(100, 1, 10_000, "the total that ends the match (O-Z7)"))
    flip = option(np.int8, Whole(3, 1, 35, "cards turned at once from the stock (O-Z8)"))
    call_bonus = option(np.int32, Whole(0, 0, 1000, "points for the unit that calls (O-Z8)"))
    empty_from_work = option(np.int8, Flag(False, "whether the top card of a work pile may go to an empty slot (RULES.md 4.2)"))
    partial_moves = option(np.int8, Flag(True, "whether a part of a work pile may move (O-Z6)"))
    idle_window = option(np.int32, Whole(5, 1, 1000, "ticks in which all seats wait, that make everybody stuck (O-Z10)"))
    stall_window = option(np.int32, Whole(60, 1, 10_000, "ticks without progress that make everybody stuck (O-Z10)"))
    stuck_limit = option(
        np.int32, Whole(3, 0, 1000, "times in a row that everybody may be stuck before a round is blocked (O-Z10)")
    )
    tick_limit = option(np.int32, Whole(20_000, 1, 1_000_000, "ticks after which a round ends without a caller (O-Z10)"))
    max_rounds = option(np.int32, Whole(50, 1, 1000, "rounds after which the match ends (O-Z10)", is_length=True))
    latency = option(np.int8, Choice("none", LATENCIES, "how long moves take (RULES.md 4.4)"))
    delays = array(np.int16, KINDS * MAX_SEATS, option=Part(DELAYS, 1))  # by seat and kind of move
    ms_per_tick = option(
        np.int32, Whole(50, 1, 60_000, "latency=measured: CPU milliseconds of thinking that make a tick (RULES.md 4.4)")
    )
    tick = number(np.int64)  # resolved ticks of this round
    round_number = number(np.int32)  # from 1
    idle = number(np.int32)  # ticks in a row in which all waited
    stall = number(np.int32)  # ticks in a row without progress
    stuck = number(np.int32)  # stuck events since the last progress
    failed = number(np.int16)  # seats whose move failed in the last tick, a mask


RECORD = declare(State, SEATS)
STATE, OPTIONS = RECORD.dtype, RECORD.options
