"""The words that positions and actions of Yaniv are written with."""

from collections.abc import Iterable
from typing import Any, cast

from arena.engine.fields import Fields
from arena.games.yaniv.rows import CARDS, JOKER
from arena.games.yaniv.state import DRAW, MATCH_OVER, SLAP, START, State

PHASES = {"start": START, "draw": DRAW, "slap": SLAP, "over": MATCH_OVER}
HIDDEN = "?"


def plain(s: Any) -> State:
    """The fields of a record as Python numbers and lists."""
    return cast(State, Fields(s))


def cards_of(row: int) -> list[str]:
    """The texts of a row of cards."""
    cards = []
    while row:
        cards.append(CARDS.text((row & 63) - 1))
        row >>= 6
    return cards


def row_of(cards: Iterable[int]) -> int:
    """A row of card ids."""
    return sum(card + 1 << 6 * place for place, card in enumerate(cards))


def pile_cards(s: Any, pile: int) -> list[str]:
    """The texts of a pile of plain fields, ascending: 0 = buried, then the hidden cards of the earlier stocks."""
    bits = []
    for copy in range(2):
        mask = s.piles[2 * pile + copy]
        while mask:
            bits.append(min((mask & -mask).bit_length() - 1, JOKER))
            mask &= mask - 1
    return [CARDS.text(card) for card in sorted(bits)]


def row_words(row: int) -> str:
    """A row of cards in one text, for people."""
    return " ".join(cards_of(row)) or "no cards"
