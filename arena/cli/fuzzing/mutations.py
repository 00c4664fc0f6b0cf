"""Documents and bytes with a part changed to something that nobody expects there."""

import copy
from collections.abc import Iterator
from random import Random
from typing import Any

NASTY: tuple[Any, ...] = (
    None, True, 0, 1, -1, 7, 1 << 31, 1 << 62, (1 << 64) - 1, 10**30, 1.5, -0.0, 1e308, "", "x", "../../../tmp/x", "..",
    "/etc/passwd", "\0", "\x1b[2J", "=1+1", "{}", "[]", "[" * 3000, '{"a":' * 500, "9" * 5000, "1e999", "naga", "0" * 64,
    "0" * 24, "\u202e", [], {}, [[]], [None], [1, 2, 3], ["x"], {"x": 1}, {"": {}}, [[[[[[]]]]]], ["x"] * 300,
)  # fmt: skip
"""Values of all types, at their bounds and beyond. All of them can be written as JSON."""
_NASTY_BYTES = (
    b"",
    b"\0",
    b"\xff\xfe",
    b"\n",
    b"\r\n",
    b"{",
    b"]",
    b'"',
    b"\x1b[2J",
    b"9" * 400,
    b"[" * 3000,
    b"\xf0\x9f\x83\x8f",
)
_TYPES = (b"PAR1", b"SQLite format 3\0", b"\x7fELF", b"PK\x03\x04", b"#!/bin/sh\n")


def changed_document(dice: Random, document: Any) -> Any:
    """The document after one to three changes: a value replaced, a key taken away, an item there twice."""
    changed = copy.deepcopy(document)
    for _ in range(dice.randint(1, 3)):
        found = list(ways(changed))
        if not found:
            break
        *way, last = dice.choice(found)
        target = changed
        for key in way:
            target = target[key]
        kind = dice.choice(("replace", "replace", "replace", "drop", "twice"))
        if kind == "drop":
            del target[last]
        elif kind == "twice" and isinstance(target, list):
            target.insert(last, target[last])
        else:
            target[last] = copy.deepcopy(dice.choice(NASTY))
    return changed


def changed_bytes(dice: Random, content: bytes) -> bytes:
    """The bytes after one to four changes: a stretch taken away, doubled, overwritten or cut off, a bit turned."""
    found = bytearray(content)
    for _ in range(dice.randint(1, 4)):
        start = dice.randrange(len(found) + 1)
        end = min(len(found), start + int(dice.expovariate(1 / 20)))
        kind = dice.randrange(6)
        if kind == 0:
            del found[start:end]
        elif kind == 1:
            found[start:start] = found[start:end] * dice.randint(1, 3)
        elif kind == 2:
            found[start:end] = dice.choice(_NASTY_BYTES)
        elif kind == 3 and start < len(found):
            found[start] ^= 1 << dice.randrange(8)
        elif kind == 4:
            del found[start:]
        else:
            found[: dice.choice((0, 4))] = dice.choice(_TYPES)
    return bytes(found)


def ways(document: Any, here: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value below the document: keys of mappings and positions in lists."""
    inner = document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    for key, value in inner:
        yield (*here, key)
        yield from ways(value, (*here, key))
