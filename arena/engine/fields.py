"""A state read from Python: for texts and views, which look at many of its fields."""

import functools
from functools import cache
from struct import Struct
from typing import TYPE_CHECKING, Any

import numpy as np

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
        """`record`: the state, a record of a room's STATE, or its fields."""
        self.record: Any = record.record if isinstance(record, Fields) else record
        """The state itself, for compiled functions."""
        self._bytes = self.record.tobytes()

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
