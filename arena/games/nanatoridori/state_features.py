"""Nana Toridori for networks that learn: a duel with both hands open, and what a seat imagines (arena/engine/contract.py)."""

import itertools

import numpy as np

from arena.engine.contract import Features, Numbers
from arena.engine.jit import jit
from arena.engine.machine import stack_array
from arena.games.nanatoridori.estimates import plan
from arena.games.nanatoridori.memory import known_cards
from arena.games.nanatoridori.rollout import CONSTANTS, LONGEST
from arena.games.nanatoridori.state import COPIES, DRAWN, FRONTS, ROW, TAKE, VALUES, State

LEARNS = (2,)
_COUNTS = 5  # of cards on the table: 1, 2, 3, 4, more
# A hand: its cards, runs, single cards, turns by `plan`, strongest play, cards that lie beside an equal one, whether it beats
# the table; then for each value its cards, its longest run, the front cards.
_SIDE = 7 + 3 * VALUES
# The table: value, number of cards, whether the seat itself played them; the phase; a block or a card drawn: value and number.
_TABLE = VALUES + _COUNTS + 1 + 4 + VALUES + 1
STATE_FEATURES = 2 * _SIDE + _TABLE
BELIEF_FEATURES = 2 * _SIDE + _TABLE + 3 * VALUES + 2
_OWN, _OTHER, _AT_TABLE, _RUNS, _KNOWN, _GONE, _LATE = itertools.accumulate(
    (_SIDE, _SIDE, _TABLE, VALUES, VALUES, VALUES), initial=0
)
_PRICES = tuple(constant.default for constant in CONSTANTS[:4])
_NUMBER_OF_PRICES = len(_PRICES)
_OF_COPIES, _OF_SIZE, _OF_RUNS, _OF_TURNS = 1 / 4, 1 / 12, 1 / 12, 1 / 8


@jit
def state_features(s: State, seat: int, out: Features) -> None:
    """Both hands, the own one first, and the table."""
    for i in range(STATE_FEATURES):
        out[i] = 0.0
    prices = stack_array(_NUMBER_OF_PRICES, np.float64)
    for i in range(_NUMBER_OF_PRICES):
        prices[i] = _PRICES[i]
    _write_side(s, seat, _OWN, prices, out)
    _write_side(s, 1 - seat, _OTHER, prices, out)
    _write_table(s, seat, out)


@jit
def belief_features(s: State, seat: int, out: Features) -> None:
    """The same; then the imagined hand's runs, its known cards, the discards by value, and how long the round has lasted."""
    for i in range(STATE_FEATURES, BELIEF_FEATURES):
        out[i] = 0.0
    state_features(s, seat, out)
    other = 1 - seat
    before = 0
    for i in range(other << ROW, (other << ROW) + s.hand_size[other]):
        value = int(s.hand[i])
        if value != before:
            out[_RUNS + value - 1] += 0.25
        before = value
    for value in range(1, VALUES + 1):
        out[_KNOWN + value - 1] = known_cards(s, other, value) * _OF_COPIES
    for i in range(s.num_discard):
        out[_GONE + int(s.discard[i]) - 1] += 1 / COPIES
    out[_LATE] = s.num_discard / 32
    out[_LATE + 1] = s.turn == seat


@jit
def _write_side(s: State, seat: int, at: int, prices: Numbers, out: Features) -> None:
    """Write one hand with its front cards."""
    first = seat << ROW
    size = s.hand_size[seat]
    values = at + 7
    fronts = values + 2 * VALUES
    for i in range(s.num_fronts[seat]):
        value = int(s.fronts[FRONTS * seat + i])
        if value > 0:
            out[fronts + value - 1] += 0.5
    runs = singles = joined = start = 0
    strongest = 0.0
    beats = False
    while start < size:
        value = int(s.hand[first + start])
        end = start + 1
        while end < size and s.hand[first + end] == value:
            end += 1
        length = end - start
        place = values + value - 1
        out[place] += length * _OF_COPIES
        out[place + VALUES] = max(out[place + VALUES], length * _OF_COPIES)
        strength = length + 2 * float(out[fronts + value - 1]) + 0.1 * value
        strongest = max(strongest, strength)
        beats |= length + 2 * out[fronts + value - 1] + (value > s.table_value) > s.table_count
        runs += 1
        singles += length == 1
        joined += length - 1
        start = end
    out[at] = size * _OF_SIZE
    out[at + 1] = runs * _OF_RUNS
    out[at + 2] = singles * _OF_RUNS
    out[at + 3] = plan(s.hand[first : first + LONGEST], size, prices) * _OF_TURNS
    out[at + 4] = strongest * _OF_COPIES
    out[at + 5] = joined * _OF_SIZE
    out[at + 6] = beats


@jit
def _write_table(s: State, seat: int, out: Features) -> None:
    """Write the cards on the table, those to be taken or kept, and who is to choose in which phase."""
    at = _AT_TABLE
    if s.table_count > 0:
        out[at + s.table_value - 1] = 1.0
        out[at + VALUES + min(s.table_count, _COUNTS) - 1] = 1.0
        out[at + VALUES + _COUNTS] = 1.0 if s.table_owner == seat else -1.0
    at += VALUES + _COUNTS + 1
    out[at] = 1.0 if s.turn == seat else -1.0
    out[at + 1] = (s.phase == TAKE) * out[at]
    out[at + 2] = (s.phase == DRAWN) * out[at]
    out[at + 3] = s.table_count == 0
    value, count = (s.beaten_value, s.beaten_count) if s.phase == TAKE else (s.drawn, 1)
    if value > 0:
        out[at + 4 + value - 1] = 1.0
        out[at + 4 + VALUES] = count * _OF_COPIES
