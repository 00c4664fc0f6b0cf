"""Cards as numbers and texts."""

import pytest

from arena.cards import STANDARD, Deck
from arena.errors import PositionError

COLOURS = Deck(["red", "green", "blue"])


def test_every_card_has_one_number_and_one_text():
    assert len(COLOURS) == 3
    assert [COLOURS.parse(COLOURS.text(card), "hand") for card in range(3)] == [0, 1, 2]


def test_standard_deck_runs_from_spades_to_the_joker():
    assert len(STANDARD) == 53
    assert [STANDARD.text(card) for card in (0, 12, 13, 26, 39, 51, 52)] == ["SA", "SK", "HA", "DA", "CA", "CK", "*"]


def test_set_of_cards_is_a_mask():
    assert COLOURS.listing(0b101) == ["red", "blue"]
    assert COLOURS.listing(0) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gren", r'hands\[0\]: no card \'gren\'; did you mean "green"\?'),
        ("Red", "no card 'Red'"),
        ("", "known: blue, green, red"),
        (1, "a card is a text such as 'red', not 1"),
        (None, "not None"),
        (["red"], "a card is a text"),
    ],
)
def test_refused_text_names_the_key(text, message):
    with pytest.raises(PositionError, match=message):
        COLOURS.parse(text, "hands[0]")
