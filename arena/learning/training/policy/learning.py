"""Proximal policy optimisation: what a policy and its judge learn from decisions, a batch at a time."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from arena.engine.contract import Numbers
from arena.learning.arrays import Indices
from arena.learning.training.policy.compiled import CLIPPED, COLUMNS, DISTANCE, ENTROPY, ERROR, LOSS, improve, slopes
from arena.learning.training.policy.decisions import Decisions, joined
from arena.learning.training.policy.network import Weights

PARTS = 4  # of a batch, whose sums are added up in the same order, however many threads there are
TOLD = {"loss": LOSS, "entropy": ENTROPY, "clipped": CLIPPED, "error": ERROR, "distance": DISTANCE}


class Learner:
    """Changes the weights of a policy in place."""

    def __init__(self, weights: Weights, *, batch: int, passes: int, clip: float, norm: float, threads: int) -> None:
        """`batch`: decisions of a step; `passes`: how often they are gone through; `norm`: of a step's slopes, at most."""
        self.weights = weights
        self.means, self.squares = np.zeros_like(weights.numbers), np.zeros_like(weights.numbers)
        self.steps = 0
        self._batch, self._passes, self._clip, self._norm = batch, passes, clip, norm
        self._slopes = [Weights(weights.shape, np.zeros_like(weights.numbers)) for _ in range(PARTS)]
        self._told = np.zeros((PARTS, COLUMNS))
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def learn(self, groups: Sequence[Decisions], rate: float, entropy: float, rng: np.random.Generator) -> dict[str, float]:
        """Learn from decisions; in each group what they brought counts as so many of its own standard deviations.

        Gives means over the decisions: what they lost, the entropy, the share of those clipped, the judge's squared error, and
        how far the policy has moved (Kullback-Leibler divergence).
        """
        decisions = joined([_standardised(group) for group in groups])
        usable = np.flatnonzero(decisions.is_known)
        told = np.zeros(COLUMNS)
        for _ in range(self._passes):
            order = rng.permutation(usable)
            for which in np.array_split(order, max(1, len(order) // self._batch)):
                told += self._step(decisions, which, rate, entropy)
        told /= max(1, self._passes * len(usable))
        return {name: float(told[column]) for name, column in TOLD.items()}

    def _step(self, decisions: Decisions, which: Indices, rate: float, entropy: float) -> Numbers:
        """A step of Adam; gives sums over the batch."""
        parts = list(zip(range(PARTS), np.array_split(np.sort(which), PARTS)))
        if self._pool is None:
            for place, part in parts:
                self._add_up(place, decisions, part, entropy)
        else:
            for future in [self._pool.submit(self._add_up, place, decisions, part, entropy) for place, part in parts]:
                future.result()
        total = self._slopes[0].numbers
        for other in self._slopes[1:]:
            total += other.numbers
        total /= np.float32(len(which))
        norm = float(np.sqrt(np.square(total, dtype=np.float64).sum()))
        if norm > self._norm:
            total *= np.float32(self._norm / norm)
        self.steps += 1
        improve(self.weights.numbers, total, self.means, self.squares, self.steps, rate)
        found: Numbers = self._told.sum(axis=0)
        return found

    def _add_up(self, place: int, decisions: Decisions, which: Indices, entropy: float) -> None:
        own, told = self._slopes[place], self._told[place]
        own.numbers[:] = 0.0
        told[:] = 0.0
        slopes(
            *self.weights.parts, decisions.numbers, decisions.columns, decisions.ends, decisions.bounds, which,
            decisions.places, decisions.likely, decisions.gains, decisions.wanted, self._clip, entropy, *own.parts, told,
        )  # fmt: skip


def _standardised(decisions: Decisions) -> Decisions:
    """The same with gains that have mean 0 and standard deviation 1."""
    gains = decisions.gains[decisions.is_known > 0]
    if not len(gains):
        return decisions
    return decisions._replace(gains=(decisions.gains - gains.mean()) / np.float32(gains.std() + 1e-6))
