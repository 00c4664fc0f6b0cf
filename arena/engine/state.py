"""The state of a match, declared once: a class that says of each field its numbers, who sees it, and which option fills it.

    class State:
        turn = number(np.int64)
        hand = array(np.int64, MAX_SEATS, seen_by="owner")  # card masks
        seed = array(np.uint32, 4, seen_by="nobody")
        limit = option(np.int16, Whole(101, 1, 10_000, "the total that ends the match"))

    RECORD = declare(State, SEATS)

From it follow the record of a match (`RECORD.dtype`), the game's options, their values in a position, the types for the type
checker, and two functions for the game's rules: `begin` starts a match, `show` writes what a seat sees.

A record holds its widest fields first, else in the order of the class, and its size is a multiple of 8 bytes: so each number
lies at a multiple of its own size, in every record of an array. A processor reads it fast there; a graphics card reads it
nowhere else but byte by byte. What this adds at the end is a field of zeros: numpy copies fields, and nothing between them.
"""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from arena.engine import jit
from arena.engine.options import DataTable, Option, OptionValue, Part
from arena.engine.position import Fields
from arena.engine.rng import Words

SeenBy: TypeAlias = Literal["all", "owner", "nobody", "rule"]
"""The seats that see a field: all, each its own places, none, or those to whom the game's `observe` shows it."""
Kind: TypeAlias = type[np.number[Any]]
N = TypeVar("N", bound=np.number[Any])
MATCHES_KEPT = 64  # whose options are remembered
PADDING = "_padding"  # the field that makes a record a multiple of 8 bytes, where it needs one
_WORD = 8  # bytes


def number(kind: Kind, *, seen_by: SeenBy = "all") -> int:
    """Declare a field that is one number."""
    return cast(int, _Field("", np.dtype(kind), (), seen_by, None))


def array(kind: type[N], *shape: int, seen_by: SeenBy = "all", option: Option | Part | None = None) -> NDArray[N]:
    """Declare a field that is an array. `shape`: one that owners see has in its first axis equally many places for each seat.

    `option`: what fills it when a match starts.
    """
    return cast("NDArray[N]", _Field("", np.dtype(kind), shape, seen_by, _part(option)))


def option(kind: Kind, option: Option | Part, *, stored: tuple[int, ...] = ()) -> int:
    """Declare a field that is one number and that an option fills, which is called like the field if it has no name.

    `stored`: the number in the record for each code of the option; without it the code itself.
    """
    return cast(int, _Field("", np.dtype(kind), (), "all", _part(option), stored))


@dataclass(frozen=True)
class _Field:
    """What a class says of one field."""

    name: str
    kind: np.dtype[Any]
    shape: tuple[int, ...]
    seen_by: SeenBy
    part: Part | None
    """What fills it when a match starts."""
    stored: tuple[int, ...] = ()


@dataclass(frozen=True)
class Declaration:
    """What follows from a declared state."""

    fields: tuple[_Field, ...]
    """All fields, in the order of the class."""
    dtype: np.dtype[Any]
    """The record of a match."""
    options: tuple[Option, ...]
    """All options, in the order of the class, tables last."""
    _values: dict[tuple[bytes, ...], dict[str, OptionValue]] = dataclasses.field(default_factory=dict, compare=False)

    def option_values(self, s: Any) -> dict[str, OptionValue]:
        """The options in a state, as its position holds them; tables are left out, they have keys of their own there."""
        s = Fields(s)
        held = tuple([s.bytes_of(field.name) for field in self.fields if field.part is not None])
        values = self._values.get(held)
        if values is None:  # the options of a match stand in each of its positions
            if len(self._values) >= MATCHES_KEPT:
                self._values.clear()
            plain = (option for option in self.options if not isinstance(option, DataTable))
            values = self._values[held] = {option.name: self.option_value(s, option) for option in plain}
        return values.copy()

    def option_value(self, s: Any, option: Option) -> OptionValue:
        """An option in a state. Of its numbers those that no field holds count as 0."""
        s = Fields(s)
        codes = [0] * option.width
        for field in self.fields:
            if field.part is not None and field.part.option is option:
                held = getattr(s, field.name)
                rows = held if field.shape else [field.stored.index(held) if field.stored else held]
                for place, column in enumerate(zip(*rows) if len(field.shape) > 1 else [rows], field.part.first):
                    codes[place : place + len(rows) * field.part.step : field.part.step] = column
        return option.decode(codes)


