"""What an action at Yaniv promises, as numbers: the own hand at the next turn, what may be called then, and what comes after.

What a search finds by one look ahead: a network does not work out by itself what each of forty unseen cards makes of a hand.
"""

import numpy as np

from arena.engine.contract import Actions, Features, Numbers
from arena.engine.jit import jit
from arena.engine.machine import stack_array
from arena.games.yaniv.estimates import best_shed, call_successes, shed_worth, without
from arena.games.yaniv.memory import count_unseen
from arena.games.yaniv.rows import CARD_IDS, HAND, JOKER, card_at, deleted, inserted, place_in, row_length
from arena.games.yaniv.state import CALL, DRAW, FIRST, FRESH, LAST, SLAP, SLAP_DOWN, START, STOCK, State, hand_row

WAY = 8
"""Numbers of each of two ways to get a card."""
SIZE = 2 * WAY + 1
_MOST = 10  # points: a call with more is taken to fail
_CALLS = _MOST + 1
_OTHER_WAY, _BEHIND, _WORTH = WAY, 2 * WAY, WAY - 1
_OF_POINTS, _OF_HAND, _OF_WORTH = 1 / 50.0, 1 / HAND, 1 / 20.0


@jit
def write_prospects(s: State, seat: int, thrift: float, actions: Actions, count: int, at: int, out: Features) -> None:
    """Write SIZE numbers from `at` on into the row of each action, where zeros stand."""
    if count == 0:
        return
    shares = stack_array(CARD_IDS, np.float64)
    successes = stack_array(_CALLS, np.float64)
    by_stock, by_other = stack_array(WAY, np.float64), stack_array(WAY, np.float64)
    call_successes(s, seat, thrift, _MOST, successes)
    if s.phase == START or s.phase == DRAW:
        _write_shares(s, seat, shares)
    threshold, previous = int(s.threshold), int(s.previous)
    last = max(0, row_length(previous) - 1)
    hand = hand_row(s, seat)
    mask = -1
    for i in range(count):
        action = int(actions[i])
        if s.phase == START and action != CALL:
            if action >> 6 != mask:  # arrangements of the same cards follow each other
                mask = action >> 6
                rest = without(hand, mask)
                _write_drawn(rest, threshold, shares, successes, by_stock)
                _write_held(_better(rest, card_at(previous, 0), card_at(previous, last)), threshold, successes, by_other)
            _copy(by_stock, at, out[i])
            _copy(by_other, at + _OTHER_WAY, out[i])
        elif s.phase == DRAW and action == STOCK:
            _write_drawn(hand, threshold, shares, successes, by_stock)
            _copy(by_stock, at, out[i])
        else:
            held = hand
            if s.phase == DRAW:
                held = _with(hand, card_at(previous, 0 if action == FIRST else last if action == LAST else action - LAST))
            elif s.phase == SLAP and action == SLAP_DOWN:
                held = deleted(hand, place_in(hand, int(s.drawn) & 63))
            _write_held(held, threshold, successes, by_other)
            _copy(by_other, at + _OTHER_WAY, out[i])
    if s.phase == START or s.phase == DRAW:
        _write_behind(s, actions, count, at, out)


@jit
def _write_behind(s: State, actions: Actions, count: int, at: int, out: Features) -> None:
    """Write how far the estimate of each action is behind the best one; a call has none."""
    best = -1.0
    for i in range(count):
        if s.phase == DRAW or actions[i] != CALL:
            best = max(best, _estimate(s, int(actions[i]), at, out[i]))
    for i in range(count):
        if s.phase == DRAW or actions[i] != CALL:
            out[i, at + _BEHIND] = min(1.0, best - _estimate(s, int(actions[i]), at, out[i]))


@jit
def _estimate(s: State, action: int, at: int, row: Features) -> float:
    """The better one of both ways, as far as the action leaves them open."""
    if s.phase == START:
        return float(max(row[at + _WORTH], row[at + _OTHER_WAY + _WORTH]))
    return float(row[at + _WORTH] if action == STOCK else row[at + _OTHER_WAY + _WORTH])


@jit
def _write_shares(s: State, seat: int, shares: Numbers) -> None:
    """Write how likely each card is to be drawn from the stock, as the seat sees it."""
    cards = stack_array(CARD_IDS, np.int64)
    count_unseen(s, seat, FRESH, cards)
    total = 0
    for card in range(JOKER + 1):
        total += max(0, cards[card])
    for card in range(JOKER + 1):
        shares[card] = max(0, cards[card]) / total if total > 0 else 0.0


@jit
def _write_drawn(rest: int, threshold: int, shares: Numbers, successes: Numbers, way: Numbers) -> None:
    """Write the mean over the cards that may come from the stock to the hand `rest` (a row of four cards at most)."""
    for i in range(WAY):
        way[i] = 0.0
    for card in range(JOKER + 1):
        if shares[card] > 0.0:
            _add(_with(rest, card), threshold, shares[card], successes, way)


@jit
def _write_held(hand: int, threshold: int, successes: Numbers, way: Numbers) -> None:
    """Write the numbers of one hand (a row)."""
    for i in range(WAY):
        way[i] = 0.0
    _add(hand, threshold, 1.0, successes, way)


@jit
def _add(hand: int, threshold: int, weight: float, successes: Numbers, way: Numbers) -> None:
    """Add the numbers of a hand, times a weight."""
    shed = best_shed(hand)
    points, rest, left = shed & 255, shed >> 16 & 255, shed >> 24
    way[0] += weight * points * _OF_POINTS
    way[1] += weight * rest * _OF_POINTS
    way[2] += weight * left * _OF_HAND
    if points <= threshold:
        way[3] += weight
        if points <= _MOST:
            way[4] += weight * successes[points]
    if rest <= threshold:
        way[5] += weight
        if rest <= _MOST:
            way[6] += weight * successes[rest]
    way[_WORTH] += weight * shed_worth(shed) * _OF_WORTH


@jit
def _better(rest: int, first: int, last: int) -> int:
    """The hand with that one of two cards that makes it worth more."""
    one, other = _with(rest, first), _with(rest, last)
    return one if first == last or shed_worth(best_shed(one)) >= shed_worth(best_shed(other)) else other


@jit
def _with(row: int, card: int) -> int:
    return inserted(row, place_in(row, card + 1), card)


@jit
def _copy(way: Numbers, at: int, row: Features) -> None:
    for i in range(WAY):
        row[at + i] = max(-1.0, min(1.0, way[i]))
