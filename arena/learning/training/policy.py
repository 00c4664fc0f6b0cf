"""Fits a policy: the more a search expected of an action, the likelier it is to be (cross-entropy over the legal actions).

To imitate what was chosen alone would throw away how close the others came, and a search often chooses among equals.
"""

import numpy as np
from numpy.typing import NDArray

from arena.engine.contract import Actions, Features
from arena.engine.net import Net
from arena.learning.training.fit import Adam
from arena.learning.training.rows import Choices

BATCH = 64  # decisions of a step
RATE = 0.002  # of the first one
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
    batches = max(1, len(choices) // BATCH)
    adam = Adam(weights, passes * batches, RATE)
    for _ in range(passes):
        order = chance.permutation(len(choices))
        for batch in range(batches):
            which = order[batch * BATCH : (batch + 1) * BATCH]
            adam.step(_slopes(weights, known, choices, wanted, which, begins))
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


def _slopes(
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
