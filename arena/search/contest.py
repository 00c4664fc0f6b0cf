"""The observer's choices side by side: all that may still turn out best are tried in the same worlds.

What a choice brings differs from world to world by far more than choices differ in one world, so they are compared by what they
bring more than a reference, the choice that looks best at a glance, in the same world against the same chance (common random
numbers: P. Glasserman, D. Yao 1992). A choice whose upper confidence bound is below what the best one is expected to bring is
left out until that changes (successive elimination: E. Even-Dar, S. Mannor, Y. Mansour 2006).
"""

import math

from arena import jit
from arena.contract import Actions, Numbers, State, legal_actions, prior
from arena.search.workspace import (
    AHEAD,
    CHOICES,
    COMPARED,
    DIFFERENCES,
    EXPLORATION,
    IS_CONTENDER,
    OBSERVER,
    PRIOR,
    PRIOR_VALUE,
    REFERENCE,
    REFERENCE_REWARD,
    TRIED,
    Workspace,
)


@jit.generic
def open_contest(world: State, w: Workspace, out: Actions, priors: Numbers, constants: Numbers) -> None:
    """Look at the choices, the observer's seat being to choose in `world`; the one that looks best becomes the reference."""
    count = legal_actions(world, out)
    prior(world, out, count, constants, priors)
    reference = 0
    mean = 0.0
    for i in range(count):
        w.results[i, PRIOR_VALUE] = priors[i]
        mean += priors[i] / count
        if priors[i] > priors[reference]:
            reference = i
    w.counters[REFERENCE] = reference
    for i in range(count):  # how much rewards may differ, before any have been seen: as much as looks do
        w.numbers[DIFFERENCES] += (priors[i] - mean) ** 2 / count
    w.numbers[COMPARED] = 1.0


@jit.generic
def find_contenders(w: Workspace) -> int:
    """Mark the choices to try in the next world, the reference and at least one other; give their number."""
    count = w.settings[CHOICES]
    reference = w.counters[REFERENCE]
    highest = -math.inf
    challenger = -1
    for i in range(count):
        highest = max(highest, _expected(w, i))
        if i != reference and (challenger < 0 or _bound(w, i) > _bound(w, challenger)):
            challenger = i
    contenders = 0
    for i in range(count):
        is_contender = i in (reference, challenger) or _bound(w, i) >= highest
        w.results[i, IS_CONTENDER] = 1.0 if is_contender else 0.0
        contenders += is_contender
    return contenders


@jit.generic
def next_contender(w: Workspace, before: int) -> int:
    """The reference first, then the other contenders; `before`: the one before, or -1."""
    reference = w.counters[REFERENCE]
    if before < 0:
        return int(reference)
    after = 0 if before == reference else before + 1
    while after == reference or w.results[after, IS_CONTENDER] == 0.0:
        after += 1
    return int(after)


@jit.generic
def compare(w: Workspace, choice: int, rewards: Numbers) -> None:
    """Count what a choice brought in this world, beside what the reference did."""
    reward = rewards[w.settings[OBSERVER]]
    w.results[choice, TRIED] += 1.0
    if choice == w.counters[REFERENCE]:
        w.numbers[REFERENCE_REWARD] = reward
        return
    difference = reward - w.numbers[REFERENCE_REWARD]
    w.results[choice, AHEAD] += difference
    w.numbers[DIFFERENCES] += difference * difference
    w.numbers[COMPARED] += 1.0


@jit.generic
def _expected(w: Workspace, i: int) -> float:
    """What a choice is expected to bring more than the reference; its look counts as PRIOR worlds."""
    look = w.results[i, PRIOR_VALUE] - w.results[w.counters[REFERENCE], PRIOR_VALUE]
    return float((w.results[i, AHEAD] + w.numbers[PRIOR] * look) / (w.results[i, TRIED] + w.numbers[PRIOR]))


@jit.generic
def _bound(w: Workspace, i: int) -> float:
    width = w.numbers[EXPLORATION] * math.sqrt(w.numbers[DIFFERENCES] / w.numbers[COMPARED])
    return float(_expected(w, i) + width / math.sqrt(w.results[i, TRIED] + w.numbers[PRIOR]))
