"""Selection: which action a simulation plays at a decision in the tree.

A prior counts as much as some visits (S. Gelly, D. Silver, "Combining Online and Offline Knowledge in UCT", ICML 2007): rewards
of card games differ so much from deal to deal that a few hundred simulations alone could not find the good actions.

Simultaneous choices go by each seat's own statistics: decoupled UCB1, or regret matching (M. Lisy, V. Kovarik, M. Lanctot,
B. Bosansky, "Convergence of Monte Carlo Tree Search in Simultaneous Move Games", NIPS 2013).

Sequential halving at the root: the worse half of the observer's choices drops out again and again, until two are left.

(Z. Karnin, T. Koren, O. Somekh, "Almost Optimal Exploration in Multi-Armed Bandits", ICML 2013; at the
root of a tree: T. Pepels, T. Cazenave, M. Winands, M. Lanctot, "Minimizing Simple and Cumulative Regret in Monte-Carlo Tree
Search", 2014.) What counts is the choice in the end, not what trying it brought. The choices that are left, the rivals, are
tried in the same worlds against the same chance, so that their rewards can be compared although worlds differ much more than
choices do.
"""

import math

from arena.engine import jit
from arena.engine.contract import Actions, Numbers, State, current_seat, legal_actions, rollout_action, step
from arena.engine.rng import Words, below, chance
from arena.search.learnt import proposal, proposes, write_priors
from arena.search.tree import NONE, Nodes
from arena.search.workspace import (
    BY_POLICY,
    CHOICES,
    DONE,
    EXPLORATION,
    FIRST_KEPT,
    FIRST_MEAN,
    HABIT,
    KEPT,
    KEPT_COUNT,
    MIXING,
    NANOSECONDS,
    OBSERVER,
    PATH,
    PRIOR,
    PRIOR_VALUE,
    REWARDS,
    RIVAL,
    SIMULATIONS,
    SPENT,
    SQUARES,
    USED,
    VALUE,
    VISITS,
    WIDEST,
    Workspace,
)

NO_CHOICE = -1  # as a place in a legal list


@jit.generic
def select(
    s: State,
    nodes: Nodes,
    w: Workspace,
    count: int,
    known: int,
    is_first: bool,
    forced: int,
    by_regret: bool,
    actions: Actions,
    priors: Numbers,
    constants: Numbers,
    sight: State,
    rng: Words,
) -> int:
    """The place of the action to play among the first `count` of `actions`, whose nodes are in `w.children`.

    `known`: how many have a node. `is_first`: the observer chooses at the root; `forced`: the place that it then has to choose,
    or NO_CHOICE. `by_regret`: by regret matching, for which `w.path` keeps all choices.
    """
    at = w.counters[PATH]
    w.path[at, KEPT_COUNT] = 0
    is_full = w.counters[USED] == len(nodes)
    if is_first and forced != NO_CHOICE:
        return forced
    if w.numbers[HABIT] > 0.0 and current_seat(s) != w.settings[OBSERVER] and chance(rng) < w.numbers[HABIT]:
        if proposes(s, w):
            return proposal(s, actions, count, w, sight, rng)
        return _place_of(rollout_choice(s, actions, count, w, constants, rng), actions)
    if is_full and known == 0:
        return below(rng, count)
    if by_regret and known > 0:
        return _choose_by_regret(s, nodes, w, count, known, at, actions, priors, constants, sight, rng)
    if w.numbers[PRIOR] > 0.0:
        return _choose_by_prior(s, nodes, w, count, is_first, is_full, actions, priors, constants, sight, rng)
    return _choose_by_confidence(s, nodes, w, count, is_full, actions, constants, rng)


@jit.generic
def rollout_choice(s: State, actions: Actions, count: int, w: Workspace, constants: Numbers, rng: Words) -> int:
    """An action by the game's rollout policy, or a uniformly random one where that is asked for."""
    if w.settings[BY_POLICY] == 1:
        return rollout_action(s, actions, count, constants, rng)
    return int(actions[below(rng, count)])


@jit.generic
def _place_of(action: int, actions: Actions) -> int:
    place = 0
    while actions[place] != action:
        place += 1
    return place


