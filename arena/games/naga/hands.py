"""How strong a hand of Naga is, as one number. RULES.md 2.3 (categories), 2.4 (comparison) and 2.5 (moons).

A hand is a bit mask over card ids, id = attribute * 7 + number - 1 with the attributes d l f a w t e = 0..6: each
attribute is a row of seven bits, each number a column. Two facts replace sorting and searching:

- Sorted lists of equal length compare like their counts per key, the best key first. So a list of keys is packed into
  bit fields that count cards, the field of the best key on top.
- Moons need no search: the other cards decide the category. A moon brings a key of the trump level into a group (or
  finds the trump there), so the highest number makes the best group; a straight is best in the highest window, a flush
  with the highest numbers allowed. (tests/games/naga/test_naga_hands.py compares this with all that the moons may stand for.)

Inside this module numbers count from 0: number 6 is the 7 of the cards.
"""

import numpy as np

from arena.engine.jit import jit
from arena.engine.machine import lowest_bit, popcount

NUMBERS = 7  # per attribute: the width of a row
ATTRIBUTES = 7
HEAVEN = 2  # attributes below this are heaven (dark, light), the others earth
ILBECK, KOCELTER = 49, 50  # ids of the big and the small moon, the small one is stronger

CATEGORIES_4 = ("none", "pair", "two pair", "three of a kind", "straight", "flush", "four of a kind")
CATEGORIES_5 = (*CATEGORIES_4[:6], "full house", "four of a kind", "straight flush", "five of a kind")

_TWO_PAIR, _STRAIGHT, _FLUSH, _FULL_HOUSE, _STRAIGHT_FLUSH = 2, 4, 5, 6, 8
_OF_A_KIND = np.array([[0, 0, 1, 3, 6, 0], [0, 0, 1, 3, 7, 9]], np.int64)  # by size of hand - 4 and size of group

CATEGORY_BITS = 40  # strength = category << CATEGORY_BITS | packed keys

# Packed keys of one group, from the top: level of its best card (2 bits: earth, heaven, trump), number (3), then how
# many Kocelters, Ilbecks and natural cards it has of trump (1, 1, 1 bits), heaven (1, 1, 2) and earth (1, 1, 3).
_GROUP = 17  # bits of all that
_GROUP_LEVEL, _GROUP_NUMBER = 15, 12
_TRUMP_MOONS, _HEAVEN_MOONS, _EARTH_MOONS = 10, 7, 3  # Ilbeck's bit, Kocelter's is the next one
_GROUP_TRUMP, _GROUP_HEAVEN = 9, 5

# Packed keys of cards of different numbers, from the top: level of the whole hand (2 bits, only moon_class=identity),
# three bits for each number of the trump level (Kocelter, Ilbeck, trump), a row of heaven, a row of earth.
_LEVEL, _TRUMPS, _HEAVENS = 35, 14, 7

_ROW = (1 << NUMBERS) - 1
_NATURALS = (1 << ILBECK) - 1
_COLUMN = sum(1 << NUMBERS * attribute for attribute in range(ATTRIBUTES))  # the cards of number 0
_HEAVEN_COLUMN = _COLUMN & ((1 << NUMBERS * HEAVEN) - 1)
_HIGHEST = np.array([max(row.bit_length() - 1, 0) for row in range(1 << NUMBERS)], np.int64)  # index of the highest bit
_SPREAD = np.array([int(f"{row:b}", 8) for row in range(1 << NUMBERS)], np.int64)  # three bits for each bit


def category_of(value: int) -> int:
    """The category of a strength: the number in RULES.md 2.3, an index into CATEGORIES_4 or CATEGORIES_5."""
    return value >> CATEGORY_BITS


def category_name(value: int, size: int) -> str:
    """The category of a strength in words.

    >>> category_name(strength(0b1111, 4, 0, 0, 0, 1), 4)
    'flush'
    """
    return (CATEGORIES_4 if size == 4 else CATEGORIES_5)[category_of(value)]


