"""Read a position, a JSON object, key by key; every mistake raises an error that names the key (docs/notation.md).

A state read from Python: for texts and views, which look at many of its fields.
"""

import functools
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from struct import Struct
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from arena.cards import Deck
from arena.errors import PositionError, nearest

_CODES = {
    "i1": "b", "i2": "h", "i4": "i", "i8": "q", "u1": "B", "u2": "H", "u4": "I", "u8": "Q", "f4": "f", "f8": "d", "b1": "?",
}  # fmt: skip  # what numpy's types of numbers are called by Python's module struct


if TYPE_CHECKING:
    from functools import cached_property as cached_property
else:

    class cached_property(functools.cached_property):  # noqa: N801  # like the one of Python
        """A property that is worked out when it is first asked for. Python's own takes a lock for it, before version 3.12."""

        def __get__(self, instance: Any, owner: type[Any] | None = None) -> Any:
            """The value, which from now on hides the property."""
            if instance is None:
                return self
            value = instance.__dict__[self.attrname] = self.func(instance)
            return value


class Fields:
    """A state's fields as plain numbers and lists, each read when it is first asked for: reading a numpy record is slow."""

    def __new__(cls, record: Any) -> "Fields":
        """An object of a class that knows the fields of this kind of state."""
        return object.__new__(_class_of(record.record.dtype if isinstance(record, Fields) else record.dtype))

    def __init__(self, record: Any) -> None:
        """`record`: the state, a record of a game's STATE, or its fields."""
        self.record: Any = record.record if isinstance(record, Fields) else record
        """The state itself, for compiled functions."""
        self._bytes = self.record.tobytes()

    def bytes_of(self, name: str) -> bytes:
        """A field as it lies in the record."""
        kind, offset = self.record.dtype.fields[name][:2]
        held: bytes = self._bytes[offset : offset + kind.itemsize]
        return held

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """The type checker cannot know the fields."""


class _Field:
    """A field that an object of Fields has not read yet. What it has read hides this."""

    def __init__(self, name: str, kind: np.dtype[Any], offset: int) -> None:
        code = kind.base.str[0].replace("|", "=") + str(int(np.prod(kind.shape))) + _CODES[kind.base.str[1:]]
        self._name, self._shape, self._offset, self._numbers = name, kind.shape, offset, Struct(code)

    def __get__(self, fields: Any, _class: type[Any]) -> Any:
        numbers = self._numbers.unpack_from(fields._bytes, self._offset)
        value = _nested(list(numbers), self._shape) if self._shape else numbers[0]
        fields.__dict__[self._name] = value
        return value


def _nested(numbers: list[Any], shape: tuple[int, ...]) -> list[Any]:
    """The numbers of an array as lists of its rows."""
    for width in shape[:0:-1]:
        numbers = [numbers[first : first + width] for first in range(0, len(numbers), width)]
    return numbers


@cache
def _class_of(state: np.dtype[Any]) -> type[Fields]:
    """The class of the fields of one kind of state."""
    kinds = (state.fields or {}).items()
    return type("Fields", (Fields,), {name: _Field(name, kind, offset) for name, (kind, offset, *_) in kinds})


COMMON_KEYS = ("game", "options", "seats", "round", "turn", "phase", "starter", "rng")
_EMPTY: tuple[Any, ...] = (None, [], {}, "")


