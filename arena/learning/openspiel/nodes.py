"""Positions as OpenSpiel's states hold them: one record each, and what every seat has been shown on the way there."""

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from arena.engine.contract import States
from arena.engine.entries import COUNT_SHIFT, IS_OVER, SEAT_MASK, SEAT_SHIFT
from arena.engine.rng import Words
from arena.learning.openspiel.setups import Setup

Event: TypeAlias = tuple[int, str]
"""A seat, and what somebody saw of its action."""
DIGEST_BYTES = 16


class Learnt(NamedTuple):
    """What a seat has been shown until now, but for its view of the position itself."""

    before: bytes = b""
    """What it had learnt at its last decision, as a digest."""
    events: tuple[Event, ...] = ()
    """What it was shown of the actions since then, that of its own included."""


class Node:
    """A position in which somebody is to choose, or the end. Never changed, so that clones of a state share it."""

    __slots__ = ("_action", "_before", "_given", "_known", "codes", "is_over", "seat", "setup", "states")

    setup: Setup
    states: States
    """The true position: one record."""
    is_over: bool
    seat: int
    """The seat that is to choose; -1 at the end."""
    codes: Sequence[int]
    """The legal actions of that seat."""

    def __init__(self, setup: Setup, states: States, given: Sequence[Learnt] = ()) -> None:
        """A position without a way that led there. `given`: what each seat was shown on the way; empty: nothing."""
        engine = setup.game.engine
        self.setup, self.states = setup, states
        self.is_over = bool(engine.is_terminal(states))
        self.seat = -1 if self.is_over else int(engine.current_seat(states))
        self.codes = () if self.is_over else setup.game.legal_list(states)
        self._before: Node | None = None
        self._action = 0
        self._given = given or (Learnt(),) * setup.seats
        self._known: dict[int, bytes] = {}

    def __deepcopy__(self, _memo: dict[int, Any]) -> "Node":
        return self

    def __reduce__(self) -> tuple[Callable[..., "Node"], tuple[Any, ...]]:
        return _restored, (self.setup, self.states.tobytes(), [tuple(self.learnt(seat)) for seat in range(self.setup.seats)])

    def after(self, code: int) -> "Node":
        """The position after an action of the seat that is to choose, the next round dealt if it ended one."""
        setup, node = self.setup, Node.__new__(Node)
        node.setup, node.states = setup, self.states.copy()
        found = setup.game.engine.follow(node.states, 0, 0, code, setup.scratch)
        node.is_over = bool(found & IS_OVER)
        node.seat = -1 if node.is_over else found >> SEAT_SHIFT & SEAT_MASK
        node.codes = () if node.is_over else setup.scratch[: found >> COUNT_SHIFT].tolist()
        node._before, node._action, node._given, node._known = self, code, (), {}
        return node

    def known(self, seat: int) -> bytes:
        """Return what a seat has learnt, as a digest: its views at its decisions, the events in between, and its view now."""
        missing: list[tuple[Node, Learnt]] = []
        node: Node | None = self
        while node is not None and seat not in node._known:
            last, since = node._since_decision(seat)
            missing.append((node, since))
            node = last
        known = node._known[seat] if node else b""
        for node, since in reversed(missing):
            observed = node.observed(seat).tobytes()
            known = node._known[seat] = digest(since._replace(before=since.before or known), observed)
        return known

    def learnt(self, seat: int) -> Learnt:
        """Return what a seat has been shown, but for its view now."""
        last, since = self._since_decision(seat)
        return since if last is None else since._replace(before=last.known(seat))

    def observed(self, seat: int) -> States:
        """The position as `observe` shows it to a seat."""
        return self.setup.game.observed(self.states, seat)

    def resampled(self, seat: int, rng: Words) -> "Node":
        """A position that `seat` cannot tell from this one, drawn at random; nothing hidden of this one is used for it."""
        states = self.observed(seat)
        self.setup.game.engine.determinize(states, seat, rng)
        return seen_node(self.setup, states, seat, self.learnt(seat))

    def _since_decision(self, seat: int) -> "tuple[Node | None, Learnt]":
        """The last decision of `seat` before this position, and what it was shown since then; None: there was none."""
        game, steps, node = self.setup.game, list[tuple[States, int]](), self
        while node._before is not None:
            steps.append((node._before.states, node._action))
            node = node._before
            if node.seat == seat:
                break
        before, given = (b"", ()) if node is not self and node.seat == seat else node._given[seat]
        events = list(given)
        for states, action in reversed(steps):
            seen = game.engine.seen_action(states, action, seat)
            if seen:
                events += game.text.event_texts(states[0], seen)
        return (node if node is not self and node.seat == seat else None), Learnt(before, tuple(events))


def digest(learnt: Learnt, observed: bytes) -> bytes:
    """All that a seat has been shown, as a digest. `observed`: its seen state."""
    found = hashlib.blake2b(learnt.before.ljust(DIGEST_BYTES, b"\0"), digest_size=DIGEST_BYTES)
    for seat, text in learnt.events:
        found.update(f"{seat} {text}\n".encode())
    found.update(b"\0" + observed)
    return found.digest()


def seen_node(setup: Setup, states: States, seat: int, learnt: Learnt) -> Node:
    """A position that is one of those that `seat` thinks possible. `learnt`: what it was shown.

    The others are taken to have been shown the same: what else they saw on the way, `seat` cannot know.
    """
    common = digest(learnt, setup.game.observed(states, seat).tobytes())
    return Node(setup, states, [learnt if other == seat else Learnt(common) for other in range(setup.seats)])


def drawn_words(draw: Callable[[], float]) -> Words:
    """Words for a fast generator, from a source of numbers from 0 to 1, 1 excluded."""
    return np.array([int(draw() * (1 << 32)) for _ in range(4)], np.int64)


def _restored(setup: Setup, data: bytes, given: Sequence[tuple[bytes, tuple[Event, ...]]]) -> Node:
    return Node(setup, setup.game.from_bytes(data), [Learnt(*each) for each in given])
