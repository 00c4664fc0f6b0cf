"""The record of a Nana Toridori match: its options, its fields, and what their numbers mean (RULES.md 1.1, 1.6)."""

import numpy as np

from arena.engine.options import Choice, Flag
from arena.engine.state import array, declare, number, option

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

AUTO, BASIC, ADVANCED, DUEL = -1, 0, 1, 2  # variants; AUTO is resolved before a match
LOSER, ROTATE, RANDOM, WINNER = 0, 1, 2, 3  # next_start
TURN, TAKE, DRAWN, ROUND_OVER, MATCH_OVER = 0, 1, 2, 3, 4  # phases

PLAYS, PASS, TAKES, DROP, KEEPS, TOSS = 0, 1, 2, 3, 4, 5  # kinds of actions, in canonical order
KIND, FIRST, SECOND = 14, 8, 2  # shifts: an action is kind, a (6 bits), b (6 bits), f (2 bits); see RULES.md 1.6

ROW = 6  # a hand's cards lie from seat << ROW on
MARKS = 3  # the blocks of one value known in a hand lie from seat << MARKS on


class State:
    """The fields of a match."""

    seats = number(np.int64)  # wide, like all numbers below: compiled functions of them have one signature
    turn = number(np.int64)
    phase = number(np.int64)
    starter = number(np.int64)
    round_number = number(np.int64)  # from 1
    num_stock = number(np.int64)
    num_discard = number(np.int64)
    table_value = number(np.int64)  # 0 = the table is empty, as in the next two
    table_count = number(np.int64)
    table_owner = number(np.int64)
    beaten_value = number(np.int64)  # TAKE: the block that may be taken
    beaten_count = number(np.int64)
    drawn = number(np.int64, seen_by="rule")  # DRAWN: the card that may be kept
    passes = number(np.int64)  # since the last play
    num_out = number(np.int64)
    variant = option(
        np.int64,
        Choice("auto", ("auto", "basic", "advanced", "duel"), "which rules; auto: duel for 2 seats, else basic (1.2)"),
        stored=(AUTO, BASIC, ADVANCED, DUEL),
    )
    next_start = option(np.int64, Choice("loser", ("loser", "rotate", "random", "winner"), "who starts the next round (O-N2)"))
    duel_penguins = option(
        np.int64,
        Choice(1, (1, 2), "penguins of each seat in a duel: how many lost rounds lose the match (O-N5)"),
        stored=(1, 2),
    )
    front_visible = option(np.int64, Flag(True, "whether the front cards of a duel lie open (O-N6)"))
    totals = array(np.int64, MAX_SEATS)  # penguins, or points
    hand_size = array(np.int64, MAX_SEATS)
    out = array(np.int64, MAX_SEATS)  # seats in the order in which they went out
    num_fronts = array(np.int64, MAX_SEATS)
    known = array(np.int32, MAX_SEATS << MARKS)  # by seat and value: blocks that everybody knows to be in that hand (memory.py)
    seed = array(np.uint32, 4, seen_by="nobody")  # the deal's secret
    hand = array(np.int8, MAX_SEATS << ROW, seen_by="owner")  # by seat: card values in the order of the hand
    fronts = array(np.int8, FRONTS * MAX_SEATS, seen_by="rule")  # by seat: front cards
    stock = array(np.int8, DECK, seen_by="nobody")  # bottom first; in a duel the cards that are not used
    discard = array(np.int8, DECK)  # in the order of discarding


RECORD = declare(State, SEATS)
STATE, OPTIONS = RECORD.dtype, RECORD.options
