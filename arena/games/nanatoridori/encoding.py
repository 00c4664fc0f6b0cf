"""Nana Toridori as numbers for learning programs: what a seat knows, and what its actions make of its hand (docs/encodings.md).

Seats are counted from the own one: 0 is the own seat, 1 its left neighbour. A hand is written run by run, as runs are what is
played. How many turns a hand still takes (estimates.py) is written for each action, as a small network hardly finds it.
"""

import itertools

import numpy as np

from arena.engine.contract import Actions, Features
from arena.engine.encoding import Plane
from arena.engine.jit import jit
from arena.engine.machine import stack_array
from arena.games.nanatoridori.estimates import HURRY, MORE, MOST_CARDS, SINGLE, STEP, Cards, plan
from arena.games.nanatoridori.knowledge import sees_drawn
from arena.games.nanatoridori.memory import known_blocks, known_cards
from arena.games.nanatoridori.rollout import CONSTANTS, LONGEST, _insert, _with, _without
from arena.games.nanatoridori.state import (
    ADVANCED,
    COPIES,
    DRAWN,
    DROP,
    DUEL,
    FIRST,
    FRONTS,
    KIND,
    MARKS,
    MAX_SEATS,
    PASS,
    PLAYS,
    ROUND_OVER,
    ROW,
    SECOND,
    TAKE,
    TOSS,
    VALUES,
    State,
)

RUNS = 12
"""So many runs of the hand are written, the leftmost ones; only a hand that is played badly has more."""
_RUN = VALUES + 3  # per run
DISCARDS = 4  # mostly the plays of the last trick, and cards that were tossed
_COUNTS = 5  # of cards on the table: 1, 2, 3, 4, more

PLANES = (
    Plane("phase", 4, "play or pass, take or drop, keep or toss, the round is over"),
    Plane("variant", 3, "basic, advanced, duel"),
    Plane("turn", MAX_SEATS, "whose turn it is; empty when the round is over"),
    Plane("owner", MAX_SEATS, "who played the cards on the table"),
    Plane("active", MAX_SEATS, "who holds cards"),
    Plane("first", MAX_SEATS, "who went out first in this round"),
    Plane("sizes", MAX_SEATS, "the cards in each hand, of 16; at most 1"),
    Plane("totals", MAX_SEATS, "the penguins of each seat, of 2; in the advanced rules its points, of 12"),
    Plane("passes", 2, "the passes since the last play, of 5; one more clears the table"),
    Plane("table_value", VALUES, "the value of the cards on the table"),
    Plane("table_count", _COUNTS + 1, "how many cards lie on the table: 1, 2, 3, 4, more; then the same of 9"),
    Plane("block", VALUES + 1, "cards that may be taken: their value, and how many of 9"),
    Plane("drawn", VALUES, "the card that was drawn, if the seat knows it"),
    Plane(
        "runs",
        RUNS * _RUN,
        "for each run of the hand from the left, at most 12: its value; its length (of 9); it can beat the table, with front"
        " cards if need be; the runs on both sides of it have one value",
    ),
    Plane(
        "values",
        4 * VALUES,
        "for each value: own cards, the longest run (each of 9), the number of runs (of 4; at most 1); then the cards that this"
        " seat cannot place (of 9)",
    ),
    Plane("known", MAX_SEATS * VALUES, "for each seat and value the cards that everybody knows to be in that hand, of 9"),
    Plane("fronts", 2 * VALUES + 1, "a duel: the own front cards by value, those of the other, face-down ones (each of 2)"),
    Plane("stock", 1, "cards in the stock, of 39"),
    Plane("hand", 5, "runs, single cards (each of 12; at most 1), turns that they take one by one (of 16; at most 1); the hand"
          " can beat the table; it can be played as a whole"),
    Plane("options", 6, "next_start: loser, rotate, random, winner; duel_penguins=2; front_visible"),
    Plane("starter", MAX_SEATS, "who started this round"),
    Plane("blocks", MAX_SEATS * VALUES, "for each seat and value the largest block that all know to be in that hand, of 9"),
    Plane("block_counts", MAX_SEATS * VALUES, "for each seat and value how many such blocks there are, of 9"),
    Plane("discards", DISCARDS * (VALUES + 1), "the last cards on the discard pile, equal ones together, the last first: their"
          " value, and how many of 9"),
)  # fmt: skip
ACTION_PLANES = (
    Plane("kind", 6, "play, pass, take, drop, keep, toss"),
    Plane("value", VALUES, "the value of the cards that are played, taken, dropped, kept, tossed, or taken up from in front"),
    Plane("count", 2, "how many cards those are (of 9), front cards that are played (of 2)"),
    Plane("margin", 1, "a play: how many more cards than on the table, of 9"),
    Plane("out", 1, "a play of the whole hand"),
    Plane("place", 1, "where in the hand: the leftmost card of the run, or the gap, of 63"),
    Plane("neighbours", 2 * VALUES, "the values of the cards on the left and on the right of those cards, or of the gap"),
    Plane("run", 4, "a play of a whole run; its neighbours meet; cards that join a run; cards that split one"),
    Plane(
        "left", 2, "the hand after the action: cards (of 16), runs (of 12), at most 1 each; a card from the stock not counted"
    ),
    Plane("turns", 1, "turns that this hand takes in the best order of plays, of 16; at most 1"),
    Plane("saved", 1, "turns fewer than before, of 4, within -1 and 1", -1.0),
)
CODES: tuple[int, ...] | None = None
"""The game has about two thousand action codes."""

