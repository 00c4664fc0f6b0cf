"""Strength of Naga hands (RULES.md 2.3 to 2.5) against a reference that tries every card for every moon."""

import itertools
import json
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from arena.engine import jit, machine
from arena.games.naga import hands

CARDS = [f"{attribute}{number}" for attribute in "dlfawte" for number in range(1, 8)] + ["I", "K"]
TRUMP_OF_PLACE = dict(enumerate("dftwela", 1))  # RULES.md 2.1
OPTIONS = list(itertools.product((0, 1), repeat=3))  # none_all, identity, duplicates

VECTORS = Path(hands.__file__).with_name("vectors.jsonl").read_text(encoding="utf-8").splitlines()
COMPARISONS = [vector for vector in map(json.loads, VECTORS) if "left" in vector]

Options = tuple[int, ...]
Value = tuple[int, list[tuple[int, int, int]]]


def mask(cards: Sequence[int]) -> int:
    return sum(1 << card for card in cards)


def strength(cards: Sequence[int], trump: int, options: Options) -> int:
    return int(hands.strength(mask(cards), len(cards), trump, *options))


# The reference: RULES.md 2.3 to 2.5 word by word.


def reference(cards: Sequence[int], trump: int, options: Options) -> Value:
    """The best (category, keys) of all that the moons may stand for (RULES.md 2.5 and O-G5)."""
    naturals = [card for card in cards if card < 49]
    moons = [card for card in cards if card >= 49]
    return max(
        value_of([*naturals, *stands], [0] * len(naturals) + [moon - 48 for moon in moons], trump, options)
        for stands in itertools.product(range(49), repeat=len(moons))
        if options[2] or len({*naturals, *stands}) == len(cards)
    )


