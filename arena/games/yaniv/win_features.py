"""Who of two seats finishes a Yaniv match before the other, with all hands open: the numbers that a network judges it by.

The network is in the folder `luck` beside this file, made by `arena train yaniv --luck`; chance.py asks it. Pairs of seats are
counted from the seat to choose on, and never by their numbers: what a position is worth does not depend on who sits where.
"""

import itertools
import math
from collections.abc import Mapping

import numpy as np

from arena.engine.contract import Features
from arena.engine.jit import jit
from arena.engine.machine import lowest_bit
from arena.engine.options import OptionValue
from arena.games.yaniv.discards import NATURAL_BIT, NO_KINGS, TO_JACKS
from arena.games.yaniv.estimates import best_shed, call_failure, hand_worth, open_worth
from arena.games.yaniv.rows import HAND, RANK, RANKS, ROW, VALUE, hand_value, row_length
from arena.games.yaniv.state import DRAW, MATCH_OVER, ROUND_OVER, SLAP, State, hand_row

LEARNS = (2, 3)
_MOST = 50  # points of five cards


def _steps(*most: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The step of each number of points, from 0 on: the first that reaches so far, or one more."""
    return np.searchsorted(np.array(most), np.arange(_MOST + 1))


_POINTS = _steps(0, 1, 2, 3, 4, 5, 6, 7, 9, 11, 14, 18, 23, 29)
_REST = _steps(0, 1, 2, 3, 4, 5, 7, 9, 10, 13, 17, 22)
_POINT_STEPS, _REST_STEPS = 15, 13
_SWING, _ROUND = 25.0, 8.0  # squared points for each point that the match goes on; points that a round brings
_FAILURE = (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6)  # steps of the chance that a call fails
_THRIFT, _RISK = 0.4, 0.3  # as most players see that chance, and up to which they call
_APART = 6  # points between two hands that are told apart, either way

# A side: numbers; steps of its points, of the points and of the cards left after the best discard; its cards; ranks of which it
# has one, two, three; jokers; cards of one suit that lie next to each other, and with one between; how likely its call fails.
_NUMBERS, _MANY = 10, 3
_SIZES = (_NUMBERS, _POINT_STEPS, _REST_STEPS, HAND, HAND + 1, _MANY * RANKS, 2, RANKS, RANKS, len(_FAILURE) + 1)
_TO_POINTS, _TO_REST, _TO_LEFT, _TO_CARDS, _TO_RANKS, _TO_JOKERS, _TO_NEXT, _TO_GAP, _TO_FAILURE, _SIDE = itertools.accumulate(
    _SIZES
)
_MOMENT = 18
_OPEN = 4  # for each end of the open discard
_MORE = 6 + _POINT_STEPS  # of the other seats
_FIRST, _SECOND, _AT, _APARTS, _ENDS, _OTHERS, WIN_FEATURES = itertools.accumulate(
    (_SIDE, _SIDE, _MOMENT, 4 * (2 * _APART + 1), 2 * _OPEN, _MORE), initial=0
)


@jit
def win_features(s: State, pair: int, out: Features) -> int:
    """Write the numbers of a pair of seats; gives first seat << 4 | second seat, or -1 where there is no such pair.

    In a match that goes on, without seats that dropped out. The first seat of a pair is the one that comes earlier in turn.
    """
    starter = int(s.turn) if s.phase < ROUND_OVER else int(s.starter) + 1
    first, second = 0, pair + 1  # in turn
    while second >= s.seats:
        first += 1
        second += first + 1 - s.seats
        if first + 1 >= s.seats:
            return -1
    own, other = (starter + first) % s.seats, (starter + second) % s.seats
    for i in range(WIN_FEATURES):
        out[i] = 0.0
    width = _lead_width(s)
    _write_side(s, own, _FIRST, out)
    _write_side(s, other, _SECOND, out)
    _write_moment(s, first, second, out)
    lead = float(s.totals[other] - s.totals[own])
    out[_AT + 9] = lead / 50
    out[_AT + 10] = lead / width
    if s.phase < ROUND_OVER:
        mine, theirs = hand_row(s, own), hand_row(s, other)
        worth = open_worth(mine) if s.phase == DRAW and first == 0 else hand_worth(mine)
        out[_AT + 11] = (worth - hand_worth(theirs)) / width
        out[_AT + 12] = (worth - hand_worth(theirs) + lead) / width
        out[_AT + 13] = (worth - hand_worth(theirs)) / 10
        calls = _write_call(s, own, _FIRST, out) <= _RISK
        _write_call(s, other, _SECOND, out)
        _write_apart(s, hand_value(mine), hand_value(theirs), calls, out)
        if first == 0:
            _write_ends(s, mine, out)
    if s.seats > 2:
        _write_others(s, own, other, out)
    return own << 4 | other


@jit
def _lead_width(s: State) -> float:
    """About the standard deviation of what will be added to the difference of two totals until the match ends, in points."""
    highest = 0
    for seat in range(s.seats):
        highest = max(highest, int(s.totals[seat]))
    return math.sqrt(_SWING * (max(0, s.limit - highest) + _ROUND))


@jit
def _write_side(s: State, seat: int, at: int, out: Features) -> None:
    """Write the total of a seat and, within a round, its hand."""
    left = max(0, s.limit - int(s.totals[seat]))
    out[at] = left / 100
    out[at + 1] = min(1.0, left / 30)
    out[at + 2] = min(1.0, left / 10)
    if s.phase >= ROUND_OVER:
        return
    hand = hand_row(s, seat)
    found = best_shed(hand)
    points, rest, cards = found & 255, found >> 16 & 255, found >> 24
    known = int(s.known[seat]) & ROW
    out[at + 3] = points / 25
    out[at + 4] = hand_worth(hand) / 10
    out[at + 5] = rest / 20
    out[at + 6] = points <= s.threshold
    out[at + 7] = row_length(known) / HAND
    out[at + 8] = hand_value(known) / 25
    out[at + 9] = open_worth(hand) / 10
    out[at + _TO_POINTS + _POINTS[min(points, _MOST)]] = 1.0
    out[at + _TO_REST + _REST[min(rest, _MOST)]] = 1.0
    out[at + _TO_LEFT + min(cards, HAND - 1)] = 1.0
    out[at + _TO_CARDS + min(int(s.hand_size[seat]), HAND)] = 1.0
    _write_cards(hand, at, out)


@jit
def _write_cards(hand: int, at: int, out: Features) -> None:
    """Write which ranks a hand holds, how often, and which cards of one suit lie near each other."""
    ranks = suited = 0
    for shift in range(0, 6 * HAND, 6):
        field = hand >> shift & 63
        if field == 0:
            break
        many = ranks >> 4 * RANK[field] & 15
        ranks += 1 << 4 * RANK[field]
        suited |= NATURAL_BIT[field]
        if RANK[field] < RANKS:
            out[at + _TO_RANKS + RANKS * min(many, _MANY - 1) + RANK[field]] = 1.0
        else:
            out[at + _TO_JOKERS + min(many, 1)] = 1.0
    near = suited & suited >> 1 & NO_KINGS
    while near:
        out[at + _TO_NEXT + lowest_bit(near) % RANKS] += 1.0
        near &= near - 1
    near = suited & suited >> 2 & TO_JACKS
    while near:
        out[at + _TO_GAP + lowest_bit(near) % RANKS] += 1.0
        near &= near - 1


@jit
def _write_call(s: State, seat: int, at: int, out: Features) -> float:
    """Write how likely a call of a seat fails by what it knows, if it may call; gives that chance, 1 where it may not."""
    if hand_value(hand_row(s, seat)) > s.threshold:
        return 1.0
    failure = call_failure(s, seat, _THRIFT)
    step = 0
    for most in _FAILURE:
        step += failure > most
    out[at + _TO_FAILURE + step] = 1.0
    return failure


@jit
def _write_moment(s: State, first: int, second: int, out: Features) -> None:
    """Write when this is, and how soon the two seats come to choose."""
    out[_AT] = s.phase == DRAW
    out[_AT + 1] = s.phase == SLAP
    out[_AT + 2] = s.phase == ROUND_OVER
    if s.phase < ROUND_OVER:
        out[_AT + 3] = min(1.0, s.turns / 10)
        out[_AT + 4] = min(1.0, s.turns / 40)
        out[_AT + 5] = s.num_stock / 54
        out[_AT + 6] = s.turns == 0
    out[_AT + 7] = min(s.limit, 300) / 100
    out[_AT + 8] = min(int(s.threshold), 20) / 10
    out[_AT + 14] = first == 0
    out[_AT + 15] = first / 4
    out[_AT + 16] = second / 4
    out[_AT + 17] = (s.seats - 2) / 3


@jit
def _write_apart(s: State, mine: int, theirs: int, calls: bool, out: Features) -> None:
    """Write how many points the second hand has more: at all, where the first seat may call, or will, where the second may."""
    apart = _APART + max(-_APART, min(_APART, theirs - mine))
    steps = 2 * _APART + 1
    out[_APARTS + apart] = 1.0
    if mine <= s.threshold:
        out[_APARTS + steps + apart] = 1.0
    if theirs <= s.threshold:
        out[_APARTS + 2 * steps + apart] = 1.0
    if calls:
        out[_APARTS + 3 * steps + apart] = 1.0


@jit
def _write_ends(s: State, hand: int, out: Features) -> None:
    """Write what the seat to choose may take openly: the points of both ends, and whether they go with its hand."""
    previous = int(s.previous)
    last = previous >> 6 * max(0, row_length(previous) - 1) & 63
    for end in range(2):
        field = previous & 63 if end == 0 else last
        at = _ENDS + end * _OPEN
        if field == 0 or (end == 1 and row_length(previous) < 2):
            continue
        out[at] = 1.0
        out[at + 1] = VALUE[field] / 10
        for place in range(HAND):
            held = hand >> 6 * place & 63
            if held != 0 and RANK[held] == RANK[field]:
                out[at + 2] += 0.5
            elif held != 0 and held < 53 and field < 53 and (held - 1) // RANKS == (field - 1) // RANKS:
                out[at + 3] += 0.5 * (abs(held - field) <= 2)


@jit
def _write_others(s: State, own: int, other: int, out: Features) -> None:
    """Write the least hand, and the totals, of the seats that are not of the pair."""
    least = _MOST
    highest, lowest = 0, int(s.limit)
    for seat in range(s.seats):
        if seat in (own, other):
            continue
        highest = max(highest, int(s.totals[seat]))
        lowest = min(lowest, int(s.totals[seat]))
        if s.phase < ROUND_OVER:
            least = min(least, hand_value(hand_row(s, seat)))
    out[_OTHERS] = (s.limit - highest) / 100
    out[_OTHERS + 1] = min(1.0, max(0, s.limit - highest) / 20)
    out[_OTHERS + 2] = (s.limit - lowest) / 100
    if s.phase < ROUND_OVER:
        out[_OTHERS + 3] = least <= s.threshold
        out[_OTHERS + 4] = least < hand_value(hand_row(s, own))
        out[_OTHERS + 5] = least < hand_value(hand_row(s, other))
        out[_OTHERS + 6 + _POINTS[least]] = 1.0


def asks(resolved: Mapping[str, OptionValue]) -> bool:
    """Whether the network is asked in matches with these options: in those without drop-outs."""
    return resolved["mode"] == "default"


@jit
def has_win_features(s: State) -> bool:
    """Whether the network is asked at this moment: in a match that goes on, without drop-outs."""
    return s.phase != MATCH_OVER and s.mode == 0
