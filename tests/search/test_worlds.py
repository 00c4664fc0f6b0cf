"""Which of the drawn worlds are kept where a network says how likely each is."""

import numpy as np
import pytest

from arena.search.workspace import CANDIDATES, OFFSET, workspace_type
from arena.search.worlds import KEPT_WORLDS, next_likely


@pytest.mark.parametrize("seed", range(20))
def test_worlds_are_kept_as_often_as_their_weights_say_to_within_one(seed: int) -> None:
    chance = np.random.default_rng(seed)
    weights = chance.dirichlet(np.full(CANDIDATES, 0.3))
    w = np.zeros(1, workspace_type(8, 1, 2))[0]
    w.weights[:] = np.cumsum(weights)
    w.numbers[OFFSET] = chance.random()
    kept = np.bincount([next_likely(w) for _ in range(KEPT_WORLDS)], minlength=CANDIDATES)
    assert (np.abs(kept - KEPT_WORLDS * weights) < 1.0).all()


def test_over_many_drawings_each_world_is_kept_by_its_weight() -> None:
    chance = np.random.default_rng(1)
    weights = np.arange(1, CANDIDATES + 1) / np.arange(1, CANDIDATES + 1).sum()
    w = np.zeros(1, workspace_type(8, 1, 2))[0]
    w.weights[:] = np.cumsum(weights)
    kept = np.zeros(CANDIDATES)
    for _ in range(2000):
        w.numbers[OFFSET] = chance.random()
        kept += np.bincount([next_likely(w) for _ in range(KEPT_WORLDS)], minlength=CANDIDATES)
    assert kept / kept.sum() == pytest.approx(weights, abs=0.005)
