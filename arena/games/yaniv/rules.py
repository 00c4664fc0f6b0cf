"""Yaniv for 2 to 10 seats, one or two decks, all variants.

Rules, sources and our decisions O-Y1..O-Y12: RULES.md beside this file. The state is in state.py, what seats know of it in
knowledge.py.

Left out: joker swapping, caller bonus and multiple penalties, house rules of other sites.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from arena.engine.jit import jit
from arena.engine.machine import lowest_bit
from arena.engine.options import OptionValue
from arena.engine.rng import Words, draw_below, shuffle
from arena.engine.state import begin
from arena.errors import ConfigError
from arena.games.yaniv.discards import discards, laid_row
from arena.games.yaniv.history import TAKEN_AT, note_turn
from arena.games.yaniv.knowledge import determinize, observe, seen_action
from arena.games.yaniv.memory import bury, leave_classes, put, remove, reshuffle, top
from arena.games.yaniv.rows import HAND, JOKER, RANK, ROW, card_at, deleted, hand_value, inserted, is_set, place_in, row_length
from arena.games.yaniv.state import (
    BURIED,
    CALL,
    CLASSES,
    DEALING,
    DECK,
    DRAW,
    FIRST,
    FIRST_STARTER,
    FRESH,
    HOLD,
    LAST,
    MATCH_OVER,
    MAX_ACTIONS,
    MAX_DECK,
    MAX_SEATS,
    OPTIONS,
    PLAIN,
    ROUND_OVER,
    SEATS,
    SLAP,
    SLAP_DOWN,
    START,
    STATE,
    STOCK,
    TAKEN,
    State,
    hand_row,
)

# What arena/engine/contract.py looks for in this module, although it stands in others.
__all__ = ["MAX_ACTIONS", "OPTIONS", "SEATS", "STATE", "determinize", "observe", "seen_action"]

VERSION = 1
HISTORY = ("recent",)
"""The fields that only tell how a position came about."""

ONE_DECK_SEATS = 5  # one deck serves at most this many, and by itself (`decks=auto`) one fewer
PENALTY = 30  # of a caller who is not strictly lowest


def resolve_options(resolved: dict[str, OptionValue], seats: int, given: Mapping[str, OptionValue]) -> dict[str, OptionValue]:
    """`decks` follows the number of seats, and `limit` the mode, where they are not given."""
    if resolved["decks"] == "auto":
        resolved["decks"] = 1 if seats < ONE_DECK_SEATS else 2
    if resolved["decks"] == 1 and seats > ONE_DECK_SEATS:
        raise ConfigError(f"options.decks: one deck serves at most {ONE_DECK_SEATS} seats, {seats} need 2")
    if resolved["mode"] == "elim201" and "limit" not in given:
        resolved["limit"] = 201
    return resolved


def units(seats: int, _resolved: Mapping[str, OptionValue]) -> tuple[int, ...]:
    """Every seat plays for itself."""
    return tuple(range(seats))


@jit
def deal(s: State, seats: int, options: Words, seed: Words) -> None:
    """Start a match: draw the first starter and deal the first round."""
    begin(s, seats, options, seed)
    s.round_number = 1
    s.starter = draw_below(seats, s.seed[:], 1, FIRST_STARTER, 0)
    _deal_round(s)


@jit
def legal_actions(s: State, out: Words) -> int:
    """START: call, then discards; DRAW: stock, ends, middle cards; SLAP: hold, slap (RULES.md 5.5)."""
    if s.phase == DRAW:
        count = 0
        if s.num_stock > 0 or s.piles[0] != 0:
            out[0] = STOCK
            count = 1
        out[count] = FIRST
        length = row_length(int(s.previous))
        if length == 1:
            return count + 1
        out[count + 1] = LAST
        count += 2
        if s.set_take == 1 and length > 2 and is_set(int(s.previous)):
            for middle in range(1, length - 1):
                out[count] = LAST + middle
                count += 1
        return count
    if s.phase == START:
        hand = hand_row(s, int(s.turn))
        count = 0
        if hand_value(hand) <= s.threshold:
            out[0] = CALL
            count = 1
        return discards(hand, s.joker_pair == 1, out, count)
    if s.phase == SLAP:
        out[0] = HOLD
        out[1] = SLAP_DOWN
        return 2
    return 0


@jit
def step(s: State, action: int) -> None:
    """Call or discard; draw; where it is possible, slap or hold."""
    seat = int(s.turn)
    caller, taken = -1, 0
    if s.phase == START:
        if action != CALL:
            _discard(s, seat, action)
            return
        caller = seat
    elif s.phase == SLAP:
        if action == SLAP_DOWN:
            _slap(s, seat)
        s.drawn = 0
    else:
        taken = _draw(s, seat, action)
        if s.phase == SLAP:
            return
    if caller < 0:
        _end_turn(s, taken)
    if caller >= 0 or s.turns >= s.last_turn:
        _end_round(s, caller)


@jit
def current_seat(s: State) -> int:
    """The seat whose turn it is."""
    return int(s.turn)


@jit
def num_seats(s: State) -> int:
    """2 to 10; seats that dropped out are counted."""
    return int(s.seats)


@jit
def is_simultaneous(_s: State) -> bool:
    """Seats play in turn."""
    return False


@jit
def is_round_over(s: State) -> bool:
    """Whether somebody called, or the turns ran out."""
    return s.phase >= ROUND_OVER


@jit
def is_terminal(s: State) -> bool:
    """Whether the match is over."""
    return s.phase == MATCH_OVER


@jit
def next_round(s: State) -> None:
    """The next seat to the left that is still in starts, whatever happened."""
    s.starter = _next_seat(s, int(s.starter) & 15)
    s.round_number += 1
    _deal_round(s)


@jit
def scores(s: State, out: NDArray[np.float64]) -> None:
    """Write the totals of all seats, of which the lowest is best."""
    for seat in range(s.seats):
        out[seat] = s.totals[seat]


@jit
def places(s: State, out: Words) -> None:
    """Write the places: who is still in first, then the later drop; of equals the lower total (RULES.md 5.3, 5.4)."""
    for seat in range(s.seats):
        out[seat] = 1
        for other in range(s.seats):
            if _ranking(s, other) < _ranking(s, seat):
                out[seat] += 1


@jit
def has_one_loser(_s: State) -> bool:
    """Places go by totals."""
    return False


@jit
def _deal_round(s: State) -> None:
    """Shuffle; five cards each in blocks, the starter's block first; the next card is the first previous discard."""
    count = 0
    for _ in range(s.decks):
        for card in range(DECK):
            s.stock[count] = min(card, JOKER)
            count += 1
    shuffle(s.stock[:], count, s.seed[:], int(s.round_number), DEALING, 0)
    for i in range(count, MAX_DECK):
        s.stock[i] = 0
    for i in range(2 + 2 * CLASSES):
        s.piles[i] = 0
    for i in range(CLASSES * MAX_SEATS):
        s.held[i] = 0
    for seat in range(MAX_SEATS):
        s.hand[seat] = 0
        s.known[seat] = 0
        s.origin[seat] = 0
        s.hand_size[seat] = 0
    s.num_stock = count
    s.last_turn = 0
    seat = int(s.starter) & 15
    for _ in range(s.seats):
        if s.dropped[seat] == 0:
            for _ in range(HAND):
                put(s, seat, top(s), PLAIN[FRESH])
            s.hand_size[seat] = HAND
            s.last_turn += s.turn_limit
        seat = seat + 1 if seat + 1 < s.seats else 0
    s.previous = top(s) + 1
    s.laid = 0
    s.drawn = 0
    s.turns = 0
    s.recent[:] = 0
    s.reshuffles = 0
    s.phase = START
    s.turn = s.starter


