"""Fits a policy: of each decision the chosen action is to have the highest logit (cross-entropy over the legal actions)."""

import numpy as np
from numpy.typing import NDArray

from arena.engine.contract import Actions, Features
from arena.engine.net import Net
from arena.learning.fit import Adam
from arena.learning.rows import Choices

BATCH = 64  # decisions of a step


def fit_policy(choices: Choices, *, hidden: int, seed: int, passes: int) -> Net:
    """A network over a seat's features and an action's, whose logits say which action was chosen."""
    chance = np.random.default_rng(seed)
    known, width = choices.features.shape[1], choices.features.shape[1] + choices.actions.shape[1]
    weights = [
        (chance.standard_normal((width, hidden)) * np.sqrt(1.0 / width)).astype(np.float32),
        np.zeros(hidden, np.float32),
        (chance.standard_normal(hidden) * np.sqrt(1.0 / hidden)).astype(np.float32),
    ]
    begins = np.cumsum(choices.counts) - choices.counts
    batches = max(1, len(choices) // BATCH)
    adam = Adam(weights, passes * batches)
    for _ in range(passes):
        order = chance.permutation(len(choices))
        for batch in range(batches):
            which = order[batch * BATCH : (batch + 1) * BATCH]
            adam.step(_slopes(weights, known, choices, which, begins))
    return Net(weights[0], weights[1], weights[2], 0.0, row=choices.actions.shape[1])


def agreement(net: Net, choices: Choices) -> tuple[float, float]:
    """The share of decisions where the policy would choose what was chosen, and the mean log loss of these choices."""
    begins = np.cumsum(choices.counts) - choices.counts
    same, loss = 0, 0.0
    for features, begin, count, chosen in zip(choices.features, begins, choices.counts, choices.chosen):
        logits = net.preferences(features, choices.actions[begin : begin + count])
        same += int(np.argmax(logits)) == chosen
        loss += float(np.log(np.exp(logits - logits.max()).sum()) + logits.max() - logits[chosen])
    return float(same / len(choices)), float(loss / len(choices))


def _slopes(weights: list[Features], known: int, choices: Choices, which: Actions, begins: NDArray[np.int64]) -> list[Features]:
    """The derivative of the mean log loss by each weight."""
    first, bias, out = weights
    counts = choices.counts[which]
    owner = np.repeat(np.arange(len(which)), counts)
    starts = np.cumsum(counts) - counts
    place = np.arange(len(owner)) - starts[owner]
    features, rows = choices.features[which], choices.actions[begins[which][owner] + place]
    reached = (features @ first[:known])[owner] + rows @ first[known:] + bias
    active = np.maximum(reached, np.float32(0.0))
    logits = active @ out
    logits -= np.maximum.reduceat(logits, starts)[owner]
    error = np.exp(logits)
    error /= np.add.reduceat(error, starts)[owner]
    error[starts + choices.chosen[which]] -= 1.0
    error /= np.float32(len(which))
    back = (error[:, None] * out) * (reached > 0)
    of_features = features.T @ np.add.reduceat(back, starts, axis=0)
    return [np.concatenate([of_features, rows.T @ back]), back.sum(axis=0), active.T @ error]
