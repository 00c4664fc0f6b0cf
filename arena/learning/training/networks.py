"""The networks of a game, fitted to rows of play: value, belief and policy.

Each has one hidden layer, and is fitted in numpy by Adam (D. Kingma, J. Ba, ICLR 2015) on the cross-entropy, a value and a
belief to shares from 0 to 1. The same rows and seed give the same network on one machine.

A policy: the more a search expected of an action, the likelier it is to be (cross-entropy over the legal actions). To imitate
what was chosen alone would throw away how close the others came, and a search often chooses among equals.
"""

from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.engine.contract import Actions, Features, Numbers
from arena.engine.net import Net
from arena.learning.training.rows import Choices, Rows

BATCH = 512  # rows of a step
RATE = 0.004  # of the first step; it falls to nothing by the last one, in a straight line
FIRST, SECOND, SMALL = 0.9, 0.999, 1e-8  # of Adam
DECAY = 1e-5  # share of each weight that a step takes away
BINS = 10
_LEAST = 1e-6
_AT_ONCE = 1 << 16  # rows

Inputs: TypeAlias = NDArray[np.floating[Any]]
"""Features, or the same in half precision, where there are many."""


def fit_shares(inputs: Inputs, targets: Numbers, *, hidden: int, seed: int, passes: int, rows: Actions | None = None) -> Net:
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


def predicted_shares(net: Net, inputs: Inputs) -> Numbers:
    """[rows]: what the network says, from 0 to 1."""
    parts = (inputs[first : first + _AT_ONCE].astype(np.float32, copy=False) for first in range(0, len(inputs), _AT_ONCE))
    return np.concatenate([np.zeros(0), *(_share(net.logits(part)) for part in parts)])


def log_loss(found: Numbers, targets: Numbers) -> float:
    """The mean cross-entropy in nats; a coin that knows nothing has 0.693."""
    sure = np.clip(found, _LEAST, 1.0 - _LEAST)
    return float(-np.mean(targets * np.log(sure) + (1.0 - targets) * np.log(1.0 - sure)))


def calibration(found: Numbers, targets: Numbers) -> float:
    """Return how far the mean of the targets is from what was said, in ten equal bins, weighted by their rows."""
    bins = np.minimum(BINS - 1, (found * BINS).astype(int))
    return float(sum(abs((found - targets)[bins == place].sum()) for place in range(BINS)) / len(found))


def _share(logits: Features) -> Features:
    found: Features = np.float32(1.0) / (np.float32(1.0) + np.exp(-np.clip(logits, -30.0, 30.0)))
    return found


VALUE_HIDDEN, BELIEF_HIDDEN = 48, 32
FEW = 3  # different outcomes at most, where the ends of the scale are the worst and the best of them
TAIL, MARGIN = 0.005, 0.1  # elsewhere: outcomes beyond the ends of the scale, on either side; how far the ends lie beyond that


def value_network(rows: Rows, seed: int, passes: int) -> Net:
    """A network that says what a position with all hands open brings to a seat, on the scale of the rows' outcomes."""
    low, high = scale(rows.outcomes)
    targets = _between(rows.outcomes, low, high)
    found = fit_shares(by_seat(rows.seat_features), targets, hidden=VALUE_HIDDEN, seed=seed, passes=passes)
    return replace(found, low=low, high=high, total=_constant_total(rows.outcomes))


def belief_network(rows: Rows, seed: int, passes: int) -> Net:
    """A network that tells true worlds from drawn ones. The game has belief features."""
    return fit_shares(*worlds_of(rows), hidden=BELIEF_HIDDEN, seed=seed, passes=passes)


def by_seat(seat_features: Features) -> Features:
    """[rows * seats, STATE_FEATURES], of [rows, seats, STATE_FEATURES]."""
    return seat_features.reshape(-1, seat_features.shape[-1])


def shares_of(outcomes: Numbers, value: Net) -> Numbers:
    """[rows * seats]: where outcomes lie on the scale of a value network, from 0 to 1."""
    return _between(outcomes, value.low, value.high)


def worlds_of(rows: Rows) -> tuple[Features, Numbers]:
    """[2 * rows, BELIEF_FEATURES]: true worlds and drawn ones; [2 * rows]: 1 for the true ones."""
    return np.concatenate([rows.world_features, rows.drawn]), np.concatenate([np.ones(len(rows)), np.zeros(len(rows))])