(
    _PHASE, _VARIANT, _TURN, _OWNER, _ACTIVE, _FIRST_OUT, _SIZES, _TOTALS, _PASSES, _TABLE_VALUE, _TABLE_COUNT, _BLOCK, _DRAWN,
    _RUNS, _VALUES, _KNOWN, _FRONTS, _STOCK, _HAND, _OPTIONS,
    _STARTER, _BLOCKS, _BLOCK_COUNTS, _DISCARDS, _SIZE,
) = itertools.accumulate((plane.size for plane in PLANES), initial=0)  # fmt: skip
_KIND, _VALUE, _COUNT, _MARGIN, _OUT, _PLACE, _NEIGHBOURS, _RUN_CHANGE, _LEFT, _TURNS, _SAVED, _ACTION_SIZE = (
    itertools.accumulate((plane.size for plane in ACTION_PLANES), initial=0)
)
_ALL = sum(COPIES << 4 * value for value in range(1, VALUES + 1))  # cards by value, four bits each
_SINGLE, _STEP, _MORE, _HURRY = (CONSTANTS[place].default for place in (SINGLE, STEP, MORE, HURRY))
_OF_COPIES, _OF_SIZE, _OF_RUNS, _OF_STOCK = 1 / COPIES, 1 / 16, 1 / RUNS, 1 / 39  # factors: a division takes longer
_OF_POINTS, _OF_PENGUINS, _OF_PASSES, _OF_PLACES = 1 / 12, 1 / 2, 1 / (MAX_SEATS - 1), 1 / ((1 << ROW) - 1)


@jit
def encode(s: State, seat: int, out: Features) -> None:
    """Write what `seat` knows: PLANES says what stands where."""
    out[:] = 0.0
    _write_seats(s, seat, out)
    _write_table(s, seat, out)
    cards = _write_hand(s, seat, out)
    _write_unseen(s, seat, cards, out)
    _write_discards(s, out)


@jit
def action_features(s: State, seat: int, actions: Actions, count: int, out: Features) -> None:
    """Write what each action makes of the hand: ACTION_PLANES says what stands where."""
    constants = stack_array(4, np.float64)
    constants[SINGLE] = _SINGLE
    constants[STEP] = _STEP
    constants[MORE] = _MORE
    constants[HURRY] = _HURRY
    hand = s.hand[seat << ROW : (seat << ROW) + LONGEST]
    size = s.hand_size[seat]
    rest = stack_array(MOST_CARDS, np.int8)
    now = plan(hand, size, constants)
    runs = 1 if size > 0 else 0
    for place in range(1, size):
        runs += hand[place] != hand[place - 1]
    for i in range(count):
        row = out[i]
        row[:] = 0.0
        action = int(actions[i])
        kind = action >> KIND
        place = action >> FIRST & 63
        row[_KIND + kind] = 1.0
        left_cards, left_runs, turns = size, runs, now
        value = cards = 0
        if kind == PLAYS:
            value = int(hand[place])
            cards = action >> SECOND & 63
            left_cards = _without(hand, size, place, cards, rest)
            turns = plan(rest, left_cards, constants)
            before, after = _write_neighbours(hand, size, place, place + cards, row)
            left_runs = runs - (after != value) - (after != value and 0 < before == after)
            row[_COUNT + 1] = (action & 3) * 0.5
            row[_MARGIN] = (cards + (action & 3) - s.table_count) * _OF_COPIES
            row[_OUT] = left_cards == 0
            row[_RUN_CHANGE] = after != value
            row[_RUN_CHANGE + 1] = after != value and 0 < before == after
            cards += action & 3
        elif kind == PASS:
            if place > 0:
                value, cards = place, 1
                turns = _with(hand, size, place, 1, constants)
                left_cards += 1
        else:
            value, cards = (s.beaten_value, s.beaten_count) if s.phase == TAKE else (s.drawn, 1)
            if kind not in (DROP, TOSS):
                _insert(hand, size, place, value, cards, rest)
                left_cards = size + cards
                turns = plan(rest, left_cards, constants)
                before, after = _write_neighbours(hand, size, place, place, row)
                joins = value in (before, after)
                splits = 0 < before == after and not joins
                left_runs = runs + 1 - joins + splits
                row[_RUN_CHANGE + 2] = joins
                row[_RUN_CHANGE + 3] = splits
        if value > 0:
            row[_VALUE + value - 1] = 1.0
        row[_COUNT] = cards * _OF_COPIES
        row[_LEFT] = min(1.0, left_cards * _OF_SIZE)
        row[_LEFT + 1] = min(1.0, left_runs * _OF_RUNS)
        row[_TURNS] = max(0.0, min(1.0, turns * _OF_SIZE))
        row[_SAVED] = max(-1.0, min(1.0, (now - turns) * 0.25))


