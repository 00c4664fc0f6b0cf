"""One simulation: down the tree, on to the end of the round, and back. Compiled into each room's searches.

Single-observer information-set Monte Carlo tree search (P. Cowling, E. Powley, D. Whitehouse, "Information Set Monte Carlo
Tree Search", IEEE TCIAIG 2012): each simulation plays in a world of its own that fits what the observer has seen; nodes
are what the observer sees, so all worlds share them; a choice counts as often as it was there. Each seat goes for its own
reward (max^n).

What a choice looks like at a glance (`prior` of the room) counts as much as some visits (S. Gelly, D. Silver, "Combining
Online and Offline Knowledge in UCT", ICML 2007): rewards of card games differ so much from deal to deal that a few hundred
simulations alone could not tell good choices from bad ones.

Simultaneous choices: every seat chooses at the node at which the decision began, by statistics of its own (decoupled
UCB1, or regret matching: M. Lisy, V. Kovarik, M. Lanctot, B. Bosansky, "Convergence of Monte Carlo Tree Search in
Simultaneous Move Games", NIPS 2013), so no order among them can leak; what the observer then sees leads to the next node.
"""

import math

from arena import jit
from arena.contract import (
    Actions,
    Numbers,
    State,
    choice_code,
    current_seat,
    evaluate,
    is_round_over,
    is_simultaneous,
    legal_actions,
    num_seats,
    observe,
    prior,
    private_code,
    reopen,
    rollout_action,
    seen_action,
    step,
)
from arena.rng import Words, below, chance
from arena.search.tree import NONE, OUTCOME, ROOT, Nodes, Slots, mixed, slot_of, write_node
from arena.search.workspace import (
    BY_POLICY,
    BY_REGRET,
    CHOSEN,
    DECISIONS,
    DEPTH,
    DONE,
    EXPANSION,
    EXPLORATION,
    FIRST_KEPT,
    FIRST_MEAN,
    FLAT,
    KEPT,
    KEPT_CHOICES,
    KEPT_COUNT,
    LONGEST_PATH,
    METHOD,
    MIXING,
    MOVER,
    NEVER,
    OBSERVER,
    PATH,
    PER_WORLD,
    PRIOR,
    PRIOR_VALUE,
    REMEMBER,
    REWARDS,
    SHARE,
    SQUARES,
    USED,
    VALUE,
    VISITS,
    WIDEST,
    Workspace,
)

_LOW_WORD = (1 << 31) - 1
STEADY = 16  # rewards, of all seats together, after which their spread is believed
NOT_A_CHOICE = -1  # as a place in the observer's legal list


@jit.generic
def simulate(
    s: State,
    forced: int,
    nodes: Nodes,
    slots: Slots,
    w: Workspace,
    out: Actions,
    priors: Numbers,
    constants: Numbers,
    rewards: Numbers,
    sight: State,
    rng: Words,
) -> None:
    """Play the world `s` to the end of its round, or to the depth limit, and count what came of it.

    `forced`: the place in its legal list of what the observer chooses first, or NOT_A_CHOICE.
    """
    observer = w.settings[OBSERVER]
    w.counters[PATH] = 0
    w.counters[KEPT] = 0
    if w.settings[METHOD] != FLAT:
        first = _descend(s, forced, nodes, slots, w, out, priors, constants, sight, rng)
    else:
        first = forced
        while current_seat(s) != observer:
            count = legal_actions(s, out)
            step(s, _quick_choice(s, out, count, w, constants, rng))
        count = legal_actions(s, out)
        if w.counters[DONE] == 0:
            _first_look(s, count, nodes, w, out, priors, constants)
        step(s, int(out[first]))
    decisions = 0
    is_hidden = is_simultaneous(s) and current_seat(s) > 0  # choices are in that nobody sees yet: no place to stop
    while not is_round_over(s) and (is_hidden or decisions < w.settings[DEPTH] or w.settings[DEPTH] == NEVER):
        count = legal_actions(s, out)
        mover = current_seat(s)
        step(s, int(out[0]) if count == 1 else _quick_choice(s, out, count, w, constants, rng))
        is_hidden = is_simultaneous(s) and current_seat(s) > mover
        decisions += 1
    w.counters[DECISIONS] += decisions + w.counters[PATH] + (w.settings[METHOD] == FLAT)
    evaluate(s, constants, rewards)
    _learn_spread(num_seats(s), w, rewards)
    if first != NOT_A_CHOICE:
        w.results[first, VISITS] += 1
        w.results[first, VALUE] += rewards[observer]
    for i in range(w.counters[PATH]):
        if w.path[i, CHOSEN] != NONE:
            _learn(nodes, w, i, rewards)


@jit.generic
def _quick_choice(s: State, out: Actions, count: int, w: Workspace, constants: Numbers, rng: Words) -> int:
    """By the room's rollout policy, or uniformly random."""
    if w.settings[BY_POLICY] == 1:
        return rollout_action(s, out, count, constants, rng)
    return int(out[below(rng, count)])