def scale(outcomes: Numbers) -> tuple[float, float]:
    """The ends of the scale of a value network."""
    if len(np.unique(outcomes)) <= FEW:
        return float(outcomes.min()), float(outcomes.max())
    low, high = (float(end) for end in np.quantile(outcomes, [TAIL, 1.0 - TAIL]))
    margin = MARGIN * (high - low)
    return low - margin, high + margin


def _between(outcomes: Numbers, low: float, high: float) -> Numbers:
    found: Numbers = np.clip((outcomes.reshape(-1) - low) / (high - low), 0.0, 1.0)
    return found


def _constant_total(outcomes: Numbers) -> float | None:
    """The sum of all seats' outcomes if it is always the same."""
    totals = outcomes.sum(axis=1)
    return float(totals[0]) if np.ptp(totals) < 1e-6 * max(1.0, float(np.abs(outcomes).max())) else None


POLICY_BATCH = 64  # decisions of a step
POLICY_RATE = 0.002  # of the first one
SOFTNESS = 0.1  # an action that is expected to bring less by this part of the spread of expectations is e times less likely


def fit_policy(choices: Choices, *, hidden: int, seed: int, passes: int) -> Net:
    """A network over a seat's features and an action's, whose logits say which action to choose."""
    chance = np.random.default_rng(seed)
    known, width = choices.features.shape[1], choices.features.shape[1] + choices.actions.shape[1]
    weights = [
        (chance.standard_normal((width, hidden)) * np.sqrt(1.0 / width)).astype(np.float32),
        np.zeros(hidden, np.float32),
        (chance.standard_normal(hidden) * np.sqrt(1.0 / hidden)).astype(np.float32),
    ]
    begins = np.cumsum(choices.counts) - choices.counts
    wanted = wanted_shares(choices)
    batches = max(1, len(choices) // POLICY_BATCH)
    adam = Adam(weights, passes * batches, POLICY_RATE)
    for _ in range(passes):
        order = chance.permutation(len(choices))
        for batch in range(batches):
            which = order[batch * POLICY_BATCH : (batch + 1) * POLICY_BATCH]
            adam.step(_policy_slopes(weights, known, choices, wanted, which, begins))
    return Net(weights[0], weights[1], weights[2], 0.0, row=choices.actions.shape[1])


def wanted_shares(choices: Choices) -> Features:
    """[all legal actions]: how likely each action is to be; those of a decision add up to 1."""
    starts = np.cumsum(choices.counts) - choices.counts
    owner = np.repeat(np.arange(len(choices)), choices.counts)
    best = np.maximum.reduceat(choices.worth, starts)
    shares = np.exp((choices.worth - best[owner]) / (SOFTNESS * best.std() or 1.0))
    found: Features = (shares / np.add.reduceat(shares, starts)[owner]).astype(np.float32)
    return found


def agreement(net: Net, choices: Choices) -> tuple[float, float]:
    """The share of decisions where the policy would choose what was chosen, and the mean log loss of these choices."""
    begins = np.cumsum(choices.counts) - choices.counts
    same, loss = 0, 0.0
    for features, begin, count, chosen in zip(choices.features, begins, choices.counts, choices.chosen):
        logits = net.preferences(features, choices.actions[begin : begin + count])
        same += int(np.argmax(logits)) == chosen
        loss += float(np.log(np.exp(logits - logits.max()).sum()) + logits.max() - logits[chosen])
    return float(same / len(choices)), float(loss / len(choices))


def _policy_slopes(
    weights: list[Features], known: int, choices: Choices, wanted: Features, which: Actions, begins: NDArray[np.int64]
) -> list[Features]:
    """The derivative of the mean log loss by each weight."""
    first, bias, out = weights
    counts = choices.counts[which]
    owner = np.repeat(np.arange(len(which)), counts)
    starts = np.cumsum(counts) - counts
    places = begins[which][owner] + np.arange(len(owner)) - starts[owner]
    features, rows = choices.features[which], choices.actions[places]
    reached = (features @ first[:known])[owner] + rows @ first[known:] + bias
    active = np.maximum(reached, np.float32(0.0))
    logits = active @ out
    logits -= np.maximum.reduceat(logits, starts)[owner]
    error = np.exp(logits)
    error /= np.add.reduceat(error, starts)[owner]
    error -= wanted[places]
    error /= np.float32(len(which))
    back = (error[:, None] * out) * (reached > 0)
    of_features = features.T @ np.add.reduceat(back, starts, axis=0)
    return [np.concatenate([of_features, rows.T @ back]), back.sum(axis=0), active.T @ error]
