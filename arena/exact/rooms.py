"""End games of the rooms: trees grown from a room's own rules, over the worlds that may be behind what the seats see."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TypeAlias

import numpy as np

from arena.contract import Numbers
from arena.exact.tree import Tree
from arena.game import Game, States

Worlds: TypeAlias = Mapping[bytes, float]
"""True states, as bytes, each with its weight; of what can never come into play any order will do."""
Settle: TypeAlias = Callable[[States], States | None]
"""The end of the round, where what all will choose until then is certain; None elsewhere."""


def grow(game: Game, worlds: Worlds, settle: Settle | None = None, most: int = 1_000_000) -> Tree:
    """The game from here to the end of the round. In all `worlds` the same seats play, and the same one is to choose.

    What a seat knows is its observed state (and its own choices on the way here). Rewards are `evaluate` of the room's
    rollout.py, with its own
    numbers, as in searches. Raises TooLargeError for more than `most` nodes.
    """
    seats = int(game.rules.num_seats(game.from_bytes(next(iter(worlds)))[0]))
    roots = [(RoomPosition(game, game.from_bytes(world), seats, settle), weight) for world, weight in worlds.items()]
    return Tree(seats, roots, most)


@dataclass(frozen=True)
class RoomPosition:
    """A true state of a room as a position of a tree."""

    game: Game
    states: States
    seats: int
    settle: Settle | None = None

    @cached_property
    def rewards(self) -> tuple[float, ...] | None:
        """What each seat gets; None as long as somebody is to choose."""
        end = self.states
        if not self.game.engine.is_round_over(end):
            settled = self.settle(end) if self.settle else None
            if settled is None:
                return None
            end = settled
        rewards = np.zeros(max(self.game.seats))
        self.game.rollout.evaluate(end[0], default_constants(self.game), rewards)
        return tuple(rewards[: self.seats].tolist())

    @cached_property
    def seat(self) -> int:
        """Who is to choose."""
        return int(self.game.engine.current_seat(self.states))

    @cached_property
    def seen(self) -> bytes:
        """The observed state of that seat."""
        return self.game.observed(self.states, self.seat).tobytes()

    @cached_property
    def actions(self) -> list[int]:
        """The legal action codes."""
        return self.game.legal_list(self.states)

    def after(self, action: int) -> "RoomPosition":
        """The position that a choice leads to."""
        return RoomPosition(self.game, played(self.game, self.states, action), self.seats, self.settle)


@cache
def default_constants(game: Game) -> Numbers:
    """The room's own numbers of what a position is worth."""
    return np.array([constant.default for constant in game.rollout.CONSTANTS])


def played(game: Game, states: States, *actions: int) -> States:
    """The state after some actions; `states` stays as it is."""
    after = game.from_bytes(states.tobytes())
    for action in actions:
        game.engine.step(after, action)
    return after
