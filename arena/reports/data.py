"""Results for programs: JSON and CSV. Numbers of numpy are plain numbers, and no text is more than text."""

import csv
import io
import re
import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from arena.errors import visible

Record = Mapping[str, Any] | msgspec.Struct
"""A row by the names of its fields."""
_FORMULA = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r]")  # how what a spreadsheet computes begins, wide signs too


def json_text(document: object) -> str:
    """A document as readable JSON. Numbers of numpy are plain numbers; NaN and infinity are null.

    >>> print(json_text([1.5, float("nan")]))
    [
      1.5,
      null
    ]
    """
    return _escaped(msgspec.json.format(_encoded(document), indent=2).decode())


def csv_text(rows: Iterable[Record], columns: Sequence[str] = (), *, ends: str = "\n") -> str:
    r"""A header line and a line for each row, each ended by `ends`; an empty field for null, NaN and infinity; nested as JSON.

    A text that a spreadsheet would take for a formula has a `'` before it (OWASP).

    >>> csv_text([{"bot": "a", "rank": None, "games": ["naga"]}])
    'bot,rank,games\na,,"[""naga""]"\n'
    """
    plain = [msgspec.json.decode(_encoded(row)) for row in rows]
    target = io.StringIO()
    found = dict.fromkeys(key for row in plain for key in row)  # rows may have keys that others lack
    writer = csv.DictWriter(target, list(columns) or list(found), lineterminator=ends)
    if writer.fieldnames:
        writer.writeheader()
    writer.writerows({key: _cell(value) for key, value in row.items()} for row in plain)
    return target.getvalue()


def _plain(value: object) -> object:
    """A number or an array of numpy as Python's own."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise NotImplementedError(f"no plain form of {type(value)}")


def _cell(value: object) -> object:
    if isinstance(value, bool | list | dict):
        return visible(msgspec.json.encode(value).decode())
    if isinstance(value, str):
        return f"'{visible(value)}" if _FORMULA.match(value) else visible(value)
    return value


def _encoded(document: object) -> bytes:
    try:
        return msgspec.json.encode(document, enc_hook=_plain)
    except UnicodeEncodeError:  # half a character, such as the name of a file may hold
        return msgspec.json.encode(_whole(msgspec.to_builtins(document, enc_hook=_plain)))


def _whole(value: Any) -> Any:
    """Plain data whose texts can be encoded."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {_whole(key): _whole(item) for key, item in value.items()}
    return [_whole(item) for item in value] if isinstance(value, list | tuple) else value


def _escaped(text: str) -> str:
    r"""JSON whose invisible characters are escaped, which changes nothing for whoever reads it.

    >>> _escaped('"\x9b2J\u202e\U000e0001"')
    '"\\u009b2J\\u202e\\udb40\\udc01"'
    """
    if text.replace("\n", "").isprintable():
        return text
    return "".join(letter if letter.isprintable() or letter == "\n" else _as_units(letter) for letter in text)


def _as_units(letter: str) -> str:
    """A character as JSON escapes it: in units of UTF-16."""
    return "".join(f"\\u{unit:04x}" for (unit,) in struct.iter_unpack(">H", letter.encode("utf-16-be")))
