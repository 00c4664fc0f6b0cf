"""How far the training of a policy is, and the file that keeps it: a training that was stopped goes on from there."""

import io
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from arena import userfiles
from arena.disk import is_there, write_whole
from arena.engine.contract import Features, States
from arena.errors import ConfigError
from arena.learning.arrays import Indices
from arena.learning.training.policy.learning import Learner
from arena.learning.training.policy.network import Weights

FILE = "checkpoint.npz"
MOST_BYTES = 1 << 27  # of a checkpoint


@dataclass
class State:
    """How far a training is."""

    learner: Learner
    averaged: Weights
    """The mean of the weights of late."""
    past: list[Features]
    """Means as they were, the oldest first."""
    every: int = 1
    """Parts between two of them."""
    scales: dict[int, float] = field(default_factory=dict)
    """What rewards are divided by, for each number of seats."""
    part: int = 0
    """Parts that are over."""
    positions: list[tuple[States, Indices]] = field(default_factory=list)
    """How the tables stand, group by group (`Tables.positions`)."""
    told: dict[str, float] = field(default_factory=dict)
    """What was told of the last update."""


def keep(folder: Path, state: State) -> None:
    """Write a checkpoint in place of the last one."""
    learner = state.learner
    arrays: dict[str, Any] = {
        "weights": learner.weights.numbers, "means": learner.means, "squares": learner.squares,
        "averaged": state.averaged.numbers, "past": np.stack(state.past), "names": np.array([*state.told]),
        "told": np.array([*state.told.values()]), "scales": np.array(sorted(state.scales.items())).reshape(-1, 2),
        "counts": np.array([learner.steps, state.every, state.part, len(state.positions)]),
    }  # fmt: skip
    for place, (states, books) in enumerate(state.positions):
        arrays |= {f"states_{place}": states.view(np.uint8), f"books_{place}": books}
    packed = io.BytesIO()
    np.savez(packed, **arrays)
    write_whole(folder / FILE, packed.getvalue())


def take_up(folder: Path, state: State, kind: np.dtype[Any]) -> None:
    """Go on from the checkpoint in a folder, if there is one. `kind`: of the game's states.

    Raises ConfigError for one that is damaged.
    """
    path = folder / FILE
    if not is_there(path):
        return
    learner = state.learner
    try:
        with np.load(io.BytesIO(userfiles.content(path, MOST_BYTES)), allow_pickle=False) as stored:
            for own, name in (
                (learner.weights.numbers, "weights"), (learner.means, "means"), (learner.squares, "squares"),
                (state.averaged.numbers, "averaged"),
            ):  # fmt: skip
                own[:] = stored[name]
            learner.steps, state.every, state.part, groups = stored["counts"].tolist()
            state.past = list(stored["past"])
            state.scales = {int(seats): float(scale) for seats, scale in stored["scales"]}
            state.told = dict(zip(stored["names"].tolist(), stored["told"].tolist()))
            state.positions = [(stored[f"states_{place}"].view(kind), stored[f"books_{place}"]) for place in range(groups)]
    except Exception:  # libraries that read what somebody else wrote fail in all ways
        raise ConfigError(f"{path}: damaged or not ours; name another --out") from None
