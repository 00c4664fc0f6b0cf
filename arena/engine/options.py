"""Rule options: how a room names them, what they accept, and how they become whole numbers in the state."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeAlias

from arena.errors import ConfigError

OptionValue: TypeAlias = bool | int | str | list[Any]  # of the same; msgspec reads no type that names itself


class Option(Protocol):
    """One rule option of a room."""

    @property
    def name(self) -> str:
        """The option's name, as written in configs, positions and result rows."""
        ...

    @property
    def default(self) -> OptionValue:
        """The value where the config gives none."""
        ...

    @property
    def meaning(self) -> str:
        """What the option decides, in one line, with the number of the decision in RULES.md."""
        ...

    @property
    def accepts(self) -> str:
        """The allowed values in words."""
        ...

    @property
    def width(self) -> int:
        """How many whole numbers the value takes in the options vector."""
        ...

    def encode(self, value: OptionValue) -> list[int]:
        """The value as `width` whole numbers; raises ValueError for a value that is not allowed."""
        ...

    def decode(self, codes: list[int]) -> OptionValue:
        """The value of `width` whole numbers: the inverse of `encode`, in its resolved form."""
        ...


@dataclass(frozen=True)
class Choice:
    """An option with a few possible texts or numbers; encoded as the value's place in `values`."""

    name: str
    default: str | int
    values: tuple[str | int, ...]
    meaning: str
    width: ClassVar[int] = 1

    @property
    def accepts(self) -> str:
        """The allowed values in words."""
        return "one of " + ", ".join(self._texts)

    def encode(self, value: OptionValue) -> list[int]:
        """The place of the value among `values`; a number equals its text (YAML reads `5` as a number)."""
        if isinstance(value, bool) or not isinstance(value, int | str) or str(value) not in self._texts:
            raise ValueError(self.accepts)
        return [self._texts.index(str(value))]

    def decode(self, codes: list[int]) -> OptionValue:
        """The value at an encoded place."""
        return self.values[codes[0]]

    @property
    def _texts(self) -> list[str]:
        return [str(value) for value in self.values]


@dataclass(frozen=True)
class Flag:
    """A yes-or-no option; encoded as 1 or 0."""

    name: str
    default: bool
    meaning: str
    accepts: ClassVar[str] = "true or false"
    width: ClassVar[int] = 1

    def encode(self, value: OptionValue) -> list[int]:
        """The flag as 1 or 0."""
        if not isinstance(value, bool):
            raise ValueError(self.accepts)
        return [int(value)]

    def decode(self, codes: list[int]) -> OptionValue:
        """The flag that 1 or 0 stands for."""
        return bool(codes[0])


@dataclass(frozen=True)
class Whole:
    """An option that is a whole number from `lowest` to `highest`; encoded as itself."""

    name: str
    default: int
    lowest: int
    highest: int
    meaning: str
    is_length: bool = False
    """Whether the option sets how many rounds a match has: tests then keep it small."""
    width: ClassVar[int] = 1

    @property
    def accepts(self) -> str:
        """The allowed values in words."""
        return f"a whole number from {self.lowest} to {self.highest}"

    def encode(self, value: OptionValue) -> list[int]:
        """The number as a list of one."""
        if isinstance(value, bool) or not isinstance(value, int) or not self.lowest <= value <= self.highest:
            raise ValueError(self.accepts)
        return [value]

    def decode(self, codes: list[int]) -> OptionValue:
        """The number out of a list of one."""
        return codes[0]


@dataclass(frozen=True)
class Counted:
    """An option that is a kind with a count, such as `first_to:3`; encoded as the place of the kind, then the count."""

    name: str
    default: str
    kinds: tuple[str, ...]
    highest: int
    meaning: str
    width: ClassVar[int] = 2

    @property
    def accepts(self) -> str:
        """The allowed values in words."""
        forms = " or ".join(f"{kind}:N" for kind in self.kinds)
        return f"{forms} with N from 1 to {self.highest}"

    def encode(self, value: OptionValue) -> list[int]:
        """The place of the kind, and the count."""
        kind, _, count = value.partition(":") if isinstance(value, str) else ("", "", "")
        plain = count.isascii() and count.isdigit() and not count.startswith("0")
        if kind not in self.kinds or not plain or len(count) > len(str(self.highest)) or int(count) > self.highest:
            raise ValueError(self.accepts)
        return [self.kinds.index(kind), int(count)]

    def decode(self, codes: list[int]) -> OptionValue:
        """The value as text, `kind:count`."""
        return f"{self.kinds[codes[0]]}:{codes[1]}"


def parse_options(words: Iterable[str]) -> dict[str, OptionValue]:
    """Rule options from `KEY=VALUE` words; a value is true, false, a whole number, a JSON list or else a text.

    >>> parse_options(["majority=clinch", "moon_duplicate=false", "decks=2"])
    {'majority': 'clinch', 'moon_duplicate': False, 'decks': 2}
    """
    options: dict[str, OptionValue] = {}
    for word in words:
        key, equals, text = word.partition("=")
        if not key or not equals:
            raise ConfigError(f"--option {word}: KEY=VALUE is needed")
        if key in options:
            raise ConfigError(f"--option {word}: {key} is given twice")
        options[key] = _value(text)
    return options


def _value(text: str) -> OptionValue:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, bool | int | list) else text
