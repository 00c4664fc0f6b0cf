"""How a choice is made in the tree, and what is learnt from what came of it.

What a choice looks like at a glance (`prior` of the room) counts as much as some visits (S. Gelly, D. Silver, "Combining
Online and Offline Knowledge in UCT", ICML 2007): rewards of card games differ so much from deal to deal that a few hundred
simulations alone could not tell good choices from bad ones.

Simultaneous choices go by each seat's own statistics: decoupled UCB1, or regret matching (M. Lisy, V. Kovarik, M. Lanctot,
B. Bosansky, "Convergence of Monte Carlo Tree Search in Simultaneous Move Games", NIPS 2013).
"""

import math

from arena.engine import jit
from arena.engine.contract import Actions, Numbers, State, current_seat, prior, rollout_action
from arena.engine.rng import Words, below, chance
from arena.search.tree import NONE, Nodes
from arena.search.workspace import (
    BY_POLICY,
    CHOSEN,
    DONE,
    EXPLORATION,
    FIRST_KEPT,
    FIRST_MEAN,
    KEPT,
    KEPT_COUNT,
    MIXING,
    MOVER,
    OBSERVER,
    PRIOR,
    PRIOR_VALUE,
    REWARDS,
    SQUARES,
    WIDEST,
    Workspace,
)

STEADY = 16  # rewards, of all seats together, after which their spread is believed


@jit.generic
def choose_by_prior(
    s: State,
    nodes: Nodes,
    w: Workspace,
    count: int,
    is_first: bool,
    is_full: bool,
    out: Actions,
    priors: Numbers,
    constants: Numbers,
    rng: Words,
) -> int:
    """The place with the highest upper confidence bound, where what a choice looks like counts as PRIOR visits.

    What looks like `p` is expected to bring `level + p`; the level is what the visited choices brought above their looks.
    `is_first`: the observer chooses at the root. `is_full`: only among choices that have a node, as no other gets one.
    """
    if is_first:  # the same in every world, and looked at before
        for i in range(count):
            priors[i] = w.results[i, PRIOR_VALUE]
    else:
        prior(s, out, count, constants, priors)
    above = 0.0
    total = 0.0
    most = 1
    for i in range(count):
        child = int(w.children[i])
        if child != NONE:
            visits = int(nodes[child].visits)
            above += nodes[child].value - visits * priors[i]
            total += visits
            most = max(most, int(nodes[child].available))
    level = above / total if total > 0.0 else w.numbers[FIRST_MEAN + current_seat(s)]
    weight = w.numbers[PRIOR]
    width = w.numbers[EXPLORATION] * _deviation(w)
    highest = -math.inf
    place = 0
    equal = 0
    for i in range(count):
        child = int(w.children[i])
        if child == NONE and is_full:
            continue
        visits = weight
        value = weight * (level + priors[i])
        available = most
        if child != NONE:
            visits += nodes[child].visits
            value += nodes[child].value
            available = int(nodes[child].available)
        bound = value / visits + width * math.sqrt(math.log(available) / visits)
        if bound > highest:
            highest = bound
            place = i
            equal = 1
        elif bound == highest:
            equal += 1
            if below(rng, equal) == 0:
                place = i
    return place


@jit.generic
def choose_by_confidence(
    s: State, nodes: Nodes, w: Workspace, count: int, is_full: bool, out: Actions, constants: Numbers, rng: Words
) -> int:
    """The place of an untried choice, else of the one with the highest upper confidence bound.

    UCB1 (Auer, Cesa-Bianchi, Fischer 2002) over the simulations in which a choice was there; the width is in standard
    deviations of the rewards seen so far, so that no game has to name the range of its rewards. `is_full`: only among choices
    that have a node, as no other gets one.
    """
    untried = 0
    place = 0
    for i in range(count):
        if w.children[i] == NONE and not is_full:
            untried += 1
            if below(rng, untried) == 0:
                place = i
    if untried > 0:
        if w.settings[BY_POLICY] == 1 and count > 1 and current_seat(s) != w.settings[OBSERVER]:
            action = rollout_action(s, out, count, constants, rng)  # others' hands vary so much that most choices are new
            for i in range(count):
                if out[i] == action and w.children[i] == NONE:
                    return i
        return place
    width = w.numbers[EXPLORATION] * _deviation(w)
    best = NONE
    highest = -math.inf
    for i in range(count):
        child = int(w.children[i])
        if child not in (best, NONE):
            visits = max(1, int(nodes[child].visits))
            bound = nodes[child].value / visits + width * math.sqrt(math.log(nodes[child].available) / visits)
            if bound > highest:
                highest = bound
                best = child
    equal = 0
    for i in range(count):  # several actions may look the same to the observer
        if w.children[i] == best:
            equal += 1
            if equal == 1 or below(rng, equal) == 0:
                place = i
    return place


