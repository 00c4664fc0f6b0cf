"""Estimates for Naga: what a score and kept cards are worth, in chances to win the game. Prior and evaluation rest on them.

A field counts as often as it would decide a game of coin tosses (L. Penrose 1946, J. Banzhaf 1965: the power of a vote). What
two kept cards add to the chance to win a later contest was fitted by least squares to many random deals: the cards that come
to them, and the other hand, drawn at random. A linear rule explains nine tenths of the differences.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from arena.engine.contract import Numbers
from arena.engine.jit import jit
from arena.engine.machine import lowest_bit
from arena.games.naga.hands import CATEGORY_BITS, HEAVEN, ILBECK, NUMBERS
from arena.games.naga.rules import contest_strength
from arena.games.naga.state import ELTAM, FIELD_CARDS, FIRST_CARD, MAJORITY, TRUMPS, State

ELTAM_CARDS = 3
ONLY_SINGLES = 7  # added to the number of open single fields: Eltam does not count

# Places of a rule for two kept cards in the constants, from the first one on; `single_rule` and `eltam_rule` say what for.
MOON, MOONS, PAIR, MATCH, STRAIGHT, TRUMP, FLUSH, HIGH = range(8)

_NATURALS = (1 << ILBECK) - 1
_WINDOW = 3  # four consecutive numbers: the first and the last differ by so much
_SCORES = FIELD_CARDS + ELTAM_CARDS + 1  # a prize may be added to any score
_RUNS = 1 << 4 | 1 << 5 | 1 << 8  # categories of five cards: straight, flush, straight flush


def _outlooks() -> NDArray[np.float64]:
    """The chance to win if coin tosses gave away the open prizes, by own and other field cards; a draw counts half."""

    @cache
    def outlook(mine: int, theirs: int, singles: int, eltam: int) -> float:
        if singles + eltam == 0 or max(mine, theirs) >= MAJORITY:
            return 0.5 + 0.5 * (int(mine > theirs) - int(mine < theirs))
        prize = 1 if singles else ELTAM_CARDS
        rest = (singles - 1, eltam) if singles else (0, 0)
        return (outlook(mine + prize, theirs, *rest) + outlook(mine, theirs + prize, *rest)) / 2

    scores = range(_SCORES)
    prizes = [(singles, 1) for singles in range(ONLY_SINGLES)] + [(singles, 0) for singles in range(ONLY_SINGLES)]
    return np.array([[[outlook(mine, theirs, *rest) for rest in prizes] for theirs in scores] for mine in scores])


OUTLOOKS = _outlooks()
"""Chances to win: an array [own field cards, the other's, open singles]; from ONLY_SINGLES on, Eltam is not open."""


@jit
def outlook(mine: int, theirs: int, singles: int, single_edge: float, eltam_edge: float) -> float:
    """The chance to win from a score with `singles` and Eltam open: that of coin tosses, and what edges there are.

    An edge is the chance to win the next single field, or Eltam, above one half.
    """
    value = OUTLOOKS[mine, theirs, singles]
    open_singles = ONLY_SINGLES + singles
    value += eltam_edge * (
        OUTLOOKS[mine + ELTAM_CARDS, theirs, open_singles] - OUTLOOKS[mine, theirs + ELTAM_CARDS, open_singles]
    )
    if singles > 0:
        value += single_edge * (OUTLOOKS[mine + 1, theirs, singles - 1] - OUTLOOKS[mine, theirs + 1, singles - 1])
    return float(value)


@jit
def single_rule(s: State, kept: int, place: int, constants: Numbers, first: int) -> float:
    """The edge that two kept cards give at a place with one field card; `first`: where the rule stands in the constants."""
    moons = kept >> ILBECK
    if moons == 3:
        return float(constants[first + MOONS])
    field = int(s.field[FIRST_CARD[place]])
    is_natural = field < ILBECK
    number = field % NUMBERS if is_natural else -1
    edge = constants[first + MOON] if moons > 0 else 0.0
    lowest = highest = number
    may_run = is_natural and moons == 0
    before = -1
    naturals = kept & _NATURALS
    while naturals:
        card = lowest_bit(naturals)
        naturals &= naturals - 1
        if card % NUMBERS == number:
            edge += constants[first + MATCH]
            may_run = False
        if card // NUMBERS == TRUMPS[place]:
            edge += constants[first + TRUMP]
        elif card // NUMBERS < HEAVEN:
            edge += constants[first + HIGH]
        lowest = min(lowest, card % NUMBERS)
        highest = max(highest, card % NUMBERS)
        if before >= 0:
            if before % NUMBERS == card % NUMBERS:
                edge += constants[first + PAIR]
                may_run = False
            elif is_natural and before // NUMBERS == card // NUMBERS == field // NUMBERS:
                edge += constants[first + FLUSH]
        before = card
    if may_run and highest - lowest <= _WINDOW:
        edge += constants[first + STRAIGHT]
    return float(edge)


@jit
def eltam_rule(s: State, kept: int, constants: Numbers, first: int) -> float:
    """The edge that two kept cards give at Eltam; `first`: where the rule stands in the constants."""
    moons = kept >> ILBECK
    if moons == 3:
        return float(constants[first + MOONS])
    edge = constants[first + MOON] if moons > 0 else 0.0
    before = -1
    naturals = kept & _NATURALS
    while naturals:
        card = lowest_bit(naturals)
        naturals &= naturals - 1
        for i in range(FIRST_CARD[ELTAM], FIRST_CARD[ELTAM + 1]):
            if s.field[i] < ILBECK and s.field[i] % NUMBERS == card % NUMBERS:
                edge += constants[first + MATCH]
        if card // NUMBERS == TRUMPS[ELTAM]:
            edge += constants[first + TRUMP]
        if before >= 0 and before % NUMBERS == card % NUMBERS:
            edge += constants[first + PAIR]
        before = card
    if _RUNS >> (contest_strength(s, kept, ELTAM) >> CATEGORY_BITS) & 1:
        edge += constants[first + STRAIGHT]
    return float(edge)