@jit.generic
def _descend(
    s: State,
    forced: int,
    nodes: Nodes,
    slots: Slots,
    w: Workspace,
    out: Actions,
    priors: Numbers,
    constants: Numbers,
    sight: State,
    rng: Words,
) -> int:
    """Choose in the tree until a node is new or not yet to be expanded.

    Gives the place of the observer's first choice in its legal list.
    """
    observer = w.settings[OBSERVER]
    sees_all = w.settings[PER_WORLD] > 0
    node = ROOT  # of the observer
    base = ROOT  # where the decision began: of the others, who do not see what the observer alone has learnt
    first = NOT_A_CHOICE
    seen = 0
    is_together = False
    is_new = False
    is_next = w.settings[REMEMBER] == 1  # whether the observer's next decision is still to come
    while not is_round_over(s) and w.counters[PATH] < LONGEST_PATH:
        mover = current_seat(s)
        if not is_together:
            base = node
            seen = 0
            is_together = is_simultaneous(s)
        if mover == observer and node != ROOT and not sees_all:
            learnt = private_code(s, observer)
            if learnt != 0:
                node = _child(nodes, slots, w, node, OUTCOME, learnt)
                if node == NONE or nodes[node].visits == 0:
                    if node != NONE:
                        nodes[node].visits = 1
                    break
                nodes[node].visits += 1
        parent = node if mover == observer or not is_together else base
        count = legal_actions(s, out)
        if is_next and mover == observer and node != ROOT and count > 1:
            is_next = False
            if nodes[node].sight == 0:
                nodes[node].sight = sight_of(s, sight, w)
                nodes[node].base = base
        by_regret = is_together and w.settings[BY_REGRET] == 1 and w.counters[KEPT] + count <= KEPT_CHOICES
        for i in range(count):
            action = int(out[i])
            key = action
            if not sees_all:
                key = choice_code(s, action) if is_together else seen_action(s, action, observer)
            slot = slot_of(nodes, slots, parent, mover, key)
            child = int(slots[slot])
            if child == NONE and by_regret and w.counters[USED] < len(nodes):
                child = _new(nodes, slots, w, slot, parent, mover, key)
            if child != NONE and nodes[child].stamp != w.counters[DONE] + 1:
                nodes[child].stamp = w.counters[DONE] + 1
                nodes[child].available += 1
            w.children[i] = child
        if parent == ROOT and mover == observer and w.counters[DONE] == 0:
            _first_look(s, count, nodes, w, out, priors, constants)
        at = w.counters[PATH]
        w.path[at, KEPT_COUNT] = 0
        if by_regret:
            by_regret = False
            for i in range(count):
                by_regret |= w.children[i] != NONE  # without a node nothing can be learnt
        if forced != NOT_A_CHOICE and parent == ROOT and mover == observer:
            place = forced
            by_regret = False
        elif by_regret:
            place = _by_regret(s, nodes, w, count, at, out, priors, constants, rng)
        elif w.numbers[PRIOR] > 0.0:
            place = _by_prior(s, nodes, w, count, parent == ROOT and mover == observer, out, priors, constants, rng)
        else:
            place = _by_confidence(s, nodes, w, count, out, constants, rng)
        action = int(out[place])
        chosen = int(w.children[place])
        if chosen == NONE:
            key = action
            if not sees_all:
                key = choice_code(s, action) if is_together else seen_action(s, action, observer)
            slot = slot_of(nodes, slots, parent, mover, key)
            chosen = int(slots[slot])
            if chosen == NONE and w.counters[USED] < len(nodes):
                chosen = _new(nodes, slots, w, slot, parent, mover, key)
                nodes[chosen].available = 1
                nodes[chosen].stamp = w.counters[DONE] + 1
            is_new = True
        w.path[at, CHOSEN] = chosen
        w.path[at, MOVER] = mover
        w.counters[PATH] += 1
        if parent == ROOT and mover == observer:
            first = place
            if by_regret:
                for i in range(count):
                    w.results[i, SHARE] += w.chances[w.path[at, FIRST_KEPT] + i] - w.numbers[MIXING] / count
        if not is_together:
            step(s, action)
            if is_new or nodes[chosen].visits < w.settings[EXPANSION]:
                break
            node = chosen
            continue
        seen = mixed(seen, action if sees_all else seen_action(s, action, observer))
        step(s, action)
        if is_round_over(s) or not is_simultaneous(s) or current_seat(s) <= mover:
            is_together = False
            node = _child(nodes, slots, w, node, OUTCOME, seen)
            if node == NONE:
                break
            nodes[node].visits += 1
            if is_new or nodes[node].visits == 1:
                break
    return first


