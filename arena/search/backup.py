"""Backup: what is learnt from the rewards of a simulation, along its path in the tree and at the root."""

from arena.engine import jit
from arena.engine.contract import Numbers
from arena.search.selection import NO_CHOICE
from arena.search.tree import NONE, Nodes
from arena.search.workspace import (
    CHOSEN,
    DONE,
    FIRST_KEPT,
    FIRST_MEAN,
    KEPT_COUNT,
    MOVER,
    OBSERVER,
    PATH,
    REWARDS,
    SQUARES,
    VALUE,
    VISITS,
    WIDEST,
    Workspace,
)

STEADY = 16  # rewards, of all seats together, after which their spread is believed


@jit.generic
def back_up(first: int, seats: int, nodes: Nodes, w: Workspace, rewards: Numbers) -> None:
    """Count a simulation: its rewards, the observer's first choice, every choice in the tree. `rewards`: one for each seat."""
    _learn_spread(seats, w, rewards)
    if first != NO_CHOICE:
        w.results[first, VISITS] += 1
        w.results[first, VALUE] += rewards[w.settings[OBSERVER]]
    for i in range(w.counters[PATH]):
        if w.path[i, CHOSEN] != NONE:
            _learn(nodes, w, i, rewards)


@jit.generic
def _learn(nodes: Nodes, w: Workspace, at: int, rewards: Numbers) -> None:
    """Count a choice of the path; where it was drawn by regret, update the regrets of all choices that were legal there.

    What the others would have brought is estimated by their means so far (a baseline keeps the estimate unbiased and
    steadies it: M. Schmid et al., "Variance Reduction in Monte Carlo Counterfactual Regret Minimization", AAAI 2019).
    """
    chosen = int(w.path[at, CHOSEN])
    reward = rewards[w.path[at, MOVER]]
    start = int(w.path[at, FIRST_KEPT])
    count = int(w.path[at, KEPT_COUNT])
    expected = 0.0
    correction = 0.0
    for i in range(start, start + count):
        child = int(w.kept[i])
        if child == NONE:
            continue
        mean = nodes[child].value / nodes[child].visits if nodes[child].visits > 0 else reward
        expected += w.chances[i] * mean
        if child == chosen:
            correction = (reward - mean) / w.chances[i]
            expected += reward - mean
    for i in range(start, start + count):
        child = int(w.kept[i])
        if child == NONE:
            continue
        mean = nodes[child].value / nodes[child].visits if nodes[child].visits > 0 else reward
        nodes[child].regret += mean - expected + (correction if child == chosen else 0.0)
    nodes[chosen].visits += 1
    nodes[chosen].value += reward


@jit.generic
def _learn_spread(seats: int, w: Workspace, rewards: Numbers) -> None:
    """Update each seat's mean reward, and the sum of squared deviations from these means (Welford 1962)."""
    for seat in range(seats):
        away = rewards[seat] - w.numbers[FIRST_MEAN + seat]
        w.numbers[FIRST_MEAN + seat] += away / (w.counters[DONE] + 1)
        w.numbers[SQUARES] += away * (rewards[seat] - w.numbers[FIRST_MEAN + seat])
    w.numbers[REWARDS] += seats
    if w.numbers[REWARDS] >= STEADY:
        w.numbers[WIDEST] = max(w.numbers[WIDEST], w.numbers[SQUARES] / w.numbers[REWARDS])
