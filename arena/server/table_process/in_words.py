"""What people at a table are told beside the cards, as sentences for a terminal or for an agent: reasons, and what is known."""

from collections.abc import Sequence
from typing import Any

from arena.reports.pages.words import catalogue, filled
from arena.reports.table import LANGUAGES
from arena.server.table_process.messages import Known, Refusal


def reason(one: Refusal, game: str, language: str = LANGUAGES[0]) -> str:
    """Why a card cannot be played now, in the game's words; the section of the rules is apart (`one.rule`)."""
    return filled(_word(game, one.why, language), {name: _shown(value) for name, value in one.values.items()})


def known_group(one: Known, game: str, names: Sequence[str], language: str = LANGUAGES[0]) -> str:
    """A group of cards that a perfect memory knows, with its heading. `names`: of the seats."""
    cards = ", ".join(plain(card) if count == 1 else f"{plain(card)} x{count}" for card, count in one.cards)
    values = {} if one.seat is None else {"name": names[one.seat], "seat": one.seat}
    return f"{filled(_word(game, one.title, language), values)}: {cards}"


def plain(card: str) -> str:
    """A card's text without the kind or the deck that a page tells it from others by.

    >>> plain("0:S3")
    'S3'
    """
    return card.rpartition(":")[2]


def _word(game: str, key: str, language: str) -> str:
    """A sentence of the game; its key where it has none."""
    return catalogue(game).get(language, {}).get(key, key)


def _shown(value: Any) -> str:
    return " ".join(map(_shown, value)) if isinstance(value, list) else plain(str(value))
