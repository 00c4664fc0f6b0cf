"""Learnt: plays the action that a small network finds likeliest; `learn.py` trained it by self-play and wrote its weights.

The same sums as in `learn.py`, for one decision.
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
        """The legal action with the highest logit."""
        w = WEIGHTS
        if view.encoding != str(w["encoding"]):
            raise ValueError(f"weights.npz: learnt from another encoding than {view.game} now has; run learn.py again")
        first = np.maximum(view.features() @ w["known"] + w["bias"] + view.action_features() @ w["action"], 0)
        inner = np.maximum(first @ w["inner"] + w["inner_bias"], 0)
        return view.legal[int((inner @ w["out"]).argmax())]
