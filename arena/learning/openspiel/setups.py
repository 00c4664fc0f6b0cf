"""A game with its seats, options and rewards: what all positions of one OpenSpiel game have in common."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, cast

import msgspec
import numpy as np

from arena import games
from arena.engine.contract import Actions, States
from arena.engine.encoding import Encoding
from arena.engine.options import OptionValue
from arena.engine.rng import Words
from arena.engine.room import Game
from arena.errors import ConfigError
from arena.records import canonical_json

PLACES, SCORE = "places", "score"
REWARDS = (PLACES, SCORE)


@dataclass(frozen=True, eq=False)
class Setup:
    """The game of a table. Two setups of the same things are the same object, also after pickling."""

    game: Game
    seats: int
    options: Mapping[str, OptionValue]
    """The resolved options."""
    reward: str
    """What a finished match brings: PLACES, or SCORE, which is what the room's `evaluate` says, less the table's mean."""

    def __reduce__(self) -> tuple[Callable[..., "Setup"], tuple[Any, ...]]:
        return _setup, (self.game.name, self.seats, canonical_json(self.options), self.reward)

    @cached_property
    def vector(self) -> Words:
        """The options as `deal` takes them."""
        return self.game.options_vector(self.options)

    @cached_property
    def encoding(self) -> Encoding:
        """What tensors hold."""
        return self.game.encoding

    @cached_property
    def action_count(self) -> int:
        """How many different actions OpenSpiel knows: the room's codes if they are few, else places in the legal list."""
        codes = self.encoding.codes
        return int(self.game.rules.MAX_ACTIONS) if codes is None else len(codes)

    @cached_property
    def place_of_code(self) -> Mapping[int, int] | None:
        """The action that stands for each code; None where an action is a place in the legal list."""
        codes = self.encoding.codes
        return None if codes is None else {code: place for place, code in enumerate(codes)}

    @cached_property
    def scratch(self) -> Actions:
        """A buffer for a legal list that is read at once."""
        return self.game.new_actions()

    def deal(self, seed: int) -> States:
        """The first position of a match. `seed`: 128 bits."""
        return self.game.deal(self.seats, self.options, seed)

    def returns(self, states: States) -> list[float]:
        """What each seat gets for a finished match; together nothing."""
        if self.reward == PLACES:
            _, places = self.game.final(states, self.seats)
            return place_rewards(places, self.game.units(self.seats, self.options))
        worth = np.zeros(max(self.game.seats))
        self.game.rollout.evaluate(states[0], self.game.constants, worth)
        own = worth[: self.seats]
        return cast("list[float]", (own - own.mean()).tolist())


def setup_of(game: str, seats: int, options: Mapping[str, OptionValue], reward: str = PLACES) -> Setup:
    """The setup of a table. `options`: those that differ from the defaults. Raises ConfigError."""
    room = games.load(game)
    room.check_seats(seats)
    if reward not in REWARDS:
        raise ConfigError(f'reward: one of {", ".join(REWARDS)} is needed, not "{reward}"')
    return _setup(game, seats, canonical_json(room.resolve_options(options, seats)), reward)


@cache
def _setup(game: str, seats: int, options: str, reward: str) -> Setup:
    return Setup(games.load(game), seats, msgspec.json.decode(options), reward)


def place_rewards(places: list[int], units: tuple[int, ...]) -> list[float]:
    """The share of its rivals that each seat finished before, less the share that finished before it: from 1 to -1.

    >>> place_rewards([1, 2, 2, 4], (0, 1, 2, 3))
    [1.0, 0.0, 0.0, -1.0]
    """
    rivals = [[other for other, unit in enumerate(units) if unit != own] for own in units]
    return [
        float(np.mean([np.sign(places[other] - places[seat]) for other in others])) + 0.0 for seat, others in enumerate(rivals)
    ]
