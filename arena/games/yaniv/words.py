"""The words that positions and actions of Yaniv are written with."""

from collections.abc import Iterable
from typing import Any, cast

from arena.engine.position import Fields
from arena.games.yaniv.rows import CARDS, JOKER
from arena.games.yaniv.state import DRAW, MATCH_OVER, SLAP, START, State

PHASES = {"start": START, "draw": DRAW, "slap": SLAP, "over": MATCH_OVER}
HIDDEN = "?"
_PILE_TEXTS = [CARDS.text(min(max(bit - 1, 0), JOKER)) for bit in range(65)]  # by the place of a bit in a pile, from 1


def plain(s: Any) -> State:
    """The fields of a record as Python numbers and lists: reading them one by one from the record is slow."""
    return cast(State, Fields(s))


def cards_of(row: int) -> list[str]:
    """The texts of a row of cards."""
    texts, cards = CARDS.texts, []
    while row:
        cards.append(texts[(row & 63) - 1])
        row >>= 6
    return cards


def row_of(cards: Iterable[int]) -> int:
    """A row of card ids."""
    return sum(card + 1 << 6 * place for place, card in enumerate(cards))


def pile_cards(s: Any, pile: int) -> list[str]:
    """The texts of a pile of plain fields, ascending: 0 = buried, then the hidden cards of the earlier stocks."""
    found = []
    for copy in range(2):
        mask = s.piles[2 * pile + copy]
        while mask:
            lowest = mask & -mask
            found.append(lowest.bit_length())
            mask ^= lowest
    return [_PILE_TEXTS[bit] for bit in sorted(found)]


def row_words(row: int) -> str:
    """A row of cards in one text, for people."""
    return " ".join(cards_of(row)) or "no cards"
