"""Learnt: plays the action that a small network values most; `learn.py` trained it by self-play and wrote its weights.

The same sums as in `learn.py`, by numpy, as a locked seat has no torch.
"""

from pathlib import Path

import numpy as np

from arena.agent import Agent, View

with np.load(Path(__file__).with_name("weights.npz")) as stored:
    WEIGHTS = dict(stored)


class Learnt(Agent[View]):
    """Two hidden layers over what the seat knows and what each action does."""

    games = (str(WEIGHTS["game"]),)

    def act(self, view: View) -> str:
        """The legal action with the highest value."""
        if view.encoding != str(WEIGHTS["encoding"]):
            raise ValueError(f"weights.npz: learnt from another encoding than {view.game} now has; run learn.py again")
        known = layer("known", view.features()) + view.action_features() @ WEIGHTS["action.weight"].T
        values = layer("value", relu(layer("inner", relu(known))))
        return view.legal[int(values.argmax())]


def layer(name: str, values: np.ndarray) -> np.ndarray:
    """A linear layer, as torch stores it."""
    return values @ WEIGHTS[f"{name}.weight"].T + WEIGHTS[f"{name}.bias"]


def relu(values: np.ndarray) -> np.ndarray:
    """What is below 0 becomes 0."""
    return np.maximum(values, 0)
