"""One simulation: down the tree, on to the end of the round, and back. Compiled into each room's searches.

Single-observer information-set Monte Carlo tree search (P. Cowling, E. Powley, D. Whitehouse, "Information Set Monte Carlo
Tree Search", IEEE TCIAIG 2012): each simulation plays in a world of its own that fits what the observer has seen; nodes
are what the observer sees, so all worlds share them; a choice counts as often as it was there. Each seat goes for its own
reward (max^n).

Simultaneous choices: every seat chooses at the node at which the decision began, so no order among them can leak; what the
observer then sees leads to the next node. How a choice is made in the tree, and what is learnt from it: selection.py.
"""

from arena.engine import jit
from arena.engine.contract import (
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
from arena.engine.rng import Words, below, chance
from arena.search.selection import choose_by_confidence, choose_by_prior, choose_by_regret, learn, learn_spread
from arena.search.tree import NONE, OUTCOME, ROOT, Nodes, Slots, mixed, slot_of, write_node
from arena.search.workspace import (
    BY_HALVING,
    BY_POLICY,
    BY_REGRET,
    CHOSEN,
    DECISIONS,
    DEPTH,
    DONE,
    EXPANSION,
    FIRST_KEPT,
    FLAT,
    HABIT,
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
    SHARE,
    USED,
    VALUE,
    VISITS,
    Workspace,
)

_LOW_WORD = (1 << 31) - 1
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
    learn_spread(num_seats(s), w, rewards)
    if first != NOT_A_CHOICE:
        w.results[first, VISITS] += 1
        w.results[first, VALUE] += rewards[observer]
    for i in range(w.counters[PATH]):
        if w.path[i, CHOSEN] != NONE:
            learn(nodes, w, i, rewards)


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
        is_first = parent == ROOT and mover == observer
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
        if is_first and w.counters[DONE] == 0:
            _first_look(s, count, nodes, w, out, priors, constants)
        at = w.counters[PATH]
        w.path[at, KEPT_COUNT] = 0
        is_full = w.counters[USED] == len(nodes)
        known = 0
        for i in range(count):
            known += w.children[i] != NONE
        if is_full and known == 0 and first != NOT_A_CHOICE:  # without a node nothing can be learnt
            break
        by_regret &= known > 0
        place = 0
        if is_first and forced != NOT_A_CHOICE:
            place = forced
            by_regret = False
        elif mover != observer and w.numbers[HABIT] > 0.0 and chance(rng) < w.numbers[HABIT]:
            action = _quick_choice(s, out, count, w, constants, rng)
            while out[place] != action:
                place += 1
            by_regret = False
        elif is_full and known == 0:
            place = below(rng, count)
        elif by_regret:
            place = choose_by_regret(s, nodes, w, count, at, out, priors, constants, rng)
        elif w.numbers[PRIOR] > 0.0:
            place = choose_by_prior(s, nodes, w, count, is_first, is_full, out, priors, constants, rng)
        else:
            place = choose_by_confidence(s, nodes, w, count, is_full, out, constants, rng)
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
        if is_first:
            first = place
            if by_regret:
                for i in range(count):
                    if w.children[i] != NONE:
                        w.results[i, SHARE] += w.chances[w.path[at, FIRST_KEPT] + i] - w.numbers[MIXING] / known
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
    if w.numbers[PRIOR] > 0.0 and w.settings[BY_HALVING] == 0:  # halving has looked already
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