@jit
def _write_neighbours(hand: Cards, size: int, first: int, end: int, row: Features) -> tuple[int, int]:
    """Write where the cards from `first` up to `end` lie, and between which others; returns the values of these, 0 = none."""
    before = int(hand[first - 1]) if first > 0 else 0
    after = int(hand[end]) if end < size else 0
    row[_PLACE] = first * _OF_PLACES
    if before > 0:
        row[_NEIGHBOURS + before - 1] = 1.0
    if after > 0:
        row[_NEIGHBOURS + VALUES + after - 1] = 1.0
    return before, after


@jit
def _write_seats(s: State, seat: int, out: Features) -> None:
    """Write what is public about each seat, and the options."""
    is_over = s.phase >= ROUND_OVER
    total = _OF_POINTS if s.variant == ADVANCED else _OF_PENGUINS
    near = s.seats - seat if seat > 0 else 0  # of seat 0
    for player in range(s.seats):
        size = s.hand_size[player]
        out[_ACTIVE + near] = size > 0
        out[_SIZES + near] = min(1.0, size * _OF_SIZE)
        out[_TOTALS + near] = min(1.0, s.totals[player] * total)
        out[_TURN + near] = player == s.turn and not is_over
        out[_OWNER + near] = player == s.table_owner and s.table_count > 0
        out[_FIRST_OUT + near] = s.num_out > 0 and player == s.out[0]
        out[_STARTER + near] = player == s.starter
        near = near + 1 if near + 1 < s.seats else 0
    out[_PHASE + min(s.phase, ROUND_OVER)] = 1.0
    out[_VARIANT + s.variant] = 1.0
    out[_OPTIONS + int(s.next_start)] = 1.0
    out[_OPTIONS + 4] = s.duel_penguins == 2
    out[_OPTIONS + 5] = s.front_visible


@jit
def _write_table(s: State, seat: int, out: Features) -> None:
    """Write the cards on the table, those that may be taken or kept, the stock, front cards."""
    if s.table_count > 0:
        out[_TABLE_VALUE + s.table_value - 1] = 1.0
        out[_TABLE_COUNT + min(s.table_count, _COUNTS) - 1] = 1.0
        out[_TABLE_COUNT + _COUNTS] = s.table_count * _OF_COPIES
        out[_PASSES] = s.passes * _OF_PASSES
        out[_PASSES + 1] = s.passes + 1 >= s.seats - s.num_out - (s.hand_size[s.table_owner] > 0)
    if s.beaten_count > 0:
        out[_BLOCK + s.beaten_value - 1] = 1.0
        out[_BLOCK + VALUES] = s.beaten_count * _OF_COPIES
    if s.drawn > 0:
        out[_DRAWN + s.drawn - 1] = 1.0
    if s.variant == DUEL:
        for player in range(2):
            at = _FRONTS if player == seat else _FRONTS + VALUES
            for i in range(s.num_fronts[player]):
                value = int(s.fronts[FRONTS * player + i])
                out[at + value - 1 if value > 0 else _FRONTS + 2 * VALUES] += 0.5
    else:
        out[_STOCK] = s.num_stock * _OF_STOCK


