"""One simulation: down the tree, on to the end of the round, and back. Compiled into each room's searches.

Single-observer information-set Monte Carlo tree search (P. Cowling, E. Powley, D. Whitehouse, "Information Set Monte Carlo
Tree Search", IEEE TCIAIG 2012): each simulation plays in a world of its own that fits what the observer has seen; nodes
are what the observer sees, so all worlds share them; a choice counts as often as it was there. Each seat goes for its own
reward (max^n).

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
    private_code,
    rollout_action,
    seen_action,
    step,
)
from arena.rng import Words, below, next_word
from arena.search.tree import NONE, OUTCOME, ROOT, Nodes, Slots, mixed, slot_of, write_node

# Of `settings`: what is asked for.
OBSERVER, METHOD, SIMULATIONS, PER_WORLD, NANOSECONDS, BEGAN, DEPTH, BY_POLICY, BY_REGRET, SETTINGS = range(10)
# Of `counters`: what has happened.
USED, DONE, DECISIONS, PATH, KEPT, NEXT_LOOK, COUNTERS = range(7)
# Of `numbers`: constants, and the spread of the rewards so far.
EXPLORATION, MIXING, SQUARES, REWARDS, FIRST_MEAN = range(5)  # from FIRST_MEAN on: each seat's mean reward
# Columns of `results`, a row for each legal action of the observer.
VISITS, VALUE, SHARE, COLUMNS = range(4)
# Columns of `path`: the choices of a simulation.
CHOSEN, MOVER, FIRST_KEPT, KEPT_COUNT, PATH_COLUMNS = range(5)

LONGEST_PATH = 512  # choices in the tree in one simulation
KEPT_CHOICES = 4096  # choices that regrets are to be updated for in one simulation
NOT_A_CHOICE = -1  # as a place in the observer's legal list


@jit.generic
def simulate(
    s: State,
    forced: int,
    nodes: Nodes,
    slots: Slots,
    path: Actions,
    kept: Actions,
    out: Actions,
    children: Actions,
    chances: Numbers,
    rewards: Numbers,
    settings: Words,
    counters: Words,
    numbers: Numbers,
    results: Numbers,
    rng: Words,
) -> None:
    """Play the world `s` to the end of its round, or to the depth limit, and count what came of it.

    `forced`: the place in its legal list of what the observer chooses first, and then no tree is kept; or NOT_A_CHOICE.
    """
    observer = settings[OBSERVER]
    counters[PATH] = 0
    counters[KEPT] = 0
    if forced == NOT_A_CHOICE:
        first = _descend(s, nodes, slots, path, kept, out, children, chances, settings, counters, numbers, results, rng)
    else:
        first = forced
        while current_seat(s) != observer:
            count = legal_actions(s, out)
            step(s, _quick_choice(s, out, count, settings, rng))
        legal_actions(s, out)
        step(s, int(out[first]))
    decisions = 0
    while not is_round_over(s) and decisions != settings[DEPTH]:
        count = legal_actions(s, out)
        step(s, int(out[0]) if count == 1 else _quick_choice(s, out, count, settings, rng))
        decisions += 1
    counters[DECISIONS] += decisions + counters[PATH] + (forced != NOT_A_CHOICE)
    evaluate(s, rewards)
    _learn_spread(num_seats(s), rewards, counters, numbers)
    if first != NOT_A_CHOICE:
        results[first, VISITS] += 1
        results[first, VALUE] += rewards[observer]
    for i in range(counters[PATH]):
        if path[i, CHOSEN] != NONE:
            _learn(nodes, path, i, kept, chances, rewards)


@jit.generic
def _quick_choice(s: State, out: Actions, count: int, settings: Words, rng: Words) -> int:
    """By the room's rollout policy, or uniformly random."""
    if settings[BY_POLICY] == 1:
        return rollout_action(s, out, count, rng)
    return int(out[below(rng, count)])