@jit
def strength(hand: int, size: int, trump: int, none_all: int, identity: int, duplicates: int) -> int:
    """A number that is larger for the stronger hand and equal for a tie, among hands of one size, trump and options.

    `hand` is a mask of `size` (4 or 5) cards and `trump` an attribute; the options are 0 or 1 for none_compare=all,
    moon_class=identity and moon_duplicate=true (RULES.md 2.9, O-G3 to O-G5).
    """
    naturals = hand & _NATURALS
    moons = hand >> ILBECK  # bit 0 Ilbeck, bit 1 Kocelter
    seen = _numbers(naturals)
    apart = identity & (1 - duplicates)  # moons have the level of what they stand for, and cannot join the trump
    if popcount(seen) + popcount(moons) < size:
        return _paired(naturals, moons, size, trump, apart)
    attribute = lowest_bit(naturals) // NUMBERS
    flush = naturals >> NUMBERS * attribute <= _ROW
    straight = _highest(seen) - lowest_bit(seen) < size
    if flush and straight and size == 5:
        keys = _flush_keys(naturals, attribute, trump, identity) | _straight_moons(seen, moons, size)
        return _STRAIGHT_FLUSH << CATEGORY_BITS | keys
    if flush:
        keys = _flush_keys(naturals, attribute, trump, identity) | _flush_moons(seen, moons, duplicates)
        return _FLUSH << CATEGORY_BITS | keys
    if straight:
        return _STRAIGHT << CATEGORY_BITS | _keys(naturals, trump) | _straight_moons(seen, moons, size)
    if moons:
        category = int(_OF_A_KIND[size - 4, 1 + popcount(moons)])
        return category << CATEGORY_BITS | _joined(_group(naturals, _highest(seen), trump), moons, trump, apart)
    return _none_keys(naturals, trump, none_all)


@jit
def _highest(row: int) -> int:
    """Index of the highest bit of a row, 0 for an empty one."""
    return int(_HIGHEST[row])


@jit
def _numbers(cards: int) -> int:
    """The numbers that occur among natural cards, as a row: all rows laid over each other."""
    half = cards | cards >> 4 * NUMBERS
    quarter = half | half >> 2 * NUMBERS
    return (quarter | quarter >> NUMBERS) & _ROW


@jit
def _levels(naturals: int, trump: int) -> tuple[int, int, int]:
    """The numbers of the trump, heaven and earth cards, as rows."""
    others = naturals & ~(_ROW << NUMBERS * trump)
    trumps = naturals >> NUMBERS * trump & _ROW
    return trumps, (others | others >> NUMBERS) & _ROW, _numbers(others >> NUMBERS * HEAVEN)


@jit
def _keys(naturals: int, trump: int) -> int:
    """Packed keys of natural cards of different numbers (RULES.md 2.4)."""
    trumps, heavens, earths = _levels(naturals, trump)
    return int(_SPREAD[trumps]) << _TRUMPS | heavens << _HEAVENS | earths


@jit
def _none_keys(naturals: int, trump: int, none_all: int) -> int:
    """RULES.md 2.4: of a hand of category none only the strongest card counts, or all cards do (O-G3)."""
    if none_all:
        return _keys(naturals, trump)
    trumps, heavens, earths = _levels(naturals, trump)
    if trumps:
        return 2 * NUMBERS + _highest(trumps)
    if heavens:
        return NUMBERS + _highest(heavens)
    return _highest(earths)


@jit
def _moon_keys(moons: int, first: int, second: int) -> int:
    """Packed keys of moons as numbers of the trump level: `first`, but of two moons Ilbeck is `second`."""
    if moons == 3:
        return (0b100 << 3 * first | 0b010 << 3 * second) << _TRUMPS
    return moons << 3 * first + 1 + _TRUMPS


@jit
def _straight_moons(seen: int, moons: int, size: int) -> int:
    """RULES.md 2.5: moons fill the gaps of the highest window of `size` numbers around the natural cards."""
    window = _ROW >> NUMBERS - size << min(lowest_bit(seen), NUMBERS - size)
    gaps = window & ~seen
    first = _highest(gaps)
    return _moon_keys(moons, first, _highest(gaps & ~(1 << first)))


