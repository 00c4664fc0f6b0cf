"""Play of a policy that learns: tables where it plays all seats, or one among rivals, and what came of its decisions."""

from collections.abc import Sequence

import numpy as np

from arena.engine.contract import Actions, Features
from arena.learning.arrays import Indices
from arena.learning.rivals import Batch
from arena.learning.tables import Tables
from arena.learning.training.policy.compiled import GREEDY, advantages, choose, decide
from arena.learning.training.policy.decisions import Decisions
from arena.learning.training.policy.network import Weights

ROOM = 64 * 1024  # numbers that lists of decisions have room for at first; it grows


class Play:
    """Some tables with the same seats, and what is played there."""

    def __init__(self, tables: Tables, *, by_score: bool) -> None:
        """`tables`: with the features of actions. `by_score`: rewards are differences to the mean of all seats."""
        self.tables = tables
        self._by_score = by_score
        self._codes = np.array(tables.encoding.codes or (), np.int64)
        self._brought = np.zeros((0, tables.seats))
        self._numbers, self._columns = np.zeros(ROOM, np.float32), np.zeros(ROOM, np.uint16)

    def begin(self, player: "Snapshot", steps: int, seed: int) -> None:
        """Deal all tables anew, and play so many decisions by the player; each table begins at another of them.

        Else all would be at their openings together, and then all at their ends.
        """
        tables = self.tables
        tables.reset(seed)
        order = np.arange(len(tables)) * steps // len(tables)
        for step in range(steps):
            tables.step(player.at(tables))
            tables.reset(which=order == step)

    def steps(self, weights: Weights, steps: int, trace: float, scale: float, rng: np.random.Generator) -> Decisions:
        """So many decisions at each table. `trace`: as in compiled.py; `scale`: rewards are divided by it."""
        tables, count = self.tables, len(self.tables)
        total, most = steps * count, tables.action_features.shape[1]
        ends, bounds, used = np.zeros(total * (most + 1), np.int64), np.zeros(total, np.int64), np.zeros(3, np.int64)
        places, likely = np.zeros((steps, count), np.int64), np.zeros((steps, count), np.float32)
        worth, seats = np.zeros((steps, count), np.float32), np.zeros((steps, count), np.int64)
        rewards, ended = np.zeros((steps, count, tables.seats)), np.zeros((steps, count), np.int64)
        chosen = np.zeros(count, np.int64)
        for step in range(steps):
            self._make_room(used[0])
            seats[step] = tables.seat
            decide(
                *weights.parts, tables.features, tables.action_features, tables.counts, tables.actions, self._codes,
                rng.random(count), self._numbers, self._columns, ends, bounds, used, places[step], chosen, likely[step],
                worth[step],
            )  # fmt: skip
            tables.step(chosen)
            ended[step] = tables.terminated
            rewards[step] = tables.seat_rewards
        if self._by_score:
            rewards -= rewards.mean(axis=2, keepdims=True)
        self._brought = rewards[ended > 0]
        last = np.zeros(count, np.float32)
        choose(
            *weights.parts, tables.features, tables.action_features, tables.counts, tables.actions, self._codes,
            np.full(count, GREEDY), chosen, last,
        )  # fmt: skip
        gains, is_known = np.zeros((steps, count), np.float32), np.zeros((steps, count), np.int64)
        advantages(worth, seats, rewards / scale, ended, last, tables.seat.copy(), trace, gains, is_known)
        numbers, columns = self._numbers[: used[0]].copy(), self._columns[: used[0]].copy()
        return Decisions(
            numbers, columns, ends[: used[1]].copy(), bounds, places.ravel(), likely.ravel(), gains.ravel(),
            (gains + worth).ravel(), is_known.ravel(),
        )  # fmt: skip

    def spread(self) -> float | None:
        """The standard deviation of what the episodes that ended in the last steps brought the seats; None where none did."""
        return float(self._brought.std()) if len(self._brought) else None

    def _make_room(self, used: int) -> None:
        """Have room for the decisions of one more step."""
        tables = self.tables
        most = len(tables) * (tables.features.shape[1] + tables.action_features.shape[1] * tables.action_features.shape[2])
        if used + most > len(self._numbers):
            longer = 2 * used + most
            self._numbers, self._columns = (
                np.concatenate([array[:used], np.zeros(longer - used, array.dtype)]) for array in (self._numbers, self._columns)
            )


class Snapshot:
    """Plays by weights as they are, without keeping anything: a rival at the tables of others, or one that is measured."""

    def __init__(self, codes: Sequence[int] | None, weights: Weights, *, greedy: bool) -> None:
        """`codes`: of the game's encoding. `greedy`: plays the likeliest action, else draws one."""
        self.weights = weights
        self._codes = np.array(codes or (), np.int64)
        self._greedy = greedy
        self._rng = np.random.default_rng()

    def sow(self, seed: int) -> None:
        """Draw by this seed from here on."""
        self._rng = np.random.default_rng(seed)

    def __call__(self, batch: Batch) -> Indices:
        """The index of an action for each row."""
        assert batch.action_features is not None
        return self._chosen(batch.features, batch.action_features, batch.counts, batch.actions)

    def at(self, tables: Tables) -> Indices:
        """The index of an action for each table."""
        return self._chosen(tables.features, tables.action_features, tables.counts, tables.actions)

    def _chosen(self, features: Features, rows: Features, counts: Indices, actions: Actions) -> Indices:
        count = len(counts)
        chosen, worth = np.zeros(count, np.int64), np.zeros(count, np.float32)
        chances = np.full(count, GREEDY) if self._greedy else self._rng.random(count)
        choose(*self.weights.parts, features, rows, counts, actions, self._codes, chances, chosen, worth)
        return chosen
