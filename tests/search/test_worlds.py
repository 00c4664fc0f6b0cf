"""Which of the drawn worlds are kept where a network says how likely each is."""

from typing import Any

import numpy as np
import pytest

from arena.search import worlds
from arena.search.workspace import BY_BELIEF, CANDIDATES, OFFSET, workspace_type
from arena.search.worlds import CANDIDATE, KEPT_WORLDS, STATES, UNWEIGHED, WORLD, draw_world, next_likely


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


def test_a_world_is_drawn_by_its_likelihood_and_a_tenth_of_all_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each candidate is known by its number; the first is nine times as likely as each other."""
    likelihoods = [9.0 if place == 0 else 1.0 for place in range(CANDIDATES)]
    states: Any = np.arange(STATES) - CANDIDATE
    monkeypatch.setattr(worlds, "_draw", lambda *_: None)
    monkeypatch.setattr(worlds, "has_learnt", lambda *_: True)
    monkeypatch.setattr(worlds, "likelihood", lambda place, _: likelihoods[place])
    w = np.zeros(1, workspace_type(8, 1, 2))[0]
    w.settings[BY_BELIEF] = 1
    rng, kept = np.array([1, 2, 3, 4]), np.zeros(CANDIDATES)
    for _ in range(1000 * KEPT_WORLDS):
        draw_world(states, w, np.zeros(0), rng)
        kept[states[WORLD]] += 1
    wanted = (1.0 - UNWEIGHED) * np.array(likelihoods) / sum(likelihoods) + UNWEIGHED / CANDIDATES
    assert kept / kept.sum() == pytest.approx(wanted, abs=0.005)