@jit
def may_slap(s: State, card: int) -> bool:
    """Whether a drawn card may be slapped: it has the rank of a single card or set just laid; jokers: see O-Y7."""
    laid = int(s.laid)
    return RANK[card + 1] == RANK[laid & 63] and is_set(laid) and (card < JOKER or s.joker_pair == 1)


@jit
def _discard(s: State, seat: int, action: int) -> None:
    hand = hand_row(s, seat)
    single = action >> 6 & (action >> 6) - 1 == 0
    s.laid = hand >> 6 * lowest_bit(action >> 6) & 63 if single else laid_row(hand, action)
    if s.piles[2] | s.piles[4]:
        leave_classes(s, seat, action >> 6)
    remove(s, seat, action >> 6)
    s.phase = DRAW


@jit
def _draw(s: State, seat: int, action: int) -> int:
    """Draw a card: from the stock, perhaps to be slapped, or openly from the previous discard.

    Returns what `note_turn` is to note.
    """
    taken = 0
    if action == STOCK:
        if s.num_stock == 0:
            reshuffle(s)
        card = top(s)
        origin = FRESH
        if s.slap_down == 1 and may_slap(s, card):
            s.phase = SLAP
            s.drawn = card + 1
    else:
        previous = int(s.previous)
        place = 0 if action == FIRST else row_length(previous) - 1 if action == LAST else action - LAST
        card = card_at(previous, place)
        origin = TAKEN
        taken = card + 1 << TAKEN_AT
        s.previous = deleted(previous, place)
        known = int(s.known[seat]) & ROW
        s.known[seat] = inserted(known, place_in(known, card + 1), card)
    put(s, seat, card, origin)
    s.hand_size[seat] += 1
    return taken


