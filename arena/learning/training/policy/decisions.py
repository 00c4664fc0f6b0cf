"""Decisions that a policy has taken, and what came of them: what it learns from."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from arena.engine.contract import Features
from arena.learning.arrays import Indices
from arena.learning.training.policy.compiled import Columns


class Decisions(NamedTuple):
    """Decisions, one after the other: what compiled.py writes of them, and what came of them."""

    numbers: Features
    columns: Columns
    ends: Indices
    bounds: Indices
    places: Indices
    """[decisions]: of what was chosen in the legal list."""
    likely: Features
    """[decisions]: the logarithm of how likely that was."""
    gains: Features
    """[decisions]: how much more it brought than the judge had said."""
    wanted: Features
    """[decisions]: what the judge is to say."""
    is_known: Indices
    """[decisions]: 0 where it is not known what came of it."""


def joined(parts: Sequence[Decisions]) -> Decisions:
    """All decisions, one part after the other."""
    places = np.cumsum([[0, 0]] + [[len(part.numbers), len(part.ends)] for part in parts], axis=0)
    moved = [
        part._replace(ends=part.ends + number, bounds=part.bounds + end) for part, (number, end) in zip(parts, places.tolist())
    ]
    return Decisions(*(np.concatenate(columns) for columns in zip(*moved)))