@jit
def _flush_moons(seen: int, moons: int, duplicates: int) -> int:
    """RULES.md 2.5: moons become 7s or, without duplicates (O-G5), the highest numbers that are not there yet."""
    if duplicates:
        return _moon_keys(moons, NUMBERS - 1, NUMBERS - 1)
    free = _ROW & ~seen
    first = _highest(free)
    return _moon_keys(moons, first, _highest(free & ~(1 << first)))


@jit
def _flush_keys(naturals: int, attribute: int, trump: int, identity: int) -> int:
    """Packed keys of the natural cards of a flush; with identity (O-G4) the whole hand, moons too, has one level."""
    if not identity:
        return _keys(naturals, trump)
    level = 2 if attribute == trump else 1 if attribute < HEAVEN else 0
    return level << _LEVEL | _keys(naturals, attribute)


@jit
def _paired(naturals: int, moons: int, size: int, trump: int, apart: int) -> int:
    """Strength of a hand with two or more natural cards of one number."""
    repeated, tripled = _repeated(naturals)
    number = _highest(tripled if tripled else repeated)
    group = _joined(_group(naturals, number, trump), moons, trump, apart)
    pair = repeated & ~(1 << number)
    if pair:  # RULES.md 2.4: the triple, or the higher pair, is compared first; moons joined it
        category = _FULL_HOUSE if tripled or moons else _TWO_PAIR
        return category << CATEGORY_BITS | group << _GROUP | _group(naturals, _highest(pair), trump)
    count = popcount(naturals >> number & _COLUMN) + popcount(moons)
    return int(_OF_A_KIND[size - 4, count]) << CATEGORY_BITS | group


@jit
def _repeated(naturals: int) -> tuple[int, int]:
    """The numbers that occur at least twice, and at least three times, as rows."""
    seen = repeated = tripled = 0
    for attribute in range(ATTRIBUTES):
        row = naturals >> NUMBERS * attribute & _ROW
        tripled |= repeated & row
        repeated |= seen & row
        seen |= row
    return repeated, tripled


@jit
def _group(naturals: int, number: int, trump: int) -> int:
    """Packed keys of all natural cards of one number."""
    column = naturals >> number & _COLUMN
    trumps = column >> NUMBERS * trump & 1
    others = column & ~(1 << NUMBERS * trump)
    heavens = popcount(others & _HEAVEN_COLUMN)
    earths = popcount(others >> NUMBERS * HEAVEN)
    level = 2 if trumps else 1 if heavens else 0
    counts = trumps << _GROUP_TRUMP | heavens << _GROUP_HEAVEN | earths
    return level << _GROUP_LEVEL | number << _GROUP_NUMBER | counts


@jit
def _joined(group: int, moons: int, trump: int, apart: int) -> int:
    """Packed keys of a group with moons of its number; its best card is then the trump or a moon of that level."""
    if not moons:
        return group
    keys = _moons_apart(group, moons, trump) if apart else moons << _TRUMP_MOONS
    return group & ~(3 << _GROUP_LEVEL) | 2 << _GROUP_LEVEL | keys


@jit
def _moons_apart(group: int, moons: int, trump: int) -> int:
    """Packed keys of moons each of which needs a free card of the group's number; Kocelter takes the best one."""
    free_trumps = 1 - (group >> _GROUP_TRUMP & 1)
    free_heavens = HEAVEN - (1 if trump < HEAVEN else 0) - (group >> _GROUP_HEAVEN & 3)
    keys = 0
    for moon in range(1, -1, -1):
        if moons >> moon & 1:
            if free_trumps:
                keys |= 1 << _TRUMP_MOONS + moon
                free_trumps = 0
            elif free_heavens:
                keys |= 1 << _HEAVEN_MOONS + moon
                free_heavens -= 1
            else:
                keys |= 1 << _EARTH_MOONS + moon
    return keys