def value_of(cards: Sequence[int], marks: Sequence[int], trump: int, options: Options) -> Value:
    """Category and ordered keys of cards of which those with a mark are moons (1 Ilbeck, 2 Kocelter)."""
    none_all, identity, _ = options
    attributes = [card // 7 for card in cards]
    numbers = [card % 7 + 1 for card in cards]
    category = category_of(attributes, numbers)
    keys = []
    for attribute, number, mark in zip(attributes, numbers, marks, strict=True):
        natural_class = 2 if attribute == trump else 1 if attribute < 2 else 0
        keys.append((2 if mark and not identity else natural_class, number, mark))
    keys.sort(reverse=True)
    if category == "none":
        keys = keys if none_all else keys[:1]
    elif category not in ("straight", "flush", "straight flush"):
        groups = [(count, number) for number, count in Counter(numbers).items() if count > 1]
        keys = [key for _, number in sorted(groups, reverse=True) for key in keys if key[1] == number]
    return (hands.CATEGORIES_4 if len(cards) == 4 else hands.CATEGORIES_5).index(category), keys


def category_of(attributes: Sequence[int], numbers: Sequence[int]) -> str:
    """RULES.md 2.3, best category first (the lists of 4 and of 5 cards differ only in what 4 cards cannot be)."""
    size = len(numbers)
    flush = len(set(attributes)) == 1
    straight = len(set(numbers)) == size and max(numbers) - min(numbers) == size - 1
    counts = sorted(Counter(numbers).values(), reverse=True)
    cases = [
        ("five of a kind", counts[0] == 5),
        ("straight flush", size == 5 and flush and straight),
        ("four of a kind", counts[0] == 4),
        ("full house", counts == [3, 2]),
        ("flush", flush),
        ("straight", straight),
        ("three of a kind", counts[0] == 3),
        ("two pair", counts[:2] == [2, 2]),
        ("pair", counts[0] == 2),
    ]
    return next((name for name, holds in cases if holds), "none")


# Tests


@pytest.mark.parametrize("vector", COMPARISONS, ids=lambda vector: vector["name"])
def test_vector(vector: dict[str, Any]) -> None:
    options = (
        int(vector["options"]["none_compare"] == "all"),
        int(vector["options"]["moon_class"] == "identity"),
        int(vector["options"]["moon_duplicate"]),
    )
    trump = "dlfawte".index(TRUMP_OF_PLACE[vector["place"]])
    left, right = ([CARDS.index(card) for card in vector[side]] for side in ("left", "right"))
    ours, theirs = strength(left, trump, options), strength(right, trump, options)
    assert ("tie" if ours == theirs else int(ours < theirs)) == vector["winner"]
    value, their_value = reference(left, trump, options), reference(right, trump, options)
    assert ("tie" if value == their_value else int(value < their_value)) == vector["winner"]


def random_hands(size: int, moons: Sequence[int], seed: object) -> list[list[int]]:
    """One random hand for each entry of `moons`, with as many moons; low variety makes ties and near ties likely."""
    generator = random.Random(repr(seed))
    found = []
    for count in moons:
        attributes = generator.sample(range(7), generator.randint(1, 7))
        pool = [7 * attribute + number for attribute in attributes for number in range(7)]
        found.append(generator.sample(pool, size - count) + generator.sample([49, 50], count))
    return found


def assert_same_order(found: Sequence[Sequence[int]], trump: int, options: Options) -> None:
    """In the reference's order neighbours compare alike: by transitivity all pairs do. Categories are equal as well."""
    ordered = sorted((reference(cards, trump, options), strength(cards, trump, options)) for cards in found)
    for value, ours in ordered:
        assert hands.category_of(ours) == value[0]
    for (value, ours), (next_value, next_ours) in itertools.pairwise(ordered):
        assert (ours < next_ours, ours == next_ours) == (value < next_value, value == next_value)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("size", [4, 5])
def test_order_is_that_of_the_reference(size: int, options: Options) -> None:
    for trump in range(7):
        found = random_hands(size, [0] * 40 + [1] * 20 + [2], (size, options, trump))
        assert_same_order(found, trump, options)


@pytest.mark.slow
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("size", [4, 5])
def test_order_is_that_of_the_reference_many(size: int, options: Options) -> None:
    for trump in range(7):
        found = random_hands(size, [0] * 300 + [1] * 100 + [2] * 4, (size, options, trump, "many"))
        assert_same_order(found, trump, options)


def count_categories(size: int, trump: int, none_all: int, identity: int, duplicates: int, counts: Any) -> None:
    """Add all hands of one size to counts[moons, category]: the next larger mask of `size` bits, until bit 51."""
    hand = (1 << size) - 1
    while hand < 1 << 51:
        value = hands.strength(hand, size, trump, none_all, identity, duplicates)
        counts[machine.popcount(hand >> 49), value >> 40] += 1
        carried = hand + (1 << machine.lowest_bit(hand))
        hand = carried | (hand ^ carried) >> 2 + machine.lowest_bit(hand)


ALL_4 = [74_214, 122_829, 9_261, 22_890, 18_942, 882, 882]
NO_MOON_4 = [74_214, 108_045, 9_261, 10_290, 9_576, 245, 245]
ALL_5 = [302_400, 1_113_756, 324_135, 400_533, 120_036, 525, 49_392, 37_044, 357, 882]
TWO_PAIR, THREE, FULL_HOUSE = 2, 3, 6


@pytest.fixture(scope="module")
def counter() -> Any:
    if not jit.ENABLED:
        pytest.skip("millions of hands: too slow without the compiler")
    return jit.bind(count_categories, "arena.games.naga")


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("size", [4, 5])
def test_2_7_category_counts(counter: Any, size: int, options: Options) -> None:
    counts: NDArray[np.int64] = np.zeros((3, 10), np.int64)
    counter(size, 5, *options, counts)
    assert counts.sum(axis=0).tolist() == (ALL_5 if size == 5 else [*ALL_4, 0, 0, 0])
    if size == 4:
        assert counts[0].tolist() == [*NO_MOON_4, 0, 0, 0]
    # RULES.md 2.5, consequences
    assert counts[1:, 0].sum() == 0 and counts[1:, TWO_PAIR].sum() == 0
    assert counts[2, :THREE].sum() == 0
    assert size == 4 or counts[2, FULL_HOUSE] == 0


@given(
    cards=st.integers(4, 5).flatmap(lambda size: st.sets(st.integers(0, 50), min_size=size, max_size=size)),
    trump=st.integers(0, 6),
    options=st.sampled_from(OPTIONS),
    shuffled=st.permutations(range(2, 7)),
    swap=st.booleans(),
)
def test_2_7_attributes_of_one_class_are_equal(
    cards: set[int], trump: int, options: Options, shuffled: list[int], swap: bool
) -> None:
    """Earth attributes may be permuted and heaven attributes swapped, the trump with them."""
    attributes = [*((1, 0) if swap else (0, 1)), *shuffled, 7]
    moved = [7 * attributes[card // 7] + card % 7 for card in cards]
    assert strength(moved, attributes[trump], options) == strength(sorted(cards), trump, options)


def test_names_of_categories() -> None:
    four = [CARDS.index(card) for card in ("d3", "l3", "f3", "K")]
    five = [CARDS.index(card) for card in ("w1", "w2", "w3", "I", "w5")]
    assert hands.category_name(strength(four, 0, (0, 0, 1)), 4) == "four of a kind"
    assert hands.category_name(strength(five, 0, (0, 0, 1)), 5) == "straight flush"
