"""One unit's layout: what may move where, and moving it (RULES.md 4.2). Nothing here depends on other units' layouts."""

import numpy as np

from arena.engine.jit import jit
from arena.engine.machine import lowest_bit
from arena.games.nertz.state import (
    CALL,
    CARD,
    DECK,
    EVERY,
    FLIP,
    NERTZ_FOUND,
    NERTZ_WORK,
    NO_CARD,
    PILES,
    PLAY,
    SEEN,
    SHOWN,
    WASTE_FOUND,
    WASTE_WORK,
    WORK_FOUND,
    WORK_WORK,
    State,
)

RED, BLACK = 0b0110, 0b1001  # suits S H D C as bits of one rank
# By card: the two cards that may lie on it in a work pile, one rank lower and of the other colour.
ACCEPTS = np.array([(BLACK if RED >> (card & 3) & 1 else RED) << (card & ~3) >> 4 for card in range(DECK)], np.int64)


@jit
def legal_mask(s: State, seat: int) -> int:
    """The legal codes of a seat as a mask; 0 when the round is over."""
    if s.phase != PLAY:
        return 0
    if s.since[seat] > 0:
        return 1
    unit = seat >> s.teams
    nertz = nertz_top(s, unit)
    waste = waste_top(s, unit)
    legal = 1 | (s.wanted >> nertz & 1) << NERTZ_FOUND | (s.wanted >> waste & 1) << WASTE_FOUND
    if s.num_line[unit] > 0:
        legal |= 1 << FLIP
    if nertz == NO_CARD:
        legal |= 1 << CALL
    for j in range(PILES):
        pile = s.work[unit, j]
        accepts = EVERY
        if pile != 0:
            top = lowest_bit(pile)
            accepts = ACCEPTS[top]
            legal |= (s.wanted >> top & 1) << WORK_FOUND + j
        legal |= (accepts >> nertz & 1) << NERTZ_WORK + j | (accepts >> waste & 1) << WASTE_WORK + j
        for i in range(PILES):
            if i != j and movable(s, s.work[unit, i], pile) != NO_CARD:
                legal |= 1 << WORK_WORK + 3 * i + (j if j < i else j - 1)
    return legal


@jit
def movable(s: State, source: int, target: int) -> int:
    """The first card of the part of one work pile that may go onto another, NO_CARD for none."""
    if target == 0:
        return lowest_bit(source) if s.empty_from_work == 1 and source & (source - 1) != 0 else NO_CARD
    fitting = source & ACCEPTS[lowest_bit(target)]  # at most one card: a pile holds a rank once
    if fitting == 0 or (s.partial_moves == 0 and source >= 2 * fitting):
        return NO_CARD
    return lowest_bit(fitting)


@jit
def card_of(s: State, unit: int, code: int) -> int:
    """The card that a code of 3 or more moves (of several, the first one) as the layout now is, NO_CARD for none."""
    if code == NERTZ_FOUND or NERTZ_WORK <= code < WASTE_WORK:
        return nertz_top(s, unit)
    if code == WASTE_FOUND or WASTE_WORK <= code < WORK_WORK:
        return waste_top(s, unit)
    if code < NERTZ_WORK:
        pile = s.work[unit, code - WORK_FOUND]
        return lowest_bit(pile) if pile != 0 else NO_CARD
    return movable(s, s.work[unit, from_pile(code)], s.work[unit, to_pile(code)])


@jit
def from_pile(code: int) -> int:
    """The work pile that a code of 17 or more moves from."""
    return (code - WORK_WORK) // 3


@jit
def to_pile(code: int) -> int:
    """The work pile that a code of 17 or more moves to."""
    i = (code - WORK_WORK) // 3
    j = (code - WORK_WORK) % 3
    return j if j < i else j + 1


@jit
def nertz_top(s: State, unit: int) -> int:
    """The open card of the Nertz pile, NO_CARD when it is empty."""
    count = s.num_nertz[unit]
    return int(s.nertz[unit, count - 1]) - 1 if count > 0 else NO_CARD


@jit
def waste_top(s: State, unit: int) -> int:
    """The open card of the waste, NO_CARD when it is empty."""
    count = s.num_waste[unit]
    return (int(s.line[unit, count - 1]) & CARD) - 1 if count > 0 else NO_CARD


@jit
def flip(s: State, unit: int) -> None:
    """Turn the next cards of the stock onto the waste; with an empty stock, the waste over."""
    waste = int(s.num_waste[unit])
    last = min(waste + int(s.flip), int(s.num_line[unit]))
    if last == waste:
        s.num_waste[unit] = 0
        return
    for place in range(waste, last):
        s.line[unit, place] |= SEEN
    s.line[unit, last - 1] |= SHOWN
    s.num_waste[unit] = last


@jit
def loosen(s: State, unit: int) -> None:
    """Everybody is stuck: waste back onto the stock, then the top card of the stock to its bottom."""
    count = s.num_line[unit]
    s.num_waste[unit] = 0
    if count > 1:
        top = s.line[unit, 0]
        for place in range(count - 1):
            s.line[unit, place] = s.line[unit, place + 1]
        s.line[unit, count - 1] = top


@jit
def take(s: State, unit: int, code: int, card: int) -> None:
    """Take away the single card that a code of 3 to 16 moves; the next Nertz or waste card opens."""
    if code == NERTZ_FOUND or NERTZ_WORK <= code < WASTE_WORK:
        s.num_nertz[unit] -= 1
        s.nertz[unit, s.num_nertz[unit]] = 0
    elif code == WASTE_FOUND or code >= WASTE_WORK:
        count = s.num_line[unit] - 1
        waste = s.num_waste[unit] - 1
        for place in range(waste, count):
            s.line[unit, place] = s.line[unit, place + 1]
        s.line[unit, count] = 0
        s.num_line[unit] = count
        s.num_waste[unit] = waste
        if waste > 0:
            s.line[unit, waste - 1] |= SHOWN
    else:
        s.work[unit, code - WORK_FOUND] &= ~(1 << card)


@jit
def lay_on_work(s: State, unit: int, code: int, card: int) -> bool:
    """Put the card of a code of 9 to 16 onto its work pile, if it fits there now."""
    pile = s.work[unit, code - NERTZ_WORK & 3]
    if pile != 0 and ACCEPTS[lowest_bit(pile)] >> card & 1 == 0:
        return False
    take(s, unit, code, card)
    s.work[unit, code - NERTZ_WORK & 3] = pile | 1 << card
    return True


@jit
def shift_work(s: State, unit: int, code: int, card: int) -> None:
    """Move `card`, and the cards on it, from one work pile to another."""
    i = from_pile(code)
    moved = s.work[unit, i] & (2 << card) - 1
    s.work[unit, i] ^= moved
    s.work[unit, to_pile(code)] |= moved
