"""One table of one game for an environment: an action played, the next seat's features and mask written, in one call.

`states` holds three records: the position, what one seat sees of it, and what would follow.

Python calls it with its arrays, which are handed over once as a list of addresses, not array by array in each call.
"""

from typing import Any

import numpy as np

from arena.engine import jit
from arena.engine.contract import (
    Actions,
    Features,
    State,
    States,
    action_features,
    current_seat,
    deal,
    encode,
    is_round_over,
    is_simultaneous,
    is_terminal,
    legal_actions,
    next_round,
    observe,
    step,
)
from arena.engine.entries import ENDED_ROUND, IS_OVER, IS_TOGETHER, SEAT_SHIFT
from arena.engine.machine import array_at
from arena.engine.rng import Words, next_word
from arena.learning.compiled.layout import TABLES, Places
from arena.learning.compiled.play import advance

# The arrays by their rows in `places`, named as the parameters of `advance`.
ORDER = ("settings", "options", "constants", "codes", "books", "numbers", "chosen", "actions", "mask", "features", "rows",
         "ended", "logs")  # fmt: skip


def advance_at(records: States, places: Places, own: int, task: int, first: int, last: int) -> int:
    """`advance` (play.py) with arrays at known addresses.

    `records`: the states of all tables, then those to work in, of which place `own` is this thread's; `places`: for each array
    in ORDER its address and its shape, filled up with zeros to three numbers.
    """
    settings = _words(places[0])
    tables = settings[TABLES]
    return advance(
        settings, _words(places[1]), array_at(int(places[2, 0]), (places[2, 1],), np.float64), _words(places[3]),
        records[:tables], records[tables + own : tables + own + 1], _table(places[4], np.int64), _table(places[5], np.float64),
        _words(places[6]), _table(places[7], np.int64), _table(places[8], np.bool_), _table(places[9], np.float32),
        array_at(int(places[10, 0]), (places[10, 1], places[10, 2], places[10, 3]), np.float32), _table(places[11], np.bool_),
        _table(places[12], np.int64), task, first, last,
    )  # fmt: skip


@jit.generic
def _words(place: Words) -> Words:
    return array_at(int(place[0]), (place[1],), np.int64)  # type: ignore[no-any-return]


@jit.generic
def _table(place: Words, kind: Any) -> Any:
    return array_at(int(place[0]), (place[1], place[2]), kind)


TRUE, SEEN, AHEAD = 0, 1, 2
"""The places in `states`: the position, what one seat sees of it, and what would follow."""
ILLEGAL = -1
"""What `play` and `play_together` return instead of bits, where nothing was played."""


@jit.generic
def write_mask(codes: Actions, legal: Actions, count: int, mask: Actions) -> None:
    """Mark the legal actions. `codes`: all action codes ascending; of length 0 where an action is a place in the legal list."""
    size = len(mask)
    if len(codes) == 0:
        for i in range(size):
            mask[i] = i < count
        return
    found = 0
    for i in range(size):
        is_legal = found < count and codes[i] == legal[found]
        mask[i] = is_legal
        found += is_legal


@jit.generic
def show(states: States, seat: int, features: Features) -> None:
    """Write what a seat knows."""
    observe(states[TRUE], seat, states[SEEN])
    encode(states[SEEN], seat, features)


@jit.generic
def follow(s: State) -> int:
    """Deal the next round if one has ended; the bits of what comes next, without the seat."""
    found = 0
    if is_round_over(s):
        if is_terminal(s):
            return IS_OVER
        next_round(s)
        found = ENDED_ROUND
    if is_simultaneous(s):
        found |= IS_TOGETHER
    return found


@jit.generic
def offer(states: States, found: int, codes: Actions, legal: Actions, mask: Actions, features: Features) -> int:
    """Write the features and the mask of the seat to choose; the bits of what comes next, with that seat."""
    if found == IS_OVER:
        return found
    s = states[TRUE]
    seat = current_seat(s)
    write_mask(codes, legal, legal_actions(s, legal), mask)
    show(states, seat, features)
    return found | seat << SEAT_SHIFT


@jit.generic
def deal_next(s: State, seats: int, options: Words, rng: Words, seed: Words) -> None:
    """Deal the next match of a table, the same as that of many tables (play.py). `rng`: sfc32 words; `seed` gets the deal's."""
    for word in range(4):
        seed[word] = next_word(rng)
    for _ in range(4):
        next_word(rng)  # there for the rivals
    deal(s, seats, options, seed)


