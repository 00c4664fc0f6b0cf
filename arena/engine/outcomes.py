"""What actions led to and how a round ended, in facts and numbers that any page or terminal can put into words.

A game's `outcomes.py` says it (docs/tables.md): facts are keys of its words, `page/words.json`.
"""

from collections.abc import Mapping

import msgspec

Value = int | str | list[str]
"""A number, a text, or cards by their texts, which a page names."""


class Fact(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something that happened: a sentence of the game's words."""

    key: str
    """The sentence. `{name}` in it is the first of `seats`, `{others}` are those behind it."""
    seats: tuple[int, ...] = ()
    values: Mapping[str, Value] = {}
    """What else stands in the sentence, by name."""
    terms: Mapping[str, str] = {}
    """Words that stand in it, by name, as keys of the same words. What stands in them is filled likewise."""


class Cell(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A number of a seat."""

    now: int
    change: int = 0
    """The number by which the round has changed it; 0: it is not marked."""


class SeatResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a round brought to a seat, or to a team."""

    seats: tuple[int, ...]
    """The seat; the seats of a team."""
    cells: tuple[Cell | None, ...]
    """A number for each column; None: there is none."""
    facts: tuple[Fact, ...] = ()
    """What marks the seat, in a word or two each."""


class RoundResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The end of a round."""

    facts: tuple[Fact, ...]
    """The sentences that say who ended it and how, the first one first."""
    columns: tuple[str, ...]
    """The names of the numbers, as keys of the game's words."""
    rows: tuple[SeatResult, ...]
    """The numbers of each seat or team."""
