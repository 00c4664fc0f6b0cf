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
        """The seat that is to choose."""
        ...

    @property
    def seen(self) -> Hashable:
        """What the seat to choose knows."""
        ...

    @property
    def actions(self) -> Sequence[int]:
        """The legal actions of the seat to choose: the same in all positions that it cannot tell apart."""
        ...

    def after(self, action: int) -> "Position":
        """The position that a choice leads to."""
        ...


class TooLargeError(Exception):
    """There are more worlds or nodes than allowed."""


def refuse_more(count: int, most: int, what: str) -> None:
    """Raise TooLargeError if `count` is above `most`; `what` names the things counted."""
    if count > most:
        raise TooLargeError(f"more than {most:,} {what}")


@dataclass(frozen=True, slots=True)
class InformationSet:
    """All nodes that a seat cannot tell apart."""

    seat: int
    seen: Hashable
    actions: tuple[int, ...]
    parent: int
    """The number of the seat's sequence that leads to this set."""
    first: int
    """The number of the sequence that ends with the first action; those of the other actions follow."""

    @property
    def sequences(self) -> slice:
        """The numbers of the sequences that end with an action of this set."""
        return slice(self.first, self.first + len(self.actions))


@dataclass(slots=True)
class Node:
    """A decision, or an end."""

    weight: float
    """The probability that chance leads to this node if all seats choose what leads to it."""
    sequences: tuple[int, ...]
    """The number of each seat's sequence before this decision."""
    information_set: InformationSet | None
    """The information set that the decision belongs to; None at an end."""
    children: list["Node"] = field(default_factory=list)
    """The nodes that the actions lead to, in the order of the information set's actions."""
    rewards: tuple[float, ...] = ()
    """The reward of each seat at an end; empty at a decision."""


class Tree:
    """A grown game. A decision with one action is none: it is played on the way."""

    def __init__(self, seats: int, roots: Iterable[tuple[Position, float]], most: int = 1_000_000) -> None:
        """`roots`: what chance may lead to, with weights (their sum is made 1). `most`: nodes, else TooLargeError."""
        worlds = list(roots)
        total = sum(weight for _, weight in worlds)
        self.seats = seats
        self.size = 0
        """How many nodes the tree has."""
        self.information_sets: list[list[InformationSet]] = [[] for _ in range(seats)]
        """The information sets of each seat; each one stands behind its parents."""
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
        """All ends of the tree as arrays: sequences [ends, seats], weights [ends], rewards [ends, seats]."""
        sequences = np.array([leaf.sequences for leaf in self.leaves], np.int64)
        rewards = np.array([leaf.rewards for leaf in self.leaves], np.float64)
        return sequences, np.array([leaf.weight for leaf in self.leaves]), rewards

    def uniform(self, seat: int) -> Strategy:
        """The strategy of a seat that chooses every legal action with the same probability."""
        strategy = np.ones(self._lengths[seat])
        for information_set in self.information_sets[seat]:
            strategy[information_set.sequences] = 1 / len(information_set.actions)
        return strategy

    def uniform_profile(self) -> Profile:
        """The strategies of all seats when each chooses every legal action with the same probability."""
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
