"""Documents with one part replaced by something that nobody expects there: what a stranger's file may hold."""

import copy
from typing import Any

from hypothesis import strategies as st

from arena.cli.fuzzing.mutations import NASTY, ways

__all__ = ["NASTY", "mutated"]


@st.composite
def mutated(draw: st.DrawFn, document: Any, *, most: int = 2) -> Any:
    """The document after one or a few changes: a value replaced, a key taken away, an item there twice."""
    changed = copy.deepcopy(document)
    for _ in range(draw(st.integers(1, most))):
        found = list(ways(changed))
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
