"""The tree of a search: nodes in one array, found by parent, seat and key; a tree that is full gets no new ones."""

from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from arena.engine import jit
from arena.search.workspace import USED, Workspace

NODE = np.dtype((np.record, np.dtype([
    ("key", "i8"),  # code of what the observer saw, or of the choice itself
    ("value", "f8"),  # sum of the rewards of the seat that chose
    ("regret", "f8"),  # regret matching: sum of how much more this choice would have brought than what was played
    ("share", "f8"),  # regret matching: sum of the probabilities with which it was to be played
    ("sight", "i8"),  # code of what the observer sees here, if this is where it decides next; else 0
    ("parent", "i4"),
    ("seat", "i4"),  # the seat that chose; OUTCOME = no choice, but what the observer then saw
    ("visits", "i4"),
    ("available", "i4"),  # simulations in which this choice was legal
    ("stamp", "i4"),  # the last simulation counted in `available`
    ("began", "i4"),  # with a sight: the node where the decision began, at which others choose at the same time
], align=True)))  # fmt: skip
NODES = 1 << 16  # of one tree, by default: 72 bytes each with its slots
ROOT = 0
OUTCOME = -1
NONE = 0  # no node: the root is nobody's child

Nodes: TypeAlias = Any
"""An array of NODE; the first one is the root."""
Slots: TypeAlias = NDArray[np.int32]
"""An open hash table of node numbers, 0 = free; its length is a power of two, at least twice the nodes."""

_HALF = (1 << 31) - 1
_TWO_HALVES = (1 << 62) - 1


_spare: list[tuple[Nodes, Slots]] = []  # taken and given back whole, so that threads cannot share one


def take_tree(capacity: int) -> tuple[Nodes, Slots]:
    """Nodes and slots for a tree of `capacity` nodes, the root among them. Clear them first: another search may have used them.

    They are reused because new memory costs milliseconds when it is first touched, more than a short search takes.
    """
    nodes, slots = _spare.pop() if _spare else _new_tree(max(capacity, NODES))
    if len(nodes) < capacity:
        nodes, slots = _new_tree(capacity)
    return nodes[:capacity], slots[: _slots(capacity)]


def give_back(nodes: Nodes, slots: Slots) -> None:
    """Let later searches use the nodes and slots that `take_tree` gave."""
    _spare.append((nodes.base, cast(Slots, slots.base)))


def _new_tree(capacity: int) -> tuple[Nodes, Slots]:
    return np.zeros(capacity, NODE), np.zeros(_slots(capacity), np.int32)


def _slots(capacity: int) -> int:
    return 1 << (2 * capacity - 1).bit_length()


@jit.generic
def mixed(first: int, second: int) -> int:
    """One code, below 2**62, for a pair of codes; different pairs hardly ever share one."""
    low = ((first & _HALF) * 0x2545F491 + (second & _HALF) * 0x3C6EF35F) & _TWO_HALVES
    high = ((first >> 31 & _HALF) * 0x2C1B3C6D + (second >> 31 & _HALF) * 0x297A2D39) & _TWO_HALVES
    code = (low ^ high >> 13 ^ high << 17) & _TWO_HALVES
    return ((code ^ code >> 29) & _HALF) * 0x2127599B ^ code >> 3


@jit.generic
def slot_of(nodes: Nodes, slots: Slots, parent: int, seat: int, key: int) -> int:
    """The place in `slots` of the child with this seat and key, or the free place where it belongs."""
    last = len(slots) - 1
    slot = mixed(key, parent * 16 + seat + 1) >> 7 & last
    node = int(slots[slot])
    while node != NONE:
        if nodes[node].key == key and nodes[node].parent == parent and nodes[node].seat == seat:
            return slot
        slot = slot + 1 & last
        node = int(slots[slot])
    return slot


@jit.generic
def child_of(nodes: Nodes, slots: Slots, w: Workspace, parent: int, seat: int, key: int) -> int:
    """The child with this seat and key, added to the tree if need be; NONE if the tree is full."""
    slot = slot_of(nodes, slots, parent, seat, key)
    child = int(slots[slot])
    if child == NONE and w.counters[USED] < len(nodes):
        child = add_node(nodes, slots, w, slot, parent, seat, key)
    return child


@jit.generic
def add_node(nodes: Nodes, slots: Slots, w: Workspace, slot: int, parent: int, seat: int, key: int) -> int:
    """A new node at a free place in `slots`; there must be room for it."""
    node = int(w.counters[USED])
    w.counters[USED] += 1
    write_node(nodes, node, parent, seat, key)
    slots[slot] = node
    return node


@jit.generic
def write_node(nodes: Nodes, node: int, parent: int, seat: int, key: int) -> None:
    """Make a node a new one, without any visits."""
    nodes[node].key = key
    nodes[node].parent = parent
    nodes[node].seat = seat
    nodes[node].value = 0.0
    nodes[node].regret = 0.0
    nodes[node].share = 0.0
    nodes[node].sight = 0
    nodes[node].began = NONE
    nodes[node].visits = 0
    nodes[node].available = 0
    nodes[node].stamp = 0


@jit.generic
def clear(nodes: Nodes, slots: Slots) -> None:
    """Forget all but the root."""
    for slot in range(len(slots)):
        slots[slot] = NONE
    write_node(nodes, ROOT, ROOT, OUTCOME, 0)


@jit.generic
def begin_tree(nodes: Nodes, slots: Slots, w: Workspace) -> None:
    """Start a tree: it has a root and nothing else."""
    clear(nodes, slots)
    w.counters[USED] = 1


@jit.generic
def regrow(nodes: Nodes, slots: Slots, used: int, sight: int) -> int:
    """Make the observer's decision that has this sight the root, and drop all that is not below it; gives the number of nodes.

    Nodes come after their parents, so one pass finds all that is kept, and a second one moves it to the front.
    """
    found = NONE
    for node in range(1, used):
        if nodes[node].sight == sight and (found == NONE or nodes[node].visits > nodes[found].visits):
            found = node
    last = 1
    base = int(nodes[found].began)
    for node in range(1, used):
        parent = int(nodes[node].parent)
        place = NONE
        if found != NONE and node != found:
            if parent == found or (parent == base and base != found and nodes[node].seat != OUTCOME):
                nodes[node].parent = ROOT
                place = last
            elif parent != ROOT and nodes[parent].stamp != NONE:
                nodes[node].parent = nodes[parent].stamp
                place = last
        nodes[node].stamp = place  # for the length of this function: where it moves to
        last += place != NONE
    clear(nodes, slots)
    for node in range(1, used):
        place = int(nodes[node].stamp)
        if place != NONE:
            nodes[place] = nodes[node]
            nodes[place].stamp = 0
            nodes[place].sight = 0
            slots[slot_of(nodes, slots, int(nodes[place].parent), int(nodes[place].seat), int(nodes[place].key))] = place
    return last
