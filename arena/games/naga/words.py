"""The words that positions and actions of Naga are written with."""

from typing import Any

from arena.errors import PositionError
from arena.games.naga.state import CARDS, DESIGNATE, FIRST_CARD, MATCH_OVER, SELECT

PLACE_NAMES = ("", "Kut", "Onotoa", "Avoria", "Eltam", "Siritas", "Cheles", "Eil")
TRUMP_NAMES = ("", "dark", "fire", "wood", "water", "earth", "light", "wind")
PHASES = {"designate": DESIGNATE, "select": SELECT, "over": MATCH_OVER}
WON = {0: 1, 1: 2, "tie": 3}
HIDDEN = "?"
_FIRST: list[int] = FIRST_CARD.tolist()


def field_cards(s: Any, place: int) -> list[str]:
    """The field cards of a place, ascending by card id. `s`: a state, or its fields."""
    return [CARDS.text(card) for card in sorted(s.field[_FIRST[place] : _FIRST[place + 1]])]


def parse_action(s: Any, text: str) -> int:
    """The action that a text names; raises PositionError for a text that names none, or a card that is not held."""
    kind, *words = text.split(" ")
    if s.phase == DESIGNATE:
        if kind != "field" or len(words) != 1 or words[0] not in list("1234567"):
            raise PositionError(f'action: "field N" with a place from 1 to 7 is needed now, not {text!r}')
        return int(words[0])
    if kind != "select" or not words:
        raise PositionError(f'action: "select C C C" is needed now, not {text!r}')
    hand = CARDS.listing(int(s.hand[s.turn]))
    for word in words:
        if word not in hand:
            raise PositionError(f"action: {text!r} names {word!r}; the hand is {' '.join(hand)}")
    places = [hand.index(word) for word in words]
    if places != sorted(set(places)):
        raise PositionError(f"action: {text!r} must name its cards once each, in ascending card id")
    return sum(1 << place for place in places)


def series_text(s: Any) -> str:
    """How long the series is, in words."""
    return f"{s.series_count}" if s.series_kind == 0 else f"a race to {s.series_count}"