class PositionReader:
    """Typed access to a position; an absent key, null and the key's empty value are the same."""

    def __init__(self, document: object, game: str, keys: Collection[str]) -> None:
        """`keys`: what this game's positions may hold beside the common keys."""
        if not isinstance(document, dict):
            raise PositionError(f"a position is a JSON object, not {_kind(document)}")
        self._document = cast("dict[str, Any]", document)
        known = {*COMMON_KEYS, *keys}
        for key in self._document:
            if key not in known:
                raise PositionError(f"{key}: no such key in a {game} position; {nearest(str(key), known)}")
        if self._document.get("game", game) != game:
            raise PositionError(f'game: this is a position of {self._document["game"]!r}, not of "{game}"')

    def is_empty(self, key: str) -> bool:
        """Whether a key is absent, null or has its empty value."""
        return any(self._document.get(key) == empty for empty in _EMPTY)

    def refuse(self, keys: Iterable[str], why: str) -> None:
        """Raise PositionError for a key that has a value although it belongs to another phase or variant."""
        for key in keys:
            value = self._document.get(key)
            if not self.is_empty(key) and not (isinstance(value, list) and all(item is None for item in value)):
                raise PositionError(f"{key}: must be empty {why}, not {value!r}")

    def whole(self, key: str, lowest: int, highest: int, default: int | None = None) -> int:
        """The whole number at `key`; raises PositionError outside `lowest` to `highest`."""
        value = self._document.get(key)
        if value is None and default is not None:
            return default
        return self.as_whole(value, key, lowest, highest)

    def as_whole(self, value: object, key: str, lowest: int, highest: int) -> int:
        """`value`, found at `key`, as a whole number; raises PositionError outside `lowest` to `highest`."""
        if isinstance(value, bool) or not isinstance(value, int):
            raise PositionError(f"{key}: a whole number from {lowest} to {highest} is needed, not {_kind(value)}")
        if not lowest <= value <= highest:
            raise PositionError(f"{key}: {value} is not from {lowest} to {highest}")
        return value

    def word(self, key: str, words: Collection[str]) -> str:
        """The text at `key`; raises PositionError unless it is one of `words`."""
        value = self._document.get(key)
        if not isinstance(value, str) or value not in words:
            raise PositionError(f"{key}: one of {', '.join(words)} is needed, not {value!r}")
        return value

    def listing(self, key: str, length: int | None = None) -> list[Any]:
        """The list at `key` (empty when absent), of `length` items if that is given."""
        return self.as_listing(self._document.get(key), key, length)

    def as_listing(self, value: object, key: str, length: int | None = None) -> list[Any]:
        """`value`, found at `key`, as a list, of `length` items if that is given."""
        if value is None:
            value = []
        if not isinstance(value, list):
            raise PositionError(f"{key}: a list is needed, not {_kind(value)}")
        if length is not None and len(value) != length:
            raise PositionError(f"{key}: {length} items are needed, not {len(value)}")
        return value

    def mapping(self, key: str) -> Mapping[str, Any]:
        """The object at `key` (empty when absent)."""
        value = self._document.get(key)
        if value is None or value == []:
            return {}
        if not isinstance(value, dict):
            raise PositionError(f"{key}: an object is needed, not {_kind(value)}")
        return value

    def cards(self, value: object, key: str, deck: Deck, length: int | None = None) -> list[int]:
        """`value`, found at `key`, as a list of card ids."""
        return [deck.parse(card, f"{key}[{place}]") for place, card in enumerate(self.as_listing(value, key, length))]

    def card(self, key: str, deck: Deck) -> int:
        """The card at `key` as its id in `deck`."""
        return deck.parse(self._document.get(key), key)

    def seed(self) -> int:
        """The deal seed, read from the 32 hex digits of the key `rng`; 0 when that is absent."""
        value = self._document.get("rng")
        if value is None:
            return 0
        try:
            if not isinstance(value, str) or len(value) != 32:
                raise ValueError
            return int(value, 16)
        except ValueError:
            raise PositionError(f"rng: 32 hex digits are needed, not {value!r}") from None


def seed_text(seed: Iterable[int]) -> str:
    """The words of a deal seed as the 32 hex digits of the key `rng`."""
    return "".join(f"{int(word):08x}" for word in seed)


def require_whole_deck(cards: Iterable[int], deck: Deck, copies: int | Sequence[int] = 1) -> None:
    """Raise PositionError unless every card of the deck is there exactly `copies` times (conservation).

    `copies`: one number for all cards, or one for each card id.
    """
    each = [copies] * len(deck) if isinstance(copies, int) else copies
    counts = [0] * len(deck)
    for card in cards:
        counts[card] += 1
    missing = [deck.text(card) for card, count in enumerate(counts) if count < each[card]]
    double = [deck.text(card) for card, count in enumerate(counts) if count > each[card]]
    if missing or double:
        parts = [f"missing {' '.join(missing)}"] * bool(missing) + [f"too often {' '.join(double)}"] * bool(double)
        times = f"{each[0]} time(s)" + (f", {deck.text(len(deck) - 1)} {each[-1]} times" if each[-1] != each[0] else "")
        raise PositionError(f"cards: every card must be there {times}; {', '.join(parts)}")


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "true/false", type(None): "null"}
    return names.get(type(value), f"{value!r}")
