"""What a seat knows, and its legal actions, as fixed numbers of features: what learning programs look at.

A game says in its encoding.py what the numbers are (PLANES, ACTION_PLANES; docs/encodings.md shows them) and writes them by the
compiled functions `encode` and `action_features` of contract.py. They get only what `observe` shows to the seat. VERSION, 1
where it is left out, rises when numbers are worked out otherwise although the planes read as before.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import msgspec
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
class Layout:
    """What the numbers of a game's encoding are, and in which order they stand."""

    planes: tuple[Plane, ...]
    """What `encode` writes, in order."""
    action_planes: tuple[Plane, ...]
    """What `action_features` writes for one action, in order."""
    codes: tuple[int, ...] | None
    """All action codes of the game in ascending order, if the game's set is small; else None: then an action is its place in
    the legal list, which has at most MAX_ACTIONS."""
    version: int
    """Rises when numbers are worked out otherwise although the planes read as before."""

    @cached_property
    def size(self) -> int:
        """The number of features of a seen state."""
        return sum(plane.size for plane in self.planes)

    @cached_property
    def action_size(self) -> int:
        """The number of features of an action."""
        return sum(plane.size for plane in self.action_planes)

    @cached_property
    def limits(self) -> tuple[Features, Features]:
        """[features] each: between what the features of a seen state lie, both included."""
        return limits_of(self.planes)

    @cached_property
    def sha256(self) -> str:
        """A hash over all of it, meanings too: a network is good for the encoding that it was trained on, and for no other."""
        return hashlib.sha256(msgspec.json.encode((self.version, self.planes, self.action_planes, self.codes))).hexdigest()


def limits_of(planes: Sequence[Plane]) -> tuple[Features, Features]:
    """The lowest and the highest number that each feature of some planes can be."""
    low = np.concatenate([np.full(plane.size, plane.low, np.float32) for plane in planes])
    return low, np.concatenate([np.full(plane.size, plane.high, np.float32) for plane in planes])


@dataclass(frozen=True, eq=False)
class Encoding(Layout):
    """A game's compiled encoding for Python callers."""

    write: Callable[[States, int, Features], None]
    """`contract.encode` of a seen state."""
    write_actions: Callable[[States, int, Actions, int, Features], None]
    """`contract.action_features` of a seen state and its legal list."""

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


def layout_of(module: Any) -> Layout:
    """What the numbers of an encoding are; nothing is compiled. `module`: a game's encoding.py, or what stands in for it."""
    return Layout(tuple(module.PLANES), tuple(module.ACTION_PLANES), module.CODES, getattr(module, "VERSION", 1))


def bind_encoding(module: Any, game: str) -> Encoding:
    """The compiled encoding of one game. `module`: its encoding.py, or what stands in for it; `game`: its package."""
    found = layout_of(module)
    return Encoding(
        found.planes,
        found.action_planes,
        found.codes,
        found.version,
        jit.bind(_entry_encode, game),
        jit.bind(_entry_action_features, game),
    )


def _entry_encode(states: States, seat: int, out: Features) -> None:
    encode(states[0], seat, out)


def _entry_action_features(states: States, seat: int, actions: Actions, count: int, out: Features) -> None:
    action_features(states[0], seat, actions, count, out)
