"""`python -m arena.audit.laws.encodings` prints docs/encodings.md as the rooms' encodings are now."""

import sys
from collections.abc import Iterator, Sequence
from importlib.util import find_spec

from arena.engine.encoding import Encoding, Plane
from arena.engine.room import Game
from arena.games import encoding, load, names

_BEGINNING = """\
# Encodings

What learning programs see of each game. This page is written by `python -m arena.audit.laws.encodings` from the planes
that the rooms' `encoding.py` declare; a test keeps the two equal.

`features` is what one seat knows, as one row of 32-bit floats; `action_features` has such a row for each of its legal
actions. A *plane* is some neighbouring numbers with one meaning. Numbers without bounds in the table are from 0 to 1; the
others lie within their bounds, ends included. Whatever is or is not so is 1 or 0. Where a plane has a number for each seat,
the first is the own seat's, and the others follow in the order of play. What a seat cannot know has no influence: a law in
`arena/audit/laws` tests this for every room.
"""


def encodings_page() -> str:
    """The whole page, for the games of arena."""
    return "\n".join([_BEGINNING, *(_section(load(name)) for name in names() if load(name).package.startswith("arena."))])


def _section(game: Game) -> str:
    found = encoding(game)
    lines = [f"## {game.name}", ""]
    if not find_spec(f"{game.package}.encoding"):
        return "\n".join([*lines, "All numbers of its record, as for every room without an encoding of its own.", ""])
    return "\n".join([*lines, _actions(game, found), "", *_table("features", found.planes), "",
                      *_table("action_features", found.action_planes), ""])  # fmt: skip


def _actions(game: Game, found: Encoding) -> str:
    """How an action is numbered."""
    if found.codes is None:
        return f"An action is its place in the legal list, which has at most {game.rules.MAX_ACTIONS}."
    return (
        f"The game has {len(found.codes)} action codes: an action is the place of its code among them, counted from 0. "
        f"The codes are {_ranges(found.codes)}."
    )


def _ranges(codes: Sequence[int]) -> str:
    """Ascending whole numbers, neighbours taken together."""
    begins = [code for code in codes if code - 1 not in codes]
    ends = [code for code in codes if code + 1 not in codes]
    return ", ".join(f"{begin}" if begin == end else f"{begin} to {end}" for begin, end in zip(begins, ends))


def _table(title: str, planes: Sequence[Plane]) -> Iterator[str]:
    yield f"`{title}` of {sum(plane.size for plane in planes)} numbers:"
    yield ""
    yield "| numbers | plane | meaning |"
    yield "|---|---|---|"
    begin = 0
    for plane in planes:
        end = begin + plane.size - 1
        yield f"| {begin if end == begin else f'{begin} to {end}'} | `{plane.name}` | {plane.meaning}{_bounds(plane)} |"
        begin += plane.size


def _bounds(plane: Plane) -> str:
    return "" if (plane.low, plane.high) == (0.0, 1.0) else f" (from {plane.low:g} to {plane.high:g})"


if __name__ == "__main__":
    sys.stdout.write(encodings_page())