@jit.generic
def sight_of(s: State, sight: State, w: Workspace) -> int:
    """What the observer sees at a decision, as a code that is not 0; simultaneous choices that are in already do not count.

    `sight` lies where `w.sight` does.
    """
    observe(s, w.settings[OBSERVER], sight)
    reopen(sight)
    code = 1
    for i in range(len(w.sight)):
        word = int(w.sight[i])
        code = mixed(code ^ word >> 62 & 3, mixed(word & _LOW_WORD, word >> 31 & _LOW_WORD))
    return code | 1


@jit.generic
def _first_look(s: State, count: int, nodes: Nodes, w: Workspace, out: Actions, priors: Numbers, constants: Numbers) -> None:
    """What the observer's choices look like before the first simulation, and what is remembered of them."""
    if w.numbers[PRIOR] > 0.0:
        prior(s, out, count, constants, priors)
        for i in range(count):
            w.results[i, PRIOR_VALUE] = priors[i]
    if w.settings[REMEMBER] == 1:
        for i in range(count):
            child = int(w.children[i])
            if child != NONE:
                w.results[i, VISITS] = nodes[child].visits
                w.results[i, VALUE] = nodes[child].value
                w.results[i, SHARE] = nodes[child].share * (1.0 - w.numbers[MIXING])


@jit.generic
def _child(nodes: Nodes, slots: Slots, w: Workspace, parent: int, seat: int, key: int) -> int:
    """The child with this seat and key, made if there is room for it, else NONE."""
    slot = slot_of(nodes, slots, parent, seat, key)
    child = int(slots[slot])
    if child == NONE and w.counters[USED] < len(nodes):
        child = _new(nodes, slots, w, slot, parent, seat, key)
    return child


@jit.generic
def _new(nodes: Nodes, slots: Slots, w: Workspace, slot: int, parent: int, seat: int, key: int) -> int:
    node = int(w.counters[USED])
    w.counters[USED] += 1
    write_node(nodes, node, parent, seat, key)
    slots[slot] = node
    return node


@jit.generic
def _by_prior(
    s: State,
    nodes: Nodes,
    w: Workspace,
    count: int,
    is_first: bool,
    out: Actions,
    priors: Numbers,
    constants: Numbers,
    rng: Words,
) -> int:
    """The place with the highest upper confidence bound, where what a choice looks like counts as PRIOR visits.

    What looks like `p` is expected to bring `level + p`; the level is what the visited choices brought above their looks.
    `is_first`: the observer chooses at the root.
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
def _by_confidence(s: State, nodes: Nodes, w: Workspace, count: int, out: Actions, constants: Numbers, rng: Words) -> int:
    """The place of an untried choice, else of the one with the highest upper confidence bound.

    UCB1 (Auer, Cesa-Bianchi, Fischer 2002) over the simulations in which a choice was there; the width is in standard
    deviations of the rewards seen so far, so that no game has to name the range of its rewards.
    """
    untried = 0
    place = 0
    for i in range(count):
        if w.children[i] == NONE:
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
        if child != best:
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
def _by_regret(
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

    A decision that is new begins with regrets by what its choices look like, as if they had been missed PRIOR times.
    """
    start = int(w.counters[KEPT])
    if w.numbers[PRIOR] > 0.0:
        is_new = True
        for i in range(count):
            is_new &= nodes[w.children[i]].visits == 0 and nodes[w.children[i]].regret == 0.0
        if is_new:
            prior(s, out, count, constants, priors)
            mean = 0.0
            for i in range(count):
                mean += priors[i] / count
            for i in range(count):
                nodes[w.children[i]].regret = w.numbers[PRIOR] * (priors[i] - mean)
    total = 0.0
    for i in range(count):
        total += max(0.0, nodes[w.children[i]].regret)
    drawn = chance(rng)
    place = count - 1
    reached = 0.0
    for i in range(count):
        child = int(w.children[i])
        share = max(0.0, nodes[child].regret) / total if total > 0 else 1.0 / count
        nodes[child].share += share
        probability = (1.0 - w.numbers[MIXING]) * share + w.numbers[MIXING] / count
        w.kept[start + i] = child
        w.chances[start + i] = probability
        reached += probability
        if drawn < reached:
            place = i
            drawn = 2.0
    w.path[at, FIRST_KEPT] = start
    w.path[at, KEPT_COUNT] = count
    w.counters[KEPT] = start + count
    return place


@jit.generic
def _learn(nodes: Nodes, w: Workspace, at: int, rewards: Numbers) -> None:
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
        mean = nodes[child].value / nodes[child].visits if nodes[child].visits > 0 else reward
        expected += w.chances[i] * mean
        if child == chosen:
            correction = (reward - mean) / w.chances[i]
            expected += reward - mean
    for i in range(start, start + count):
        child = int(w.kept[i])
        mean = nodes[child].value / nodes[child].visits if nodes[child].visits > 0 else reward
        nodes[child].regret += mean - expected + (correction if child == chosen else 0.0)
    nodes[chosen].visits += 1
    nodes[chosen].value += reward


@jit.generic
def _learn_spread(seats: int, w: Workspace, rewards: Numbers) -> None:
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
