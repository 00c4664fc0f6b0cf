"""The page on a game's encoding: what each number means that learning programs see."""

from collections.abc import Iterator, Sequence
from importlib.util import find_spec

from arena.engine.encoding import Encoding, Plane
from arena.engine.game import Game
from arena.games import encoding, load
from arena.reports.manual import ManualPage


def encoding_page(name: str) -> ManualPage:
    """The features of a game, number by number, as its `encoding.py` declares them. Raises ConfigError for an unknown game."""
    game = load(name)
    found = encoding(game)
    hashed = f"Version {found.version}, sha256 `{found.sha256}`: networks that were trained on it name this hash."
    lines = [f"# The encoding of {name}", "", "How to read this: [encodings.md](encodings.md).", "", hashed, ""]
    lines += [_actions(game, found), ""]
    if find_spec(f"{game.package}.encoding"):
        lines += [*_table("features", found.planes), "", *_table("action_features", found.action_planes), ""]
    else:
        lines += ["Its features are all numbers of its record, as for every game without an encoding of its own.", ""]
    return ManualPage(f"arena rules {name} --encoding", f"encoding-{name}", "\n".join(lines))


def _actions(game: Game, found: Encoding) -> str:
    """Return how an action is numbered."""
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