def declare(state: type, seats: Sequence[int]) -> Declaration:
    """Give what follows from a class of fields. `seats`: the numbers of seats that the game is played by."""
    named: dict[int, Option] = {}  # the options, by the identity of what the class names
    fields = []
    for name, field in vars(state).items():
        if isinstance(field, _Field):
            part = field.part
            if part is not None:
                part = replace(part, option=named.setdefault(id(part.option), _named(part.option, name)))
            fields.append(replace(field, name=name, part=part))
    dtype = _record(sorted(fields, key=lambda field: -field.kind.itemsize))
    options = sorted(named.values(), key=lambda option: isinstance(option, DataTable))
    _BEGIN[dtype] = _begin_source(fields, options)
    _SHOW[dtype] = _show_source(fields, max(seats))
    return Declaration(tuple(fields), dtype, tuple(options))


def _record(fields: Sequence[_Field]) -> np.dtype[Any]:
    """The record of fields, the widest first. Raises ValueError for fields that would not lie at a multiple of their size."""
    layout: list[Any] = [(field.name, field.kind, field.shape) for field in fields]
    places = np.dtype(layout)
    for field in fields:
        place = cast(Any, places.fields)[field.name][1]
        if place % field.kind.itemsize:
            raise ValueError(f"{field.name}: at byte {place}, which is no multiple of {field.kind.itemsize}")
    if places.itemsize % _WORD:
        layout.append((PADDING, np.int8, (-places.itemsize % _WORD,)))
    return np.dtype((np.record, np.dtype(layout, align=True)))  # said to be aligned: else compiled code would not rely on it


_BEGIN: dict[np.dtype[Any], str] = {}
"""The source of `begin` for each record."""
_SHOW: dict[np.dtype[Any], str] = {}
"""The source of `show` for each record."""


@jit.by_record(_BEGIN.__getitem__)
def begin(s: Any, seats: int, options: Words, seed: Words) -> None:
    """Start a match: write the number of seats, the options and the seed, and 0 into all other fields. For `deal`."""


@jit.by_record(_SHOW.__getitem__)
def show(s: Any, seat: int, out: Any) -> None:
    """Write into `out` what a seat sees of `s` by what the fields say, and 0 for all else. For `observe`."""


def _part(option: Option | Part | None) -> Part | None:
    return option if option is None or isinstance(option, Part) else Part(option)


def _named(option: Option, field: str) -> Option:
    return option if option.name else cast(Option, replace(cast(Any, option), name=field))


def _begin_source(fields: Sequence[_Field], options: Sequence[Option]) -> str:
    at = 0
    first = {}
    for option in options:
        first[option.name] = at
        at += option.width
    lines = ["def begin(s, seats, options, seed):"]
    for field in fields:
        value = {"seed": "seed[i]", "seats": "seats"}.get(field.name, "0")
        if field.part is not None:
            place = f"{first[field.part.option.name] + field.part.first}"
            value = f"options[{' + '.join([place, *(f'i * {field.part.step}', 'j')[: len(field.shape)]])}]"
        lines += _write("s", field, f"{field.stored}[{value}]" if field.stored else value)
    return "\n".join(lines)


def _show_source(fields: Sequence[_Field], seats: int) -> str:
    lines = ["from arena.engine.machine import copy_state", "def show(s, seat, out):", "    copy_state(s, out)"]
    for field in fields:
        if field.seen_by == "owner":
            block, rest = divmod(field.shape[0], seats)
            if rest:
                raise ValueError(f"{field.name}: {field.shape[0]} places are not equally many for each of {seats} seats")
            value = f"s.{field.name}[{_INDEX[len(field.shape)]}] if i // {block} == seat else 0"
            lines += _write("out", field, value)
        elif field.seen_by != "all":
            lines += _write("out", field, "0")
    return "\n".join(lines)


_INDEX = ("", "i", "i, j", "i, j, k")  # by the number of axes


def _write(record: str, field: _Field, value: str) -> list[str]:
    """The lines that write a value, in which i, j and k are the place, to all places of a field."""
    loops = [f"{'    ' * axis}for {'ijk'[axis - 1]} in range({length}):" for axis, length in enumerate(field.shape, 1)]
    index = f"[{_INDEX[len(field.shape)]}]" if field.shape else ""
    return [*loops, f"{'    ' * (1 + len(field.shape))}{record}.{field.name}{index} = {value}"]
