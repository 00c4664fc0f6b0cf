"""The hand that cards make in Naga, for people: what it is, and why it beats another one (RULES.md 2.3 to 2.5).

Which hand wins is decided by one number (hands.py); here the cards are looked at once more, to say it in words.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from arena.games.naga.hands import NUMBERS

HEAVEN, MOONS = "dl", "IK"  # the big moon, and the small one, which is stronger
EARTH_CLASS, HEAVEN_CLASS, TRUMP_CLASS = range(3)
CATEGORY_KEYS = {
    "none": "none", "pair": "pair", "two pair": "two_pair", "three of a kind": "three", "straight": "straight",
    "flush": "flush", "full house": "full_house", "four of a kind": "four", "straight flush": "straight_flush",
    "five of a kind": "five",
}  # fmt: skip
"""The keys of the words for a category, behind `hand_` and `name_`."""
_GROUPS = ("pair", "two pair", "three of a kind", "full house", "four of a kind", "five of a kind")

Key = tuple[int, int, int]
"""How strong a card is: its class, its number, and 1 or 2 for a moon."""


class Made(NamedTuple):
    """A hand, as people speak of it."""

    category: str
    """One of CATEGORIES_4 or CATEGORIES_5 (hands.py)."""
    number: int
    """The number of the group or of the higher pair, or the highest one of a straight. 0 where none is said."""
    other: int
    """The number of the second pair, 0 without one."""
    ranked: tuple[tuple[Key, str], ...]
    """The cards that count and their strength, in the order in which they are compared."""

    @property
    def best(self) -> str:
        """The card that is compared first."""
        return self.ranked[0][1]


def made(cards: Sequence[str], trump: str, category: str, moon_duplicate: bool = True) -> Made:
    """Return what 4 or 5 cards are in a contest with this trump. `category`: as the rules have found it."""
    naturals = [card for card in cards if card not in MOONS]
    moons = [card for card in reversed(MOONS) if card in cards]
    counts = Counter(int(card[1]) for card in naturals)
    if category in _GROUPS:
        number = _group_number(counts)
        second = _group_number(counts, number) if category in ("two pair", "full house") else 0
        ranked = _ranked(naturals, trump, [number], dict.fromkeys(moons, number))
        return Made(category, number, second, ranked + _ranked(naturals, trump, [second], {}))
    taken = dict(zip(moons, _free(category, counts, len(cards), moon_duplicate)))
    ranked = _ranked(naturals, trump, counts, taken)
    if category == "none":
        return Made(category, 0, 0, ranked[:1])
    return Made(category, max([*counts, *taken.values()]) if "straight" in category else 0, 0, ranked)


def why_better(one: Made, other: Made) -> str:
    """The key of the words for why a hand beats another one of its category."""
    for (key, card), (lower, _) in zip(one.ranked, other.ranked):
        if key[0] != lower[0]:
            return "because_moon" if card in MOONS else "because_trump" if key[0] == TRUMP_CLASS else "because_heaven"
        if key[1] != lower[1]:
            return "because_number"
        if key[2] != lower[2]:
            return "because_moon"
    return "because_cards"


def _group_number(counts: Counter[int], apart_from: int = 0) -> int:
    """The number of which there are three, else two, else one; the highest one of several."""
    for size in (3, 2, 1):
        if found := [number for number, count in counts.items() if count >= size and number != apart_from]:
            return max(found)
    raise ValueError("a hand without cards of any number")


def _free(category: str, counts: Counter[int], size: int, moon_duplicate: bool) -> list[int]:
    """The numbers that the moons stand for, the better one first: the gaps of a straight, the highest ones of a flush."""
    if "straight" in category:
        lowest = min(*counts, NUMBERS - size + 1)
        return [number for number in range(lowest + size - 1, lowest - 1, -1) if number not in counts]
    return [number for number in range(NUMBERS, 0, -1) if number not in counts] if not moon_duplicate else [NUMBERS, NUMBERS]


def _ranked(
    naturals: Sequence[str], trump: str, numbers: Collection[int], moons: Mapping[str, int]
) -> tuple[tuple[Key, str], ...]:
    """Cards of some numbers, and the moons by what they stand for, the strongest one first."""
    keys = [(_key(card, trump), card) for card in naturals if int(card[1]) in numbers]
    keys += [((TRUMP_CLASS, number, 1 + MOONS.index(moon)), moon) for moon, number in moons.items()]
    return tuple(sorted(keys, reverse=True))


def _key(card: str, trump: str) -> Key:
    return TRUMP_CLASS if card[0] == trump else HEAVEN_CLASS if card[0] in HEAVEN else EARTH_CLASS, int(card[1]), 0
