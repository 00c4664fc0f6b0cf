"""What networks are fitted to: positions with their outcomes, true worlds beside drawn ones, choices of searches."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.engine.contract import Actions, Features, Numbers
from arena.engine.game import Game

HELD_OUT = 10  # every tenth round is for measuring what was learnt, none of its rows for learning


@dataclass
class Rows:
    """Decisions of self-play, a row each."""

    seat_features: Features
    """[rows, seats, STATE_FEATURES]: the position from each seat's side."""
    outcomes: Numbers
    """[rows, seats]: what the round brought, on the scale of the game's `evaluate`."""
    world_features: Features
    """[rows, BELIEF_FEATURES]: the true world, from the side of the seat to choose."""
    drawn: Features
    """[rows, BELIEF_FEATURES]: a world that a search would draw."""
    judged: Numbers
    """[rows, seats]: what the game's own `evaluate` says of the position."""
    rounds: Actions
    """[rows]: the number of the round; rows of one round are not independent."""

    def __len__(self) -> int:
        return len(self.rounds)

    def parts(self) -> "tuple[Rows, Rows]":
        """The rows to learn from, and those that are held out, by rounds."""
        is_held_out = self.rounds % HELD_OUT == 0
        return self._where(~is_held_out), self._where(is_held_out)

    def first(self, count: int) -> "Rows":
        """A copy of the first rows."""
        return Rows(*(getattr(self, name)[:count].copy() for name in FIELDS))

    def _where(self, which: Any) -> "Rows":
        return Rows(*(getattr(self, name)[which] for name in FIELDS))


FIELDS = ("seat_features", "outcomes", "world_features", "drawn", "judged", "rounds")


def new_rows(game: Game, seats: int, count: int) -> Rows:
    """Rows with nothing in them yet."""
    state_features, belief_features = game.state_features.STATE_FEATURES, game.state_features.BELIEF_FEATURES
    return Rows(
        np.zeros((count, seats, state_features), np.float32), np.zeros((count, seats)),
        np.zeros((count, belief_features), np.float32), np.zeros((count, belief_features), np.float32),
        np.zeros((count, seats)), np.zeros(count, np.int64),
    )  # fmt: skip


def joined(parts: Sequence[Rows]) -> Rows:
    """Rows of one number of seats, one after the other; their rounds keep their numbers."""
    return Rows(*(np.concatenate([getattr(part, name) for part in parts]) for name in FIELDS))


@dataclass
class Choices:
    """Decisions of a search that knew only its seat's view, for a policy to imitate."""

    features: Features
    """[decisions, features]: what the seat knew (the game's encoding)."""
    actions: Features
    """[all legal actions, action features]: decision by decision."""
    counts: Actions
    """[decisions]: how many legal actions."""
    chosen: Actions
    """[decisions]: the place of the search's action among them."""
    worth: Numbers
    """[all legal actions]: what the search expected of each."""
    rounds: Actions
    """[decisions]: the number of the round."""

    def __len__(self) -> int:
        return len(self.counts)

    def parts(self) -> "tuple[Choices, Choices]":
        """The decisions to learn from, and those that are held out, by rounds."""
        is_held_out = self.rounds % HELD_OUT == 0
        return self._where(~is_held_out), self._where(is_held_out)

    def _where(self, which: NDArray[np.bool_]) -> "Choices":
        of_actions = np.repeat(which, self.counts)
        return Choices(
            self.features[which], self.actions[of_actions], self.counts[which], self.chosen[which], self.worth[of_actions],
            self.rounds[which],
        )  # fmt: skip


class Written:
    """Choices that are written one by one."""

    def __init__(self) -> None:
        """Begin with none."""
        self._rows: list[tuple[Features, Features, int, Sequence[float], int]] = []

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, features: Features, actions: Features, chosen: int, worth: Sequence[float], number: int) -> None:
        """Add a decision. `actions`: [legal actions, action features]; `chosen`: a place among them; `number`: of the round."""
        self._rows.append((features, actions, chosen, worth, number))

    def choices(self) -> Choices:
        """All of them; at least one was written."""
        features, actions, chosen, worth, numbers = zip(*self._rows)
        counts = np.array([len(rows) for rows in actions], np.int64)
        return Choices(
            np.stack(features), np.concatenate(actions), counts, np.array(chosen), np.concatenate(worth), np.array(numbers)
        )


def joined_choices(parts: Sequence[Choices]) -> Choices:
    """Decisions one after the other."""
    return Choices(*(np.concatenate([getattr(part, name) for part in parts]) for name in CHOICES))


CHOICES = ("features", "actions", "counts", "chosen", "worth", "rounds")
