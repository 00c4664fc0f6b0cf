"""A game in extensive form, grown from positions: any number of seats, hidden cards, chance before the first decision.

Notation of B. von Stengel, "Efficient Computation of Behavior Strategies" (1996): a *sequence* of a seat is what it has chosen
so far, number 0 is "nothing yet". Each seat remembers what it saw and did at its own decisions (perfect recall): an information
set is what the seat sees there together with its sequence.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Strategy: TypeAlias = NDArray[np.float64]
"""A seat's behaviour: for each of its sequences how likely it plays the last action where it may; entry 0 is 1."""
Profile: TypeAlias = list[Strategy]
"""A strategy of each seat."""

NOTHING = 0  # the sequence before a seat's first choice


class Position(Protocol):
    """What a tree grows from: one true state of a game, with nothing more left to chance."""

    @property
    def rewards(self) -> Sequence[float] | None:
        """What each seat gets; None as long as somebody is to choose."""
        ...

    @property
    def seat(self) -> int:
        """Who is to choose."""
        ...

    @property
    def seen(self) -> Hashable:
        """What that seat knows."""
        ...

    @property
    def actions(self) -> Sequence[int]:
        """What it may choose: the same in all positions that look the same to it."""
        ...

    def after(self, action: int) -> "Position":
        """The position that a choice leads to."""
        ...


class TooLargeError(Exception):
    """More worlds or nodes than allowed."""


def refuse_more(count: int, most: int, what: str) -> None:
    """Raise TooLargeError for more than `most`."""
    if count > most:
        raise TooLargeError(f"more than {most:,} {what}")


@dataclass(frozen=True, slots=True)
class InformationSet:
    """All nodes that a seat cannot tell apart."""

    seat: int
    seen: Hashable
    actions: tuple[int, ...]
    parent: int
    """The seat's sequence before."""
    first: int
    """The sequence of the first action; the others follow."""

    @property
    def sequences(self) -> slice:
        """The sequences of its actions."""
        return slice(self.first, self.first + len(self.actions))


@dataclass(slots=True)
class Node:
    """A decision, or an end."""

    weight: float
    """How likely chance is to lead here, if all seats want to get here."""
    sequences: tuple[int, ...]
    """Of each seat, before the decision."""
    information_set: InformationSet | None
    """None at an end."""
    children: list["Node"] = field(default_factory=list)
    """By action."""
    rewards: tuple[float, ...] = ()
    """Of each seat, at an end."""


class Tree:
    """A grown game. A decision with one action is none: it is played on the way."""

    def __init__(self, seats: int, roots: Iterable[tuple[Position, float]], most: int = 1_000_000) -> None:
        """`roots`: what chance may lead to, with weights (their sum is made 1). `most`: nodes, else TooLargeError."""
        worlds = list(roots)
        total = sum(weight for _, weight in worlds)
        self.seats = seats
        self.size = 0
        """Nodes."""
        self.information_sets: list[list[InformationSet]] = [[] for _ in range(seats)]
        """Of each seat, parents before what follows on them."""
        self._most = most
        self._lengths = [1] * seats
        self._found: dict[Hashable, InformationSet] = {}
        self.leaves: list[Node] = []
        self.roots = [self._grow(position, weight / total, (NOTHING,) * seats) for position, weight in worlds]

    @property
    def lengths(self) -> tuple[int, ...]:
        """How many sequences each seat has."""
        return tuple(self._lengths)

    @cached_property
    def ends(self) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
        """All ends: sequences (ends, seats), weights (ends), rewards (ends, seats)."""
        sequences = np.array([leaf.sequences for leaf in self.leaves], np.int64)
        rewards = np.array([leaf.rewards for leaf in self.leaves], np.float64)
        return sequences, np.array([leaf.weight for leaf in self.leaves]), rewards

    def uniform(self, seat: int) -> Strategy:
        """Every action equally likely."""
        strategy = np.ones(self._lengths[seat])
        for information_set in self.information_sets[seat]:
            strategy[information_set.sequences] = 1 / len(information_set.actions)
        return strategy

    def uniform_profile(self) -> Profile:
        """All seats choose so."""
        return [self.uniform(seat) for seat in range(self.seats)]

    def _grow(self, position: Position, weight: float, sequences: tuple[int, ...]) -> Node:
        rewards = position.rewards
        while rewards is None and len(position.actions) == 1:
            position = position.after(position.actions[0])
            rewards = position.rewards
        self.size += 1
        refuse_more(self.size, self._most, "nodes")
        if rewards is not None:
            leaf = Node(weight, sequences, None, rewards=tuple(rewards))
            self.leaves.append(leaf)
            return leaf
        seat = position.seat
        information_set = self._information_set(position, sequences[seat])
        node = Node(weight, sequences, information_set)
        for number, action in enumerate(information_set.actions):
            own = information_set.first + number
            after = (*sequences[:seat], own, *sequences[seat + 1 :])
            node.children.append(self._grow(position.after(action), weight, after))
        return node

    def _information_set(self, position: Position, parent: int) -> InformationSet:
        key = (position.seat, parent, position.seen)
        found = self._found.get(key)
        if found is None:
            seat, actions = position.seat, tuple(position.actions)
            found = InformationSet(seat, position.seen, actions, parent, self._lengths[seat])
            self._lengths[seat] += len(actions)
            self.information_sets[seat].append(found)
            self._found[key] = found
        assert found.actions == tuple(position.actions), "positions that look the same have different actions"
        return found
