"""Which of the drawn worlds are kept where a network says how likely each is."""

from typing import Any

import numpy as np
import pytest

from arena.search import worlds
from arena.search.workspace import BY_BELIEF, BY_POLICY, CANDIDATES, LISTED, MOST_LISTED, OFFSET, workspace_type
from arena.search.worlds import CANDIDATE, KEPT_WORLDS, STATES, UNWEIGHED, WORLD, draw_world, next_likely, next_listed


@pytest.mark.parametrize("seed", range(20))
def test_worlds_are_kept_as_often_as_their_weights_say_to_within_one(seed: int) -> None:
    chance = np.random.default_rng(seed)
    weights = chance.dirichlet(np.full(CANDIDATES, 0.3))
    w = np.zeros(1, workspace_type(8, 1, 2))[0]
    w.weights[:CANDIDATES] = np.cumsum(weights)
    w.numbers[OFFSET] = chance.random()
    kept = np.bincount([next_likely(w) for _ in range(KEPT_WORLDS)], minlength=CANDIDATES)
    assert (np.abs(kept - KEPT_WORLDS * weights) < 1.0).all()


def test_over_many_drawings_each_world_is_kept_by_its_weight() -> None:
    chance = np.random.default_rng(1)
    weights = np.arange(1, CANDIDATES + 1) / np.arange(1, CANDIDATES + 1).sum()
    w = np.zeros(1, workspace_type(8, 1, 2))[0]
    w.weights[:CANDIDATES] = np.cumsum(weights)
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
    monkeypatch.setattr(worlds, "count_worlds", lambda *_: 0)
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


@pytest.mark.parametrize("worlds_taken", [7, 50, 1000])
def test_listed_worlds_come_evenly_as_often_as_their_weights_say(worlds_taken: int) -> None:
    weights = np.random.default_rng(worlds_taken).dirichlet(np.full(40, 0.3))
    w = np.zeros(1, workspace_type(8, 1, 2))[0]
    w.weights[:40] = np.cumsum(weights)
    w.counters[LISTED] = 40
    w.numbers[OFFSET] = 0.3
    taken = np.bincount([next_listed(w) for _ in range(worlds_taken)], minlength=40)
    assert (np.abs(taken - worlds_taken * weights) < 3.0).all()


@pytest.mark.parametrize("by_policy", [False, True])
def test_where_worlds_are_few_each_is_weighed_once(monkeypatch: pytest.MonkeyPatch, by_policy: bool) -> None:
    """By the network's likelihood and, with the game's policy, by the game's belief; a tenth of all goes to all alike."""
    likelihoods, beliefs = np.arange(1.0, 6.0), np.array([1.0, 2.0, 1.0, 2.0, 1.0])
    states: Any = np.zeros((STATES, 1), np.int64)
    asked: list[int] = []

    def nth_world(world: Any, _seat: int, number: int, *_: Any) -> float:
        world[0] = number
        return float(beliefs[number])

    def likelihood(world: Any, _: Any) -> float:
        asked.append(int(world[0]))
        return float(likelihoods[world[0]])

    monkeypatch.setattr(worlds, "has_learnt", lambda *_: True)
    monkeypatch.setattr(worlds, "count_worlds", lambda *_: 5)
    monkeypatch.setattr(worlds, "likelihood", likelihood)
    monkeypatch.setattr(worlds, "nth_world", nth_world)
    w = np.zeros(1, workspace_type(8, 1, 2))[0]
    w.settings[BY_BELIEF], w.settings[BY_POLICY] = 1, by_policy
    taken = np.zeros(5)
    for _ in range(5000):
        draw_world(states, w, np.zeros(0), np.array([1, 2, 3, 4]))
        taken[states[WORLD, 0]] += 1
    weights = likelihoods * (beliefs if by_policy else 1.0)
    assert taken / taken.sum() == pytest.approx((1.0 - UNWEIGHED) * weights / weights.sum() + UNWEIGHED / 5, abs=0.002)
    assert asked == [0, 1, 2, 3, 4]


def test_too_many_worlds_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worlds, "_draw", lambda *_: None)
    monkeypatch.setattr(worlds, "has_learnt", lambda *_: True)
    monkeypatch.setattr(worlds, "likelihood", lambda *_: 1.0)
    monkeypatch.setattr(worlds, "count_worlds", lambda *_: MOST_LISTED + 1)
    w = np.zeros(1, workspace_type(8, 1, 2))[0]
    w.settings[BY_BELIEF] = 1
    draw_world(np.arange(STATES), w, np.zeros(0), np.array([1, 2, 3, 4]))
    assert w.counters[LISTED] == 0
