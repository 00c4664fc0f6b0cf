"""What cards of Naga make together, judged for learning programs: how strong a hand is, what a hand of five can still become.

RULES.md 2.3 to 2.5 say what hands are worth; hands.py compares them exactly.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.engine.jit import jit
from arena.engine.machine import bit_length, lowest_bit
from arena.games.naga.hands import ATTRIBUTES, CATEGORIES_5, CATEGORY_BITS, ILBECK, NUMBERS, strength
from arena.games.naga.rules import field_mask
from arena.games.naga.state import ELTAM, TRUMPS, State

NATURALS = (1 << ILBECK) - 1
FOUR_KINDS, _FLUSH, _STRAIGHT, _THREE_KINDS, _TWO_PAIR, _PAIR = 6, 5, 4, 3, 2, 1  # categories of four cards
_FIVE_CARD_CATEGORY = np.array([0, 1, 2, 3, 4, 5, 7], np.int64)  # of a category of four cards
_GROUPED = 1 << 1 | 1 << 3 | 1 << 7 | 1 << 9  # five-card categories of one group; of two groups: two pair, full house
_TWICE_GROUPED = 1 << 2 | 1 << 6
_SUITED = 1 << 5 | 1 << 8
_KEYS = 3 * NUMBERS  # class and number of a hand's best card
_OF_STRENGTHS = 1 / (_KEYS * len(CATEGORIES_5))  # factors: a division takes longer


def _runs(size: int) -> NDArray[np.int64]:
    """How many numbers of a row lie in the best window of `size`, by row; then those in windows with number 0, 1, ..."""
    windows = [((1 << size) - 1) << low for low in range(NUMBERS - size + 1)]
    return np.array(
        [
            [
                max((row & window).bit_count() for window in windows if window & must == must)
                for must in (0, *(1 << n for n in range(NUMBERS)))
            ]
            for row in range(1 << NUMBERS)
        ]
    )


ROW = (1 << NUMBERS) - 1  # the cards of one attribute
COLUMNS = np.array([sum(1 << NUMBERS * attribute + number for attribute in range(ATTRIBUTES)) for number in range(NUMBERS)])
"""All natural cards of each number."""
RUNS_4, RUNS_5 = _runs(4), _runs(5)


@jit
def power(s: State, cards: int, place: int) -> float:
    """How strong `cards` are at a place, from 0 to 1: the category of the hand, and within it the key of its best card."""
    size = 5 if place == ELTAM else 4
    return power_of(cards | field_mask(s, place), size, int(TRUMPS[place]), s.none_compare, s.moon_class, s.moon_duplicate)


@jit
def power_of(hand: int, size: int, trump: int, none_all: int, identity: int, duplicates: int) -> float:
    """The same of a whole hand, the field cards included; parameters as in hands.py."""
    return grade(strength(hand, size, trump, none_all, identity, duplicates), size, none_all, identity)


@jit
def grade(value: int, size: int, none_all: int, identity: int) -> float:
    """The same of the strength of a hand of four or five cards."""
    category = value >> CATEGORY_BITS
    if size == 4:
        category = int(_FIVE_CARD_CATEGORY[category])
    return (_KEYS * category + best_key(value, category, none_all, identity) + 0.5) * _OF_STRENGTHS


@jit
def best_key(value: int, category: int, none_all: int, identity: int) -> int:
    """Class * 7 + number - 1 of the best card that makes a hand (RULES.md 2.4), read from its strength (hands.py)."""
    if _GROUPED >> category & 1:
        return NUMBERS * (value >> 15 & 3) + (value >> 12 & 7)
    if _TWICE_GROUPED >> category & 1:
        return NUMBERS * (value >> 32 & 3) + (value >> 29 & 7)
    if category == 0 and not none_all:
        return value
    trumps = value >> 14 & (1 << 3 * NUMBERS) - 1
    if trumps:
        level = value >> 35 & 3 if identity and _SUITED >> category & 1 else 2
        return NUMBERS * level + (bit_length(trumps) - 1) // 3
    return bit_length(value & (1 << 2 * NUMBERS) - 1) - 1


Shape: TypeAlias = tuple[int, int, int, int, int, int]
"""How many natural cards there are of each number and of each attribute, four bits each; the numbers that occur, and those that
occur twice or more, as rows; the largest counts of a number and of an attribute."""


@jit
def hand_shape(naturals: int) -> Shape:
    """Count natural cards by number and by attribute."""
    numbers = attributes = row = pairs = most = suited = 0
    while naturals:
        card = lowest_bit(naturals)
        naturals &= naturals - 1
        number, attribute = card % NUMBERS, card // NUMBERS
        numbers += 1 << 4 * number
        attributes += 1 << 4 * attribute
        most = max(most, numbers >> 4 * number & 15)
        suited = max(suited, attributes >> 4 * attribute & 15)
        pairs |= (row >> number & 1) << number
        row |= 1 << number
    return numbers, attributes, row, pairs, most, suited


@jit
def best_category(shape: Shape, moons: int, field: int) -> int:
    """The category of the best four cards that a field card makes with three of a hand of five, which has `moons` moons."""
    numbers, attributes, row, pairs, most, suited = shape
    wild = moons
    if field < ILBECK:
        number = field % NUMBERS
        matches = numbers >> 4 * number & 15
        suited = attributes >> 4 * (field // NUMBERS) & 15
        run = int(RUNS_4[row | 1 << number, 1 + number]) - 1
        pairs &= ~(1 << number)
    else:
        wild += 1
        matches = most
        run = int(RUNS_4[row, 0])
    best = _PAIR * (wild + matches + pairs > 0)  # without branches, which nobody can predict
    best = max(best, _TWO_PAIR * (wild == 0 and matches == 1 and pairs > 0))
    best = max(best, _THREE_KINDS * (matches + moons >= 2 or most + moons >= 3))
    best = max(best, _STRAIGHT * (run + moons >= 3))
    best = max(best, _FLUSH * (suited + moons >= 3))
    return max(best, FOUR_KINDS * (matches + moons >= 3))