@jit
def _slap(s: State, seat: int) -> None:
    """The card just drawn, the last one of its kind in the hand, goes behind the last card of the discard."""
    laid = int(s.laid)
    card = (int(s.drawn) & 63) - 1
    s.laid = inserted(laid, row_length(laid), card)
    remove(s, seat, 1 << (place_in(hand_row(s, seat), card + 2) - 1))


@jit
def _end_turn(s: State, taken: int) -> None:
    """What is left of the previous discard is buried, the own discard becomes the previous one, the turn passes.

    `taken`: as `note_turn` wants it.
    """
    note_turn(s, taken)
    rest = int(s.previous)
    while rest:
        bury(s, PLAIN[BURIED], (rest & 63) - 1)
        rest >>= 6
    s.previous = s.laid
    s.laid = 0
    s.turns += 1
    s.phase = START
    s.turn = _next_seat(s, int(s.turn))


@jit
def _next_seat(s: State, seat: int) -> int:
    """The next seat to the left that is still in."""
    seat = seat + 1 if seat + 1 < s.seats else 0
    while s.dropped[seat] > 0:
        seat = seat + 1 if seat + 1 < s.seats else 0
    return seat


@jit
def _end_round(s: State, caller: int) -> None:
    """Score the hands, lower totals, and see who drops out and whether the match is over; caller -1: nobody called."""
    beaten = False
    if caller >= 0:
        called = hand_value(hand_row(s, caller))
        for seat in range(s.seats):
            if seat != caller and s.dropped[seat] == 0 and hand_value(hand_row(s, seat)) <= called:
                beaten = True
    over = s.round_number >= s.max_rounds
    in_play = 0
    for seat in range(s.seats):
        if s.dropped[seat] == 0:
            points = hand_value(hand_row(s, seat))
            if seat == caller:
                points = points + PENALTY if beaten else 0
            total = s.totals[seat] + points
            if points > 0 or s.halve_requires_change == 0:
                total = _reduced(s, total)
            s.totals[seat] = total
            if total < s.limit:
                in_play += 1
            elif s.mode == 1:
                s.dropped[seat] = s.round_number
            else:
                over = True
    s.phase = MATCH_OVER if over or in_play <= 1 else ROUND_OVER
    s.turn = 0


@jit
def _reduced(s: State, total: int) -> int:
    """The total after one reduction at most: 50 and 100 are halved; in elim201 100 and 200, or 100, 150 and 200 lose 50."""
    if s.mode == 0:
        return total // 2 if total == 50 or total == 100 else total
    if s.reduction == 0:
        return total // 2 if total == 100 or total == 200 else total
    return total - 50 if total == 100 or total == 150 or total == 200 else total


@jit
def _ranking(s: State, seat: int) -> int:
    """The lower, the better the place."""
    out_for = s.round_number + 1 - s.dropped[seat] if s.dropped[seat] > 0 else 0
    return (int(out_for) << 20) + int(s.totals[seat])
