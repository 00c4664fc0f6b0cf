"""What a seat of Nertz sees, and the worlds that it may be in (RULES.md 4.6)."""

import numpy as np

from arena.engine.jit import jit
from arena.engine.machine import lowest_bit, popcount, stack_array
from arena.engine.rng import Words, below, next_word
from arena.engine.state import show
from arena.games.nertz.layout import legal_mask, nertz_top
from arena.games.nertz.options import DECLARED, NONE
from arena.games.nertz.state import (
    CARD,
    CODES,
    DECK,
    EVERY,
    FLAGS,
    LINE,
    NO_CARD,
    PILES,
    PLAY,
    SEEN,
    SHOWN,
    State,
)
from arena.games.nertz.ticks import delay_of

ALL_CODES = (1 << CODES) - 1


@jit
def observe_state(s: State, seat: int, out: State) -> None:
    """Hide the deal seed, the priority, the others' choices, covered Nertz cards, and what the seat has not seen of a line."""
    show(s, seat, out)
    own = seat >> s.teams
    for unit in range(s.seats >> s.teams):
        top = int(s.num_nertz[unit]) - 1
        if top >= 0:
            out.nertz[unit, top] = s.nertz[unit, top]
        known = SEEN if unit == own else SHOWN
        for place in range(LINE):
            value = int(s.line[unit, place])
            out.line[unit, place] = value if value & known else value & FLAGS


@jit
def determinize_state(s: State, seat: int, rng: Words) -> None:
    """Deal each unit's unseen cards in random order to the places where they may be, then draw the others' choices."""
    own = seat >> s.teams
    cards = stack_array(DECK, np.int64)
    for unit in range(s.seats >> s.teams):
        known = SEEN if unit == own else SHOWN
        count = _unseen(s, unit, known, cards)
        for place in range(s.num_nertz[unit] - 1):
            count = _draw(cards, count, rng)
            s.nertz[unit, place] = cards[count] + 1
        for place in range(s.num_line[unit] + 0):
            value = int(s.line[unit, place])
            if value & known == 0:
                count = _draw(cards, count, rng)
                s.line[unit, place] = value & FLAGS | (cards[count] + 1)
    if s.phase == PLAY:
        for player in range(s.seats):
            if player != seat:
                _redraw_choice(s, player, rng)
    s.priority = 0
    for i in range(4):
        s.seed[i] = next_word(rng)


@jit
def _unseen(s: State, unit: int, known: int, cards: Words) -> int:
    """Write the cards of a unit whose place is not known, ascending; gives how many."""
    seen = s.laid[unit]
    for pile in range(PILES):
        seen |= s.work[unit, pile]
    top = nertz_top(s, unit)
    if top != NO_CARD:
        seen |= 1 << top
    for place in range(s.num_line[unit] + 0):
        value = int(s.line[unit, place])
        if value & known:
            seen |= 1 << (value & CARD) - 1
    hidden = EVERY & ~seen
    count = 0
    while hidden != 0:
        cards[count] = lowest_bit(hidden)
        hidden &= hidden - 1
        count += 1
    return count


@jit
def _draw(cards: Words, count: int, rng: Words) -> int:
    """Put a random one of the first `count` cards behind the others; gives its place."""
    taken = below(rng, count)
    count -= 1
    card = cards[taken]
    cards[taken] = cards[count]
    cards[count] = card
    return count


@jit
def _redraw_choice(s: State, player: int, rng: Words) -> None:
    """Draw a choice that fits: for a busy seat one that still runs, for a seat that has chosen in this tick any legal one."""
    s.pending[player] = 0
    s.due[player] = 0
    if s.since[player] > 0:
        begun = int(s.since[player]) - 1
        lasted = s.tick - begun
        codes = s.could[player] & ALL_CODES
        if s.latency == DECLARED:
            for code in range(CODES):
                if delay_of(s, player, code) < lasted:
                    codes &= ~(1 << code)
        code = _any_of(codes, rng)
        s.pending[player] = code + 1
        s.due[player] = begun + delay_of(s, player, code) if s.latency == DECLARED else s.tick + below(rng, lasted + 1)
    elif player < s.turn:
        code = _any_of(legal_mask(s, player), rng)
        s.pending[player] = code + 1
        if s.latency != NONE:
            s.due[player] = s.tick + delay_of(s, player, code)


@jit
def _any_of(codes: int, rng: Words) -> int:
    """Draw one of the codes in a mask, all equally likely."""
    for _ in range(below(rng, popcount(codes))):
        codes &= codes - 1
    return lowest_bit(codes)