@jit.generic
def _descend(
    s: State,
    nodes: Nodes,
    slots: Slots,
    path: Actions,
    kept: Actions,
    out: Actions,
    children: Actions,
    chances: Numbers,
    settings: Words,
    counters: Words,
    numbers: Numbers,
    results: Numbers,
    rng: Words,
) -> int:
    """Choose in the tree until a node is new. Gives the place of the observer's first choice in its legal list."""
    observer = settings[OBSERVER]
    sees_all = settings[PER_WORLD] > 0
    node = ROOT  # of the observer
    base = ROOT  # where the decision began: of the others, who do not see what the observer alone has learnt
    first = NOT_A_CHOICE
    seen = 0
    is_together = False
    is_new = False
    while not is_round_over(s) and counters[PATH] < LONGEST_PATH:
        mover = current_seat(s)
        if not is_together:
            base = node
            seen = 0
            is_together = is_simultaneous(s)
        if mover == observer and node != ROOT and not sees_all:
            learnt = private_code(s, observer)
            if learnt != 0:
                node = _child(nodes, slots, node, OUTCOME, learnt, counters)
                if node == NONE or nodes[node].visits == 0:
                    if node != NONE:
                        nodes[node].visits = 1
                    break
                nodes[node].visits += 1
        parent = node if mover == observer or not is_together else base
        count = legal_actions(s, out)
        by_regret = is_together and settings[BY_REGRET] == 1 and counters[KEPT] + count <= KEPT_CHOICES
        for i in range(count):
            action = int(out[i])
            key = action
            if not sees_all:
                key = choice_code(s, action) if is_together else seen_action(s, action, observer)
            slot = slot_of(nodes, slots, parent, mover, key)
            child = int(slots[slot])
            if child == NONE and by_regret and counters[USED] < len(nodes):
                child = _new(nodes, slots, slot, parent, mover, key, counters)
            if child != NONE and nodes[child].stamp != counters[DONE] + 1:
                nodes[child].stamp = counters[DONE] + 1
                nodes[child].available += 1
            children[i] = child
        at = counters[PATH]
        path[at, KEPT_COUNT] = 0
        if by_regret:
            by_regret = False
            for i in range(count):
                by_regret |= children[i] != NONE  # without a node nothing can be learnt
        if by_regret:
            place = _by_regret(nodes, children, chances, count, at, path, kept, counters, numbers, rng)
        else:
            place = _by_confidence(s, nodes, children, count, out, settings, numbers, rng)
        action = int(out[place])
        chosen = int(children[place])
        if chosen == NONE:
            key = action
            if not sees_all:
                key = choice_code(s, action) if is_together else seen_action(s, action, observer)
            slot = slot_of(nodes, slots, parent, mover, key)
            chosen = int(slots[slot])
            if chosen == NONE and counters[USED] < len(nodes):
                chosen = _new(nodes, slots, slot, parent, mover, key, counters)
                nodes[chosen].available = 1
                nodes[chosen].stamp = counters[DONE] + 1
            is_new = True
        path[at, CHOSEN] = chosen
        path[at, MOVER] = mover
        counters[PATH] += 1
        if parent == ROOT and mover == observer:
            first = place
            if by_regret:
                for i in range(count):
                    results[i, SHARE] += chances[path[at, FIRST_KEPT] + i] - numbers[MIXING] / count
        if not is_together:
            step(s, action)
            if is_new:
                break
            node = chosen
            continue
        seen = mixed(seen, action if sees_all else seen_action(s, action, observer))
        step(s, action)
        if is_round_over(s) or not is_simultaneous(s) or current_seat(s) <= mover:
            is_together = False
            node = _child(nodes, slots, node, OUTCOME, seen, counters)
            if node == NONE:
                break
            nodes[node].visits += 1
            if is_new or nodes[node].visits == 1:
                break
    return first


@jit.generic
def _child(nodes: Nodes, slots: Slots, parent: int, seat: int, key: int, counters: Words) -> int:
    """The child with this seat and key, made if there is room for it, else NONE."""
    slot = slot_of(nodes, slots, parent, seat, key)
    child = int(slots[slot])
    if child == NONE and counters[USED] < len(nodes):
        child = _new(nodes, slots, slot, parent, seat, key, counters)
    return child


@jit.generic
def _new(nodes: Nodes, slots: Slots, slot: int, parent: int, seat: int, key: int, counters: Words) -> int:
    node = int(counters[USED])
    counters[USED] += 1
    write_node(nodes, node, parent, seat, key)
    slots[slot] = node
    return node


