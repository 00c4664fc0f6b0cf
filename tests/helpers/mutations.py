"""Documents and bytes with a part changed to what nobody expects there: what a stranger's file may hold."""

import copy
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

NASTY: tuple[Any, ...] = (
    None, True, 0, 1, -1, 7, 1 << 31, 1 << 62, (1 << 64) - 1, 10**30, 1.5, -0.0, 1e308, "", "x", "../../../tmp/x", "..",
    "/etc/passwd", "\0", "\x1b[2J", "=1+1", "{}", "[]", "[" * 3000, '{"a":' * 500, "9" * 5000, "1e999", "naga", "0" * 64,
    "0" * 24, "\u202e", [], {}, [[]], [None], [1, 2, 3], ["x"], {"x": 1}, {"": {}}, [[[[[[]]]]]], ["x"] * 300,
)  # fmt: skip
"""Values of all types, at their bounds and beyond. All of them can be written as JSON."""
_NASTY_BYTES = (
    b"", b"\0", b"\xff\xfe", b"\n", b"\r\n", b"{", b"]", b'"', b"\x1b[2J", b"9" * 400, b"[" * 3000, b"\xf0\x9f\x83\x8f",
)  # fmt: skip
_TYPES = (b"PAR1", b"SQLite format 3\0", b"\x7fELF", b"PK\x03\x04", b"#!/bin/sh\n")


@st.composite
def mutated(draw: st.DrawFn, document: Any, *, most: int = 2) -> Any:
    """The document after one or a few changes: a value replaced, a key taken away, an item there twice."""
    changed = copy.deepcopy(document)
    for _ in range(draw(st.integers(1, most))):
        found = list(_ways(changed))
        if not found:
            break
        *way, last = draw(st.sampled_from(found))
        target = changed
        for key in way:
            target = target[key]
        kind = draw(st.sampled_from(["replace"] * 4 + ["drop", "twice"]))
        if kind == "drop":
            del target[last]
        elif kind == "twice" and isinstance(target, list):
            target.insert(last, target[last])
        else:
            target[last] = copy.deepcopy(draw(st.sampled_from(NASTY)))
    return changed


@st.composite
def damaged(draw: st.DrawFn, content: bytes) -> bytes:
    """The bytes after one to four changes: a stretch taken away, doubled, overwritten or cut off, a bit turned."""
    found = bytearray(content)
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(found)))
        end = min(len(found), start + draw(st.integers(0, 60)))
        kind = draw(st.sampled_from(["drop", "twice", "overwrite", "turn", "cut", "type"]))
        if kind == "drop":
            del found[start:end]
        elif kind == "twice":
            found[start:start] = found[start:end] * draw(st.integers(1, 3))
        elif kind == "overwrite":
            found[start:end] = draw(st.sampled_from(_NASTY_BYTES))
        elif kind == "turn" and start < len(found):
            found[start] ^= 1 << draw(st.integers(0, 7))
        elif kind == "cut":
            del found[start:]
        else:
            found[: draw(st.sampled_from([0, 4]))] = draw(st.sampled_from(_TYPES))
    return bytes(found)


def _ways(document: Any, here: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value below the document: keys of mappings and positions in lists."""
    inner = document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    for key, value in inner:
        yield (*here, key)
        yield from _ways(value, (*here, key))
