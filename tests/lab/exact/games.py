"""End games of the games: trees grown from a game's own rules, over the worlds that may be behind what the seats see."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from arena.engine.game import Game, States
from lab.exact.solve import best_response, expected
from lab.exact.tree import Tree

Worlds: TypeAlias = Mapping[bytes, float]
"""True states, as bytes, each with its weight; of what can never come into play any order will do."""
MOST_WORLDS = 100_000
Settle: TypeAlias = Callable[[States], States | None]
"""The end of the round, where what all will choose until then is certain; None elsewhere."""


Policy: TypeAlias = Callable[[States, int, list[int]], int]
"""How somebody plays: what a seat sees, the seat, its legal actions; gives one of them, always the same."""


def grow(
    game: Game,
    worlds: Worlds,
    settle: Settle | None = None,
    following: Mapping[int, Policy] | None = None,
    most: int = 1_000_000,
) -> Tree:
    """The game from here to the end of the round. In all `worlds` the same seats play, and the same one is to choose.

    What a seat knows is its seen state (and its own choices on the way here). Rewards are `evaluate` of the game's
    rollout.py with its own numbers, as in searches. Seats in `following` have no choice but what their policy says.
    Raises TooLargeError for more than `most` nodes.
    """
    seats = int(game.rules.num_seats(game.from_bytes(next(iter(worlds)))[0]))
    loaded = _Room(game, seats, settle, following or {})
    return Tree(seats, ((GamePosition(loaded, game.from_bytes(world)), weight) for world, weight in worlds.items()), most)


def gain(game: Game, worlds: Worlds, seat: int, policy: Policy, settle: Settle | None = None) -> float:
    """What `seat` gains by playing perfectly from here on, all others following `policy`, over following it too.

    `worlds`: behind the view of `seat`. The mean over its hands, and then over the seats, is the exploitability of `policy`
    (`solve.exploitability`): the best response to a fixed policy can be found for each hand alone.
    """
    seats = int(game.rules.num_seats(game.from_bytes(next(iter(worlds)))[0]))
    everybody = dict.fromkeys(range(seats), policy)
    others = {other: policy for other in range(seats) if other != seat}
    free, bound = grow(game, worlds, settle, others), grow(game, worlds, settle, everybody)
    best, _ = best_response(free, seat, free.uniform_profile())
    return best - float(expected(bound, bound.uniform_profile())[seat])


@dataclass(frozen=True)
class _Room:
    game: Game
    seats: int
    settle: Settle | None
    following: Mapping[int, Policy]


@dataclass(frozen=True)
class GamePosition:
    """A true state of a game as a position of a tree."""

    room: _Room
    states: States

    @cached_property
    def rewards(self) -> tuple[float, ...] | None:
        """What each seat gets; None as long as somebody is to choose."""
        game, end = self.room.game, self.states
        if not game.engine.is_round_over(end):
            settled = self.room.settle(end) if self.room.settle else None
            if settled is None:
                return None
            end = settled
        rewards = np.zeros(max(game.seats))
        game.rollout.evaluate(end[0], game.constants, rewards)
        return tuple(rewards[: self.room.seats].tolist())

    @cached_property
    def seat(self) -> int:
        """The seat that is to choose."""
        return int(self.room.game.engine.current_seat(self.states))

    @cached_property
    def observed(self) -> States:
        """What that seat sees."""
        return self.room.game.observed(self.states, self.seat)

    @property
    def seen(self) -> bytes:
        """The same as bytes."""
        return self.observed.tobytes()

    @cached_property
    def actions(self) -> list[int]:
        """The legal action codes, or the only one that the seat's policy allows."""
        codes = self.room.game.legal_list(self.states)
        policy = self.room.following.get(self.seat)
        return codes if policy is None or len(codes) == 1 else [policy(self.observed, self.seat, codes)]

    def after(self, action: int) -> "GamePosition":
        """The position that a choice leads to."""
        return GamePosition(self.room, played(self.room.game, self.states, action))


def played(game: Game, states: States, *actions: int) -> States:
    """The state after some actions; `states` stays as it is."""
    after = game.from_bytes(states.tobytes())
    for action in actions:
        game.engine.step(after, action)
    return after