@jit.generic
def _choose_by_prior(
    s: State,
    nodes: Nodes,
    w: Workspace,
    count: int,
    is_first: bool,
    is_full: bool,
    actions: Actions,
    priors: Numbers,
    constants: Numbers,
    sight: State,
    rng: Words,
) -> int:
    """The place with the highest upper confidence bound, where the prior counts as PRIOR visits.

    A choice with the prior `p` is expected to bring `level + p`; the level is what the visited choices brought above their
    priors. `is_first`: the observer chooses at the root. `is_full`: only among choices that have a node, as no other gets one.
    """
    if is_first:  # the same in every world, and written before
        for i in range(count):
            priors[i] = w.results[i, PRIOR_VALUE]
    else:
        write_priors(s, actions, count, w, constants, sight, priors)
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
def _choose_by_confidence(
    s: State, nodes: Nodes, w: Workspace, count: int, is_full: bool, actions: Actions, constants: Numbers, rng: Words
) -> int:
    """The place of an untried choice, else of the one with the highest upper confidence bound.

    UCB1 (Auer, Cesa-Bianchi, Fischer 2002) over the simulations in which a choice was legal; the width is in standard
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
            action = rollout_action(s, actions, count, constants, rng)  # others' hands vary so much that most choices are new
            for i in range(count):
                if actions[i] == action and w.children[i] == NONE:
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
def _choose_by_regret(
    s: State,
    nodes: Nodes,
    w: Workspace,
    count: int,
    known: int,
    at: int,
    actions: Actions,
    priors: Numbers,
    constants: Numbers,
    sight: State,
    rng: Words,
) -> int:
    """A random place: the likelier, the more it is regretted that its choice was not played; any of them now and then.

    Only choices that have a node, `known` of them: in a full tree nothing could be learnt from the others. A new decision
    begins with regrets by the priors, as if each choice had been missed PRIOR times.
    """
    start = int(w.counters[KEPT])
    is_new = w.numbers[PRIOR] > 0.0
    for i in range(count):
        child = int(w.children[i])
        if child != NONE:
            is_new &= nodes[child].visits == 0 and nodes[child].regret == 0.0
    if is_new:
        write_priors(s, actions, count, w, constants, sight, priors)
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
def _deviation(w: Workspace) -> float:
    """Standard deviation of the rewards: the largest so far.

    Once a choice with a certain end is preferred, rewards hardly differ any more. By the latest deviation the other choices
    would then never be tried again, even after a single unlucky simulation.
    """
    if w.numbers[REWARDS] == 0.0:
        return 1.0
    return math.sqrt(max(w.numbers[WIDEST], w.numbers[SQUARES] / w.numbers[REWARDS]))


FINALISTS = 2
TRIES = 16  # simulations for each choice: where there are fewer, only the choices with the best priors are tried
FEWEST = 4  # choices that are always tried


@jit.generic
def all_rivals(s: State, w: Workspace, actions: Actions, priors: Numbers, constants: Numbers, sight: State, rng: Words) -> int:
    """Make all choices rivals; for a small budget those with the best priors, or random ones without priors. Gives how many.

    `s`: a copy of the root.
    """
    while current_seat(s) != w.settings[OBSERVER]:  # no prior can depend on what the others choose at the same time
        legal_actions(s, actions)
        step(s, int(actions[0]))
    count = legal_actions(s, actions)
    for i in range(count):
        w.results[i, RIVAL] = 1
    if w.numbers[PRIOR] > 0.0:
        write_priors(s, actions, count, w, constants, sight, priors)
        for i in range(count):
            w.results[i, PRIOR_VALUE] = priors[i]
        if w.settings[SIMULATIONS] > 0:
            return _keep(count, max(w.settings[SIMULATIONS] // TRIES, min(w.settings[SIMULATIONS], FEWEST)), w)
    elif 0 < w.settings[SIMULATIONS] < count:
        rivals = 0  # selection sampling: D. Knuth, The Art of Computer Programming 2, 3.4.2, algorithm S
        for i in range(count):
            w.results[i, RIVAL] = below(rng, count - i) < w.settings[SIMULATIONS] - rivals
            rivals += int(w.results[i, RIVAL])
        return rivals
    return count


@jit.generic
def next_rival(place: int, w: Workspace) -> int:
    """The place of the first rival after a place; NO_CHOICE comes before all places."""
    place += 1
    while w.results[place, RIVAL] == 0:
        place += 1
    return place


@jit.generic
def narrow(rivals: int, w: Workspace) -> int:
    """Let the worst rivals drop out, so that as many stay as suit the budget that is left; gives how many."""
    part = 0.0
    if w.settings[SIMULATIONS] > 0:
        part = w.counters[DONE] / w.settings[SIMULATIONS]
    if w.settings[NANOSECONDS] > 0:
        part = max(part, w.counters[SPENT] / w.settings[NANOSECONDS])
    choices = w.settings[CHOICES]
    stages = 1
    while choices > FINALISTS << stages - 1:
        stages += 1
    stay = max(FINALISTS, math.ceil(choices / (1 << int(min(part, 0.999) * stages))))
    return _keep(rivals, stay, w)


@jit.generic
def _keep(rivals: int, stay: int, w: Workspace) -> int:
    while rivals > stay:
        w.results[_worst(w), RIVAL] = 0
        rivals -= 1
    return rivals


@jit.generic
def _worst(w: Workspace) -> int:
    """The rival that is expected to bring least, where its prior counts as PRIOR visits."""
    choices = w.settings[CHOICES]
    above = 0.0
    visits = 0.0
    for i in range(choices):
        above += w.results[i, VALUE] - w.results[i, VISITS] * w.results[i, PRIOR_VALUE]
        visits += w.results[i, VISITS]
    level = above / max(1.0, visits)
    weight = w.numbers[PRIOR]
    worst = 0
    lowest = math.inf
    for i in range(choices):
        if w.results[i, RIVAL] == 1:
            expected = w.results[i, VALUE] + weight * (level + w.results[i, PRIOR_VALUE])
            expected /= w.results[i, VISITS] + weight
            if expected <= lowest:
                lowest = expected
                worst = i
    return worst