def _entry_begin(
    states: States,
    codes: Actions,
    legal: Actions,
    mask: Actions,
    features: Features,
    seats: int,
    options: Words,
    rng: Words,
    seed: Words,
) -> int:
    """Deal the next match and offer its first decision."""
    s = states[TRUE]
    deal_next(s, seats, options, rng, seed)
    return offer(states, follow(s), codes, legal, mask, features)


def _entry_play(states: States, codes: Actions, legal: Actions, mask: Actions, features: Features, index: int) -> int:
    """Play the action of the seat to choose and offer the next decision. ILLEGAL: nothing was played."""
    if not 0 <= index < len(mask) or not mask[index]:
        return ILLEGAL
    s = states[TRUE]
    step(s, codes[index] if len(codes) else legal[index])
    return offer(states, follow(s), codes, legal, mask, features)


def _entry_show(states: States, seat: int, features: Features) -> None:
    """Write what any seat knows, also one that is not to choose."""
    show(states, seat, features)


def _entry_list_actions(states: States, seat: int, legal: Actions, mask: Actions, rows: Features) -> None:
    """Write the features of each legal action of the seat to choose, in the row of its place in the mask; 0 elsewhere.

    Called while `legal` and `mask` are of this decision.
    """
    count = 0
    for i in range(len(mask)):
        count += mask[i]
    observe(states[TRUE], seat, states[SEEN])
    action_features(states[SEEN], seat, legal, count, rows)
    found = count - 1
    for place in range(len(mask) - 1, -1, -1):  # from the last row on: none is overwritten before it has moved
        for i in range(rows.shape[1]):
            rows[place, i] = rows[found, i] if mask[place] else 0.0
        if mask[place]:
            found -= 1


def _entry_begin_together(
    states: States,
    codes: Actions,
    legal: Actions,
    mask: Actions,
    features: Features,
    seats: int,
    options: Words,
    rng: Words,
    seed: Words,
) -> int:
    """Deal the next match and offer its first decision to all that choose. `legal`, `mask`, `features`: a row for each seat."""
    s = states[TRUE]
    deal_next(s, seats, options, rng, seed)
    return offer_together(states, follow(s), codes, legal, mask, features)


def _entry_play_together(
    states: States, codes: Actions, legal: Actions, mask: Actions, features: Features, choosing: int, indices: Actions
) -> int:
    """Play the actions of all seats that choose and offer the next decision. ILLEGAL: nothing was played.

    `choosing`: the seats that choose, a mask of bits; `indices`: by seat, those of the others are not looked at.
    """
    s = states[TRUE]
    seats = len(indices)
    for seat in range(seats):
        if choosing >> seat & 1 and (not 0 <= indices[seat] < mask.shape[1] or not mask[seat, indices[seat]]):
            return ILLEGAL
    for seat in range(seats):
        if choosing >> seat & 1:
            step(s, codes[indices[seat]] if len(codes) else legal[seat, indices[seat]])
    return offer_together(states, follow(s), codes, legal, mask, features)


@jit.generic
def offer_together(states: States, found: int, codes: Actions, legal: Actions, mask: Actions, features: Features) -> int:
    """Write the features and the masks of all seats; the bits of what comes next, with the seats that choose as bits above.

    A seat with nothing to choose has the first place alone in its mask, so that it can send something.
    """
    seats = len(mask)
    choosing = 0
    if found != IS_OVER:
        states[AHEAD] = states[TRUE]
        ahead = states[AHEAD]
        while True:
            seat = current_seat(ahead)
            choosing |= 1 << seat
            write_mask(codes, legal[seat], legal_actions(ahead, legal[seat]), mask[seat])
            observe(ahead, seat, states[SEEN])
            encode(states[SEEN], seat, features[seat])
            if not found & IS_TOGETHER or seat + 1 == seats:
                break
            step(ahead, legal[seat, 0])  # what comes after it does not depend on what it chooses (arena/match/referee.py)
            if is_round_over(ahead) or not is_simultaneous(ahead) or current_seat(ahead) <= seat:
                break
    for seat in range(seats):
        if not choosing >> seat & 1:
            show(states, seat, features[seat])
            for i in range(mask.shape[1]):
                mask[seat, i] = i == 0 and found != IS_OVER
    return found | choosing << SEAT_SHIFT
