"""Yaniv for networks that learn: two hands open, and what a seat imagines (arena/engine/contract.py)."""

import itertools

from arena.engine.contract import Features
from arena.engine.jit import jit
from arena.games.yaniv.estimates import best_shed, hand_worth, open_worth, without
from arena.games.yaniv.rows import RANK, RANKS, VALUE, hand_value
from arena.games.yaniv.state import DRAW, FRESH, ORIGINS, SLAP, TAKEN, State, hand_row

LEARNS = (2,)
_STEPS = (2, 4, 6, 8, 11, 15, 20, 26)  # points of a hand, at most; more than the last one is a step of its own
# A hand: its points, cards, worth at the end of a turn and in the middle of one, whether it may call, total, cards that came
# from the stock, cards that everybody knows and their points; then its step of points, and its cards by rank, jokers last.
_SIDE = 9 + len(_STEPS) + 1 + RANKS + 1
_MOMENT = 8
STATE_FEATURES = 2 * _SIDE + _MOMENT
_TOLD = 6  # what the other's last discard tells of its imagined hand, in belief features
BELIEF_FEATURES = STATE_FEATURES + _TOLD
_OWN, _OTHER, _AT = itertools.accumulate((_SIDE, _SIDE), initial=0)


@jit
def state_features(s: State, seat: int, out: Features) -> None:
    """Both hands, the own one first, and the moment of the round."""
    for i in range(STATE_FEATURES):
        out[i] = 0.0
    _write_side(s, seat, _OWN, out)
    _write_side(s, 1 - seat, _OTHER, out)
    sign = 1.0 if s.turn == seat else -1.0
    out[_AT] = sign
    out[_AT + 1] = sign * (s.phase == DRAW)
    out[_AT + 2] = sign * (s.phase == SLAP)
    out[_AT + 3] = min(1.0, s.turns / 20)
    out[_AT + 4] = s.num_stock / 54
    mine, theirs = hand_value(hand_row(s, seat)), hand_value(hand_row(s, 1 - seat))
    out[_AT + 5] = 1.0 if mine < theirs else -1.0 if mine > theirs else 0.0
    out[_AT + 6] = max(-1.0, min(1.0, (theirs - mine) / 16))
    out[_AT + 7] = VALUE[int(s.previous) & 63] / 10


@jit
def belief_features(s: State, seat: int, out: Features) -> None:
    """Write what `state_features` writes: what the seat knows of the other hand is written beside what it imagines."""
    state_features(s, seat, out)
    for i in range(_TOLD):
        out[STATE_FEATURES + i] = 0.0
    if s.turns > 0 and s.phase <= SLAP and s.turn == seat:
        _write_told(s, 1 - seat, out)


@jit
def _write_told(s: State, other: int, out: Features) -> None:
    """Whether the other could have called instead of its last discard, and how many points more it could have shed.

    Before that discard it had what it holds, less one card that it drew since: a hidden one, or one that everybody knows. Of
    each kind the mean over the cards that it may have drawn, and of the points the least as well.
    """
    hand = hand_row(s, other)
    value = hand_value(hand)
    size = int(s.hand_size[other])
    previous = int(s.previous)
    laid = hand_value(previous)
    origins = int(s.origin[other]) & ORIGINS
    for kind in range(2):
        at = STATE_FEATURES + 3 * kind
        count = 0
        least = 50
        for place in range(size):
            if (origins >> 2 * place & 3 == TAKEN) != (kind == 1):
                continue
            drawn = VALUE[hand >> 6 * place & 63]
            before = without(hand, 1 << place) | previous << 6 * (size - 1)
            more = value - drawn - (best_shed(before) >> 16 & 255)
            count += 1
            least = min(least, more)
            out[at] += value - drawn + laid <= s.threshold
            out[at + 1] += more / 10
        if count > 0:
            out[at] /= count
            out[at + 1] /= count
            out[at + 2] = least / 10


@jit
def _write_side(s: State, seat: int, at: int, out: Features) -> None:
    """Write one hand."""
    hand = hand_row(s, seat)
    points = hand_value(hand)
    out[at] = points / 25
    out[at + 1] = s.hand_size[seat] / 5
    out[at + 2] = hand_worth(hand) / 10
    out[at + 3] = open_worth(hand) / 10
    out[at + 4] = points <= s.threshold
    out[at + 5] = s.totals[seat] / 100
    origins = int(s.origin[seat]) & ORIGINS
    known = int(s.known[seat])
    for place in range(s.hand_size[seat]):
        out[at + 6] += 0.2 * (origins >> 2 * place & 3 == FRESH)
        out[at + 7] += 0.2 * (known >> 6 * place & 63 != 0)
        out[at + 8] += VALUE[known >> 6 * place & 63] / 25
        out[at + 10 + len(_STEPS) + RANK[hand >> 6 * place & 63]] += 0.5
    step = 0
    for most in _STEPS:
        step += points > most
    out[at + 9 + step] = 1.0