@jit.generic
def choose_by_regret(
    s: State,
    nodes: Nodes,
    w: Workspace,
    count: int,
    at: int,
    out: Actions,
    priors: Numbers,
    constants: Numbers,
    rng: Words,
) -> int:
    """A random place: the more, the more that choice is regretted not to have been played; all of them now and then.

    Only those that have a node: where the tree is full, the others could teach nothing. A decision that is new begins with
    regrets by what its choices look like, as if they had been missed PRIOR times.
    """
    start = int(w.counters[KEPT])
    known = 0
    is_new = w.numbers[PRIOR] > 0.0
    for i in range(count):
        child = int(w.children[i])
        if child != NONE:
            known += 1
            is_new &= nodes[child].visits == 0 and nodes[child].regret == 0.0
    if is_new:
        prior(s, out, count, constants, priors)
        mean = 0.0
        for i in range(count):
            if w.children[i] != NONE:
                mean += priors[i] / known
        for i in range(count):
            if w.children[i] != NONE:
                nodes[w.children[i]].regret = w.numbers[PRIOR] * (priors[i] - mean)
    total = 0.0
    for i in range(count):
        if w.children[i] != NONE:
            total += max(0.0, nodes[w.children[i]].regret)
    drawn = chance(rng)
    place = 0
    reached = 0.0
    for i in range(count):
        child = int(w.children[i])
        w.kept[start + i] = child
        w.chances[start + i] = 0.0
        if child == NONE:
            continue
        share = max(0.0, nodes[child].regret) / total if total > 0 else 1.0 / known
        nodes[child].share += share
        probability = (1.0 - w.numbers[MIXING]) * share + w.numbers[MIXING] / known
        w.chances[start + i] = probability
        reached += probability
        if drawn < 2.0:
            place = i  # of the last one, should rounding leave the sum of all below what was drawn
        if drawn < reached:
            drawn = 2.0
    w.path[at, FIRST_KEPT] = start
    w.path[at, KEPT_COUNT] = count
    w.counters[KEPT] = start + count
    return place


@jit.generic
def learn(nodes: Nodes, w: Workspace, at: int, rewards: Numbers) -> None:
    """Count a choice; where it was drawn by regret, update the regrets of all that were there.

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
def learn_spread(seats: int, w: Workspace, rewards: Numbers) -> None:
    """Mean reward of each seat, and the sum of squared deviations from them (Welford 1962)."""
    for seat in range(seats):
        away = rewards[seat] - w.numbers[FIRST_MEAN + seat]
        w.numbers[FIRST_MEAN + seat] += away / (w.counters[DONE] + 1)
        w.numbers[SQUARES] += away * (rewards[seat] - w.numbers[FIRST_MEAN + seat])
    w.numbers[REWARDS] += seats
    if w.numbers[REWARDS] >= STEADY:
        w.numbers[WIDEST] = max(w.numbers[WIDEST], w.numbers[SQUARES] / w.numbers[REWARDS])


@jit.generic
def _deviation(w: Workspace) -> float:
    """The widest so far: once a choice whose end is certain is preferred, rewards hardly differ any more.

    By the last deviation all others would then never be tried again, even after one unlucky simulation.
    """
    if w.numbers[REWARDS] == 0.0:
        return 1.0
    return math.sqrt(max(w.numbers[WIDEST], w.numbers[SQUARES] / w.numbers[REWARDS]))
