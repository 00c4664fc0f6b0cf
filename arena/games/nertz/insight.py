"""What the priors of rollout.py leave out unless asked: whom a card in the middle helps, and what a card on a pile covers."""

from arena.engine.contract import Numbers
from arena.engine.jit import jit
from arena.engine.machine import bit_length, lowest_bit
from arena.games.nertz.layout import ACCEPTS, card_of, nertz_top, waste_top
from arena.games.nertz.state import EVERY, NERTZ_FOUND, NERTZ_WORK, PILES, WASTE_FOUND, WASTE_WORK, WORK_WORK, State

CONTEST, FEEDS, FROM_WASTE, COVERS, JOINS = range(5)  # places in `weights`


@jit
def insight(s: State, unit: int, code: int, rivals: int, weights: Numbers) -> float:
    """What an action is worth beside its prior, in points. `rivals`: the open cards of the other units, a mask."""
    value = 0.0
    if code < NERTZ_FOUND or code >= WORK_WORK:
        return value
    card = card_of(s, unit, code)
    if code < NERTZ_WORK:
        if rivals >> card & 1:
            value += weights[CONTEST]
        if (rivals & ~s.wanted) >> card + 4 & 1:
            value += weights[FEEDS]
        if code == WASTE_FOUND:
            value += weights[FROM_WASTE]
        return float(value)
    target = code - NERTZ_WORK & 3
    pile = s.work[unit, target]
    if code >= WASTE_WORK and pile != 0 and (s.wanted | s.wanted << 4 | s.wanted << 8) >> lowest_bit(pile) & 1:
        value += weights[COVERS]
    for i in range(PILES):
        other = s.work[unit, i]
        if i != target and other != 0 and ACCEPTS[card] >> bit_length(other) - 1 & 1:
            return float(value + weights[JOINS])
    return float(value)


@jit
def rival_cards(s: State, unit: int) -> int:
    """The open cards of the other units, a mask."""
    cards = 0
    for other in range(s.seats >> s.teams):
        if other != unit:
            cards |= 1 << nertz_top(s, other) | 1 << waste_top(s, other)
            for i in range(PILES):
                pile = s.work[other, i]
                cards |= pile & -pile
    return cards & EVERY
