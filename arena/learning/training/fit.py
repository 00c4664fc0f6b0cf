"""Fits a network with one hidden layer to shares from 0 to 1, by Adam on the cross-entropy, in numpy.

Adam: D. Kingma, J. Ba, ICLR 2015. The same rows and seed give the same network on one machine.
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.engine.contract import Actions, Features, Numbers
from arena.engine.net import Net

BATCH = 512  # rows of a step
RATE = 0.004  # of the first step; it falls to nothing by the last one, in a straight line
FIRST, SECOND, SMALL = 0.9, 0.999, 1e-8  # of Adam
DECAY = 1e-5  # share of each weight that a step takes away
BINS = 10
_LEAST = 1e-6
_AT_ONCE = 1 << 16  # rows

Inputs: TypeAlias = NDArray[np.floating[Any]]
"""Features, or the same in half precision, where there are many."""


def fit(inputs: Inputs, targets: Numbers, *, hidden: int, seed: int, passes: int, rows: Actions | None = None) -> Net:
    """A network whose logit says how large the targets are. `inputs`: [rows, inputs]; `targets`: [rows], from 0 to 1.

    `rows`: the numbers of those to learn from; by default all.
    """
    chance = np.random.default_rng(seed)
    width = inputs.shape[1]
    weights = [
        (chance.standard_normal((width, hidden)) * np.sqrt(1.0 / width)).astype(np.float32),
        np.zeros(hidden, np.float32),
        (chance.standard_normal(hidden) * np.sqrt(1.0 / hidden)).astype(np.float32),
        np.zeros(1, np.float32),
    ]
    wanted = targets.astype(np.float32)
    count = len(inputs) if rows is None else len(rows)
    batches = max(1, count // BATCH)
    adam = Adam(weights, passes * batches)
    for _ in range(passes):
        order = chance.permutation(count) if rows is None else rows[chance.permutation(count)]
        for batch in range(batches):
            which = order[batch * BATCH : (batch + 1) * BATCH]
            adam.step(_slopes(weights, inputs[which].astype(np.float32, copy=False), wanted[which]))
    return Net(weights[0], weights[1], weights[2], float(weights[3][0]))


class Adam:
    """Changes weights in place, step by step, at a rate that falls in a straight line."""

    def __init__(self, weights: list[Features], steps: int, rate: float = RATE) -> None:
        """`steps`: how many there will be; `rate`: of the first one."""
        self._weights, self._steps, self._step, self._rate = weights, steps, 0, rate
        self._means = [np.zeros_like(weight) for weight in weights]
        self._squares = [np.zeros_like(weight) for weight in weights]

    def step(self, slopes: list[Features]) -> None:
        """Go down the slopes, which are the derivatives by the weights."""
        rate = np.float32(self._rate * (1.0 - self._step / self._steps))
        self._step += 1
        for place, slope in enumerate(slopes):
            self._means[place] += np.float32(1.0 - FIRST) * (slope - self._means[place])
            self._squares[place] += np.float32(1.0 - SECOND) * (slope * slope - self._squares[place])
            size = np.sqrt(self._squares[place] / np.float32(1.0 - SECOND**self._step)) + np.float32(SMALL)
            change = self._means[place] / np.float32(1.0 - FIRST**self._step) / size
            self._weights[place] -= rate * change + np.float32(DECAY) * self._weights[place]


def _slopes(weights: list[Features], inputs: Features, targets: Features) -> list[Features]:
    """The derivative of the mean cross-entropy by each weight."""
    first, bias, out, end = weights
    reached = inputs @ first + bias
    active = np.maximum(reached, np.float32(0.0))
    error = (_share(active @ out + end) - targets) / np.float32(len(targets))
    back = (error[:, None] * out) * (reached > 0)
    return [inputs.T @ back, back.sum(axis=0), active.T @ error, error.sum(keepdims=True)]


def shares(net: Net, inputs: Inputs) -> Numbers:
    """[rows]: what the network says, from 0 to 1."""
    parts = (inputs[first : first + _AT_ONCE].astype(np.float32, copy=False) for first in range(0, len(inputs), _AT_ONCE))
    return np.concatenate([np.zeros(0), *(_share(net.logits(part)) for part in parts)])


def log_loss(found: Numbers, targets: Numbers) -> float:
    """The mean cross-entropy in nats; a coin that knows nothing has 0.693."""
    sure = np.clip(found, _LEAST, 1.0 - _LEAST)
    return float(-np.mean(targets * np.log(sure) + (1.0 - targets) * np.log(1.0 - sure)))


def calibration(found: Numbers, targets: Numbers) -> float:
    """How far the mean of the targets is from what was said, in ten equal bins, weighted by their rows."""
    bins = np.minimum(BINS - 1, (found * BINS).astype(int))
    return float(sum(abs((found - targets)[bins == place].sum()) for place in range(BINS)) / len(found))


def _share(logits: Features) -> Features:
    found: Features = np.float32(1.0) / (np.float32(1.0) + np.exp(-np.clip(logits, -30.0, 30.0)))
    return found
