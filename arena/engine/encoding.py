"""What a seat knows, and its legal actions, as fixed numbers of features: what learning programs look at.

A game says in its encoding.py what the numbers are (PLANES, ACTION_PLANES; docs/encodings.md shows them) and writes them by the
compiled functions `encode` and `action_features` of contract.py. They get only what `observe` shows to the seat.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from arena.engine import jit
from arena.engine.contract import Actions, Features, States, action_features, encode


class Plane(NamedTuple):
    """Some neighbouring features with one meaning."""

    name: str
    size: int
    """How many features it is."""
    meaning: str
    low: float = 0.0
    high: float = 1.0
    """The features lie between these two, ends included."""


@dataclass(frozen=True, eq=False)
class Encoding:
    """A game's compiled encoding for Python callers."""

    planes: tuple[Plane, ...]
    """What `encode` writes, in order."""
    action_planes: tuple[Plane, ...]
    """What `action_features` writes for one action, in order."""
    codes: tuple[int, ...] | None
    """All action codes of the game in ascending order, if the game's set is small; else None: then an action is its place in
    the legal list, which has at most MAX_ACTIONS."""
    write: Callable[[States, int, Features], None]
    """`contract.encode` of a seen state."""
    write_actions: Callable[[States, int, Actions, int, Features], None]
    """`contract.action_features` of a seen state and its legal list."""

    @cached_property
    def size(self) -> int:
        """The number of features of a seen state."""
        return sum(plane.size for plane in self.planes)

    @cached_property
    def action_size(self) -> int:
        """The number of features of an action."""
        return sum(plane.size for plane in self.action_planes)

    def features(self, observed: States, seat: int) -> Features:
        """[size]: what `seat` knows. `observed`: the state as `observe` shows it to `seat`."""
        out = np.empty(self.size, np.float32)
        self.write(observed, seat, out)
        return out

    def action_features(self, observed: States, seat: int, codes: Sequence[int]) -> Features:
        """[actions, action_size]: the legal actions of `seat`. `codes`: their codes, in canonical order."""
        actions = np.array(codes, np.int64)
        out = np.empty((len(actions), self.action_size), np.float32)
        self.write_actions(observed, seat, actions, len(actions), out)
        return out


def bind_encoding(module: Any, game: str) -> Encoding:
    """The compiled encoding of one game. `module`: its encoding.py, or what stands in for it; `game`: its package."""
    return Encoding(
        tuple(module.PLANES),
        tuple(module.ACTION_PLANES),
        module.CODES,
        jit.bind(_entry_encode, game),
        jit.bind(_entry_action_features, game),
    )


def _entry_encode(states: States, seat: int, out: Features) -> None:
    encode(states[0], seat, out)


def _entry_action_features(states: States, seat: int, actions: Actions, count: int, out: Features) -> None:
    action_features(states[0], seat, actions, count, out)
