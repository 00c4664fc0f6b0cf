"""The weights of a policy and of its judge, which learn together, as one row of numbers and as compiled.py reads them."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from arena.engine.contract import Features
from arena.engine.net import Net

JUDGED_FURTHER = 0.1  # of what a hidden unit begins with: policies begin with almost equal chances


@dataclass(frozen=True)
class Shape:
    """How many numbers there are of each kind."""

    known: int
    """What a seat knows."""
    row: int
    """What is known of an action."""
    hidden: int
    """Hidden units of the policy."""
    judging: int
    """Hidden units of the judge."""

    @property
    def size(self) -> int:
        """How many weights there are."""
        both = self.hidden + self.judging
        return self.known * both + self.row * self.hidden + 2 * both + 1


class Weights:
    """Weights, or numbers that belong to them, such as their derivatives: one row, and parts of it that share its memory."""

    def __init__(self, shape: Shape, numbers: Features) -> None:
        """`numbers`: as many as the shape has."""
        self.shape = shape
        self.numbers = numbers
        both = shape.hidden + shape.judging
        places = np.cumsum([0, shape.known * both, shape.row * shape.hidden, both, both, 1])
        known, action, bias, out, end = (numbers[first:last] for first, last in pairwise(places))
        self.parts = (known.reshape(shape.known, both), action.reshape(shape.row, shape.hidden), bias, out, end)
        """`known`, `action`, `bias`, `out` and `end`, as compiled.py has them."""

    def net(self) -> Net:
        """The policy alone, as games have it."""
        known, action, bias, out, _ = self.parts
        hidden = self.shape.hidden
        weights = np.concatenate([known[:, :hidden], action])
        return Net(weights, bias[:hidden].copy(), out[:hidden].copy(), 0.0, row=self.shape.row).rounded()


def weights_of(policy: Net, judging: int, rng: np.random.Generator) -> Weights:
    """Weights that go on from a policy as games have it, beside a judge that expects nothing. `judging`: its hidden units."""
    known, hidden = len(policy.weights) - policy.row, len(policy.bias)
    weights = new_weights(Shape(known, policy.row, hidden, judging), rng)
    of_known, action, bias, out, _ = weights.parts
    of_known[:, :hidden], action[:] = policy.weights[:known], policy.weights[known:]
    bias[:hidden], out[:hidden], out[hidden:] = policy.bias, policy.out, 0.0
    return weights


def new_weights(shape: Shape, rng: np.random.Generator) -> Weights:
    """Weights to begin with: all actions are almost equally likely, and the judge expects almost nothing."""
    weights = Weights(shape, np.zeros(shape.size, np.float32))
    known, action, _, out, _ = weights.parts
    inputs = np.sqrt(2.0 / (shape.known + shape.row))
    known[:] = rng.standard_normal(known.shape) * 2.0 * inputs
    action[:] = rng.standard_normal(action.shape) * 2.0 * inputs
    out[:] = rng.standard_normal(out.shape) * JUDGED_FURTHER * np.sqrt(1.0 / shape.hidden)
    return weights