@jit.generic
def _by_confidence(
    s: State, nodes: Nodes, children: Actions, count: int, out: Actions, settings: Words, numbers: Numbers, rng: Words
) -> int:
    """The place of an untried choice, else of the one with the highest upper confidence bound.

    UCB1 (Auer, Cesa-Bianchi, Fischer 2002) over the simulations in which a choice was there; the width is in standard
    deviations of the rewards seen so far, so that no game has to name the range of its rewards.
    """
    untried = 0
    place = 0
    for i in range(count):
        if children[i] == NONE:
            untried += 1
            if below(rng, untried) == 0:
                place = i
    if untried > 0:
        if settings[BY_POLICY] == 1 and count > 1 and current_seat(s) != settings[OBSERVER]:
            action = rollout_action(s, out, count, rng)  # others' hands vary so much that most of their choices are new
            for i in range(count):
                if out[i] == action and children[i] == NONE:
                    return i
        return place
    width = numbers[EXPLORATION] * _deviation(numbers)
    best = NONE
    highest = -math.inf
    for i in range(count):
        child = int(children[i])
        if child != best:
            visits = max(1, int(nodes[child].visits))
            bound = nodes[child].value / visits + width * math.sqrt(math.log(nodes[child].available) / visits)
            if bound > highest:
                highest = bound
                best = child
    equal = 0
    for i in range(count):  # several actions may look the same to the observer
        if children[i] == best:
            equal += 1
            if equal == 1 or below(rng, equal) == 0:
                place = i
    return place


@jit.generic
def _by_regret(
    nodes: Nodes, children: Actions, chances: Numbers, count: int, at: int, path: Actions, kept: Actions, counters: Words,
    numbers: Numbers, rng: Words,
) -> int:  # fmt: skip
    """A random place: the more, the more that choice is regretted not to have been played; all of them now and then."""
    start = int(counters[KEPT])
    total = 0.0
    for i in range(count):
        total += max(0.0, nodes[children[i]].regret)
    drawn = next_word(rng) / 4294967296.0
    place = count - 1
    reached = 0.0
    for i in range(count):
        child = int(children[i])
        share = max(0.0, nodes[child].regret) / total if total > 0 else 1.0 / count
        nodes[child].share += share
        chance = (1.0 - numbers[MIXING]) * share + numbers[MIXING] / count
        kept[start + i] = child
        chances[start + i] = chance
        reached += chance
        if drawn < reached:
            place = i
            drawn = 2.0
    path[at, FIRST_KEPT] = start
    path[at, KEPT_COUNT] = count
    counters[KEPT] = start + count
    return place


@jit.generic
def _learn(nodes: Nodes, path: Actions, at: int, kept: Actions, chances: Numbers, rewards: Numbers) -> None:
    """Count a choice; where it was drawn by regret, update the regrets of all that were there.

    What the others would have brought is estimated by their means so far (a baseline keeps the estimate unbiased and
    steadies it: M. Schmid et al., "Variance Reduction in Monte Carlo Counterfactual Regret Minimization", AAAI 2019).
    """
    chosen = int(path[at, CHOSEN])
    reward = rewards[path[at, MOVER]]
    start = int(path[at, FIRST_KEPT])
    count = int(path[at, KEPT_COUNT])
    expected = 0.0
    correction = 0.0
    for i in range(start, start + count):
        child = int(kept[i])
        mean = nodes[child].value / nodes[child].visits if nodes[child].visits > 0 else reward
        expected += chances[i] * mean
        if child == chosen:
            correction = (reward - mean) / chances[i]
            expected += reward - mean
    for i in range(start, start + count):
        child = int(kept[i])
        mean = nodes[child].value / nodes[child].visits if nodes[child].visits > 0 else reward
        nodes[child].regret += mean - expected + (correction if child == chosen else 0.0)
    nodes[chosen].visits += 1
    nodes[chosen].value += reward


@jit.generic
def _learn_spread(seats: int, rewards: Numbers, counters: Words, numbers: Numbers) -> None:
    """Mean reward of each seat, and the sum of squared deviations from them (Welford 1962)."""
    for seat in range(seats):
        away = rewards[seat] - numbers[FIRST_MEAN + seat]
        numbers[FIRST_MEAN + seat] += away / (counters[DONE] + 1)
        numbers[SQUARES] += away * (rewards[seat] - numbers[FIRST_MEAN + seat])
    numbers[REWARDS] += seats


@jit.generic
def _deviation(numbers: Numbers) -> float:
    return math.sqrt(numbers[SQUARES] / numbers[REWARDS]) if numbers[REWARDS] > 0.0 else 1.0
