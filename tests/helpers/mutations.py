"""Documents with one part replaced by something that nobody expects there: what a stranger's file may hold."""

import copy
from typing import Any

from hypothesis import strategies as st

NASTY: list[Any] = [
    None, True, 0, 1, -1, 7, 1 << 31, 1 << 62, (1 << 64) - 1, 10**30, 1.5, -0.0, 1e308, "", "x", "../../../tmp/x", "..",
    "/etc/passwd", "\0", "\x1b[2J", "=1+1", "{}", "[]", "[" * 3000, '{"a":' * 500, "9" * 5000, "1e999", "naga", "0" * 64,
    "0" * 24, "\u202e", [], {}, [[]], [None], [1, 2, 3], ["x"], {"x": 1}, {"": {}}, [[[[[[]]]]]], ["x"] * 300,
]  # fmt: skip
"""Values of all types, at their bounds and beyond. All of them can be written as JSON."""

Path = tuple[Any, ...]


def places(document: Any, here: Path = ()) -> list[Path]:
    """The way to every value in a document, its own first: keys of mappings and positions in lists."""
    inner = document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    return [here, *(place for key, value in inner for place in places(value, (*here, key)))]


@st.composite
def mutated(draw: st.DrawFn, document: Any, *, most: int = 2) -> Any:
    """The document after one or a few changes: a value replaced, a key taken away, an item there twice."""
    changed = copy.deepcopy(document)
    for _ in range(draw(st.integers(1, most))):
        found = places(changed)[1:]
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
