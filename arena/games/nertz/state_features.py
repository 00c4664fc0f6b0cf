"""Nertz for networks that learn: both layouts, and how far the race is; no belief features (arena/engine/contract.py).

What lies hidden is the order of stocks and Nertz piles, which no seat acts on: there is nothing to be inferred.
"""

import itertools

from arena.engine.contract import Features
from arena.engine.jit import jit
from arena.engine.machine import lowest_bit, popcount
from arena.games.nertz.layout import ACCEPTS, nertz_top, waste_top
from arena.games.nertz.rollout import CONSTANTS, LAID, WASTE_GOES
from arena.games.nertz.state import CARD, PILES, PLAY, State

LEARNS = (2,)
# A layout: Nertz cards left, few of them, none, cards in the line and in the waste, cards laid, empty work piles, cards in work
# piles; work piles, Nertz and waste card that a foundation takes; Nertz and waste card that go onto a work pile; rank of the
# Nertz card; work piles with a card below the top that a foundation takes; one Nertz card left, at most six; cards of the line,
# unseen ones as this world has them, that a foundation takes, that it takes after one more card, that go onto a work pile.
_SIDE = 20
# The phase, ticks, ticks without progress, piles in the middle, cards wanted there; the lead by totals, by what the layouts
# seem to bring, and by both; how near the highest total is to the end, and whether this is the last round.
_MOMENT = 10
STATE_FEATURES = 2 * _SIDE + _MOMENT
BELIEF_FEATURES = 0
_OWN, _OTHER, _AT = itertools.accumulate((_SIDE, _SIDE), initial=0)
_PRICES = tuple(constant.default for constant in CONSTANTS[LAID : WASTE_GOES + 1])
_OF_LAID, _OF_NERTZ, _OF_LINE, _OF_SLOT, _OF_WANTED, _OF_NERTZ_WANTED, _OF_NERTZ_FITS, _OF_WASTE = _PRICES
_OF_LEAD = 1 / 30


@jit
def state_features(s: State, seat: int, out: Features) -> None:
    """Both layouts, the own one first, and the time."""
    for i in range(STATE_FEATURES):
        out[i] = 0.0
    standing = _write_side(s, seat, _OWN, out) - _write_side(s, 1 - seat, _OTHER, out)
    out[_AT] = s.phase == PLAY
    out[_AT + 1] = min(1.0, s.tick / 300)
    out[_AT + 2] = min(1.0, s.stall / 20)
    out[_AT + 3] = s.num_piles / 8
    out[_AT + 4] = popcount(s.wanted) / 8
    lead = float(s.totals[seat] - s.totals[1 - seat])
    out[_AT + 5] = max(-2.0, min(2.0, lead * _OF_LEAD))
    if s.phase == PLAY:
        out[_AT + 6] = standing * _OF_LEAD
        lead += standing
    out[_AT + 7] = max(-2.0, min(2.0, lead * _OF_LEAD))
    out[_AT + 8] = max(0.0, min(1.0, max(s.totals[seat], s.totals[1 - seat]) / s.target))
    out[_AT + 9] = s.round_number >= s.max_rounds


@jit
def belief_features(_s: State, _seat: int, _out: Features) -> None:
    """Write nothing."""


@jit
def _write_side(s: State, unit: int, at: int, out: Features) -> float:
    """Write one layout; gives what it seems to bring, in points, as `evaluate` has it."""
    left = s.num_nertz[unit]
    accepted = wanted = under = slots = laid_on_work = 0
    for i in range(PILES):
        pile = s.work[unit, i]
        if pile == 0:
            slots += 1
            continue
        top = lowest_bit(pile)
        laid_on_work += popcount(pile)
        accepted |= ACCEPTS[top]
        wanted += s.wanted >> top & 1
        under += popcount(pile & (pile - 1) & s.wanted) > 0
    nertz = nertz_top(s, unit)
    waste = waste_top(s, unit)
    out[at] = left / 13
    out[at + 1] = left <= 3
    out[at + 2] = left == 0
    out[at + 3] = s.num_line[unit] / 35
    out[at + 4] = s.num_waste[unit] / 35
    out[at + 5] = popcount(s.laid[unit]) / 20
    out[at + 6] = slots / 4
    out[at + 7] = laid_on_work / 20
    out[at + 8] = wanted / 2
    out[at + 9] = s.wanted >> nertz & 1
    out[at + 10] = s.wanted >> waste & 1
    out[at + 11] = accepted >> nertz & 1
    out[at + 12] = accepted >> waste & 1
    out[at + 13] = (nertz >> 2) / 13 if left > 0 else 0.0
    out[at + 14] = under / 4
    out[at + 15] = left == 1
    out[at + 16] = left <= 6
    line = 0
    for i in range(s.num_line[unit]):
        line |= 1 << max(0, (s.line[unit, i] & CARD) - 1)
    out[at + 17] = popcount(line & s.wanted) / 4
    out[at + 18] = popcount(line & s.wanted << 4) / 4
    out[at + 19] = popcount(line & accepted) / 8
    value = _OF_LAID * popcount(s.laid[unit]) - _OF_NERTZ * left + _OF_LINE * s.num_line[unit]
    value += _OF_SLOT * slots + _OF_WANTED * wanted
    value += _OF_NERTZ_WANTED * (s.wanted >> nertz & 1) + _OF_NERTZ_FITS * (accepted >> nertz & 1)
    return float(value + _OF_WASTE * ((s.wanted | accepted) >> waste & 1))