@jit
def _write_hand(s: State, seat: int, out: Features) -> int:
    """Write the own hand by run and by value; returns how many cards of each value it holds, four bits each."""
    first = seat << ROW
    size = s.hand_size[seat]
    fronts = 0  # of each value, four bits each, like the next three
    for i in range(s.num_fronts[seat]):
        fronts += 1 << 4 * int(s.fronts[FRONTS * seat + i])
    cards = longest = runs = 0
    number = singles = 0
    can_beat = can_finish = False
    turns = 0.0
    start = before = 0
    while start < size:
        value = int(s.hand[first + start])
        end = start + 1
        while end < size and s.hand[first + end] == value:
            end += 1
        length = end - start
        shift = 4 * value
        cards += length << shift
        longest += max(0, length - (longest >> shift & 15)) << shift
        runs += 1 << shift
        beats = length + (fronts >> shift & 15) + (value > s.table_value) > s.table_count
        can_beat |= beats
        can_finish = beats and length == size
        singles += length == 1
        turns += _HURRY * length + max(0.0, _SINGLE - _STEP * value - _MORE * (length - 1))
        if number < RUNS:
            at = _RUNS + number * _RUN
            out[at + value - 1] = 1.0
            out[at + VALUES] = length * _OF_COPIES
            out[at + VALUES + 1] = beats
            out[at + VALUES + 2] = start > 0 and end < size and s.hand[first + end] == before
        number += 1
        before = value
        start = end
    for value in range(1, VALUES + 1):
        out[_VALUES + value - 1] = (cards >> 4 * value & 15) * _OF_COPIES
        out[_VALUES + VALUES + value - 1] = (longest >> 4 * value & 15) * _OF_COPIES
        out[_VALUES + 2 * VALUES + value - 1] = min(1.0, (runs >> 4 * value & 15) * 0.25)
    out[_HAND] = min(1.0, number * _OF_RUNS)
    out[_HAND + 1] = min(1.0, singles * _OF_RUNS)
    out[_HAND + 2] = min(1.0, turns * _OF_SIZE)
    out[_HAND + 3] = can_beat
    out[_HAND + 4] = can_finish
    return cards


@jit
def _write_unseen(s: State, seat: int, cards: int, out: Features) -> None:
    """Write what is known of hands, and how many cards of each value the seat cannot place. `cards`: its own ones."""
    left = _ALL - cards - (s.table_count << 4 * s.table_value) - (s.beaten_count << 4 * s.beaten_value)
    if s.phase == DRAWN and sees_drawn(s, seat):
        left -= 1 << 4 * s.drawn
    for i in range(s.num_discard):
        left -= 1 << 4 * int(s.discard[i])
    near = s.seats - seat if seat > 0 else 0  # of seat 0
    for player in range(s.seats):
        if s.variant == DUEL:
            for i in range(s.num_fronts[player]):
                value = int(s.fronts[FRONTS * player + i])
                left -= (value > 0) << 4 * value
        for value in range(1, VALUES + 1):
            if s.known[(player << MARKS) + value] != 0:
                known = known_cards(s, player, value)
                out[_KNOWN + VALUES * near + value - 1] = known * _OF_COPIES
                _write_blocks(s, player, value, out, VALUES * near + value - 1)
                if player != seat:
                    left -= known << 4 * value
        near = near + 1 if near + 1 < s.seats else 0
    for value in range(1, VALUES + 1):
        out[_VALUES + 3 * VALUES + value - 1] = (left >> 4 * value & 15) * _OF_COPIES


@jit
def _write_blocks(s: State, player: int, value: int, out: Features, place: int) -> None:
    """Write which blocks of a value are known in a hand."""
    for size in range(1, COPIES + 1):
        count = known_blocks(s, player, value, size)
        out[_BLOCK_COUNTS + place] += np.float32(count * _OF_COPIES)
        if count > 0:
            out[_BLOCKS + place] = size * _OF_COPIES


@jit
def _write_discards(s: State, out: Features) -> None:
    """Write the last cards on the discard pile."""
    left = s.num_discard
    for i in range(DISCARDS):
        if left == 0:
            break
        end, value = left, int(s.discard[left - 1])
        while left > 0 and s.discard[left - 1] == value:
            left -= 1
        at = _DISCARDS + i * (VALUES + 1)
        out[at + value - 1] = 1.0
        out[at + VALUES] = (end - left) * _OF_COPIES
