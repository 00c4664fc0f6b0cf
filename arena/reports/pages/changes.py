"""What changed from one JSON value to the next, so that a page of frames carries each card once and not once per frame.

A change is a JSON object with one of these keys, or None for none (`arena.player` applies them):

- `set`: the new value;
- `keys`: the changes of an object's keys, and `gone`: the keys that it lost;
- `items`: the changes of a list's items, `[index, change]` each, where the list is as long as before;
- `cut`: `[start, removed, new items]` of a list that became longer or shorter.
"""

from typing import Any

Change = dict[str, Any]


def change(old: Any, new: Any) -> Change | None:
    """What turns `old` into `new`.

    >>> change({"a": [1, 2], "b": 0}, {"a": [1, 2, 3], "b": 0})
    {'keys': {'a': {'cut': [2, 0, [3]]}}}
    """
    if old == new and type(old) is type(new):
        return None
    if isinstance(old, dict) and isinstance(new, dict):
        return _of_objects(old, new)
    if isinstance(old, list) and isinstance(new, list):
        return _of_lists(old, new)
    return {"set": new}


def changed(old: Any, found: Change | None) -> Any:
    """`old` with a change applied: the inverse of `change`, and what the browser does.

    >>> changed({"a": [1, 2]}, {"keys": {"a": {"cut": [2, 0, [3]]}}})
    {'a': [1, 2, 3]}
    """
    if found is None:
        return old
    if "set" in found:
        return found["set"]
    if "items" in found:
        items = dict(found["items"])
        return [changed(value, items.get(index)) for index, value in enumerate(old)]
    if "cut" in found:
        start, removed, added = found["cut"]
        return [*old[:start], *added, *old[start + removed :]]
    kept = {key: value for key, value in old.items() if key not in found.get("gone", ())}
    return kept | {key: changed(kept.get(key), inner) for key, inner in found["keys"].items()}


def _of_objects(old: dict[str, Any], new: dict[str, Any]) -> Change:
    keys = {key: change(old[key], value) if key in old else {"set": value} for key, value in new.items()}
    gone = [key for key in old if key not in new]
    return {"keys": {key: inner for key, inner in keys.items() if inner}} | ({"gone": gone} if gone else {})


def _of_lists(old: list[Any], new: list[Any]) -> Change:
    if len(old) == len(new):
        return {"items": [[index, inner] for index, pair in enumerate(zip(old, new)) if (inner := change(*pair))]}
    shorter = min(len(old), len(new))
    start = next((index for index in range(shorter) if old[index] != new[index]), shorter)
    rest = shorter - start
    end = next((index for index in range(rest) if old[-1 - index] != new[-1 - index]), rest)
    return {"cut": [start, len(old) - start - end, new[start : len(new) - end]]}
