"""The part of a simulation that is in the tree: select an action at each decision, expand the tree where it ends.

Nodes are what the observer sees, so that all worlds share them (in a tree of one world: what happened). A choice counts as
available as often as it was legal.

Simultaneous choices: every seat chooses at the node at which the decision began, so that no order among them can leak; what
the observer then sees leads to the next node.

What follows the tree in a simulation: roll out to the end of the round, evaluate, back up.

Each seat goes for its own reward (max^n). Compiled into each game's searches.
"""

from arena.engine import jit
from arena.engine.contract import (
    Actions,
    Numbers,
    State,
    choice_code,
    current_seat,
    is_round_over,
    is_simultaneous,
    legal_actions,
    num_seats,
    observe,
    private_code,
    reopen,
    seen_action,
    step,
)
from arena.engine.rng import Words
from arena.search.backup import back_up
from arena.search.learnt import judge, write_priors
from arena.search.selection import NO_CHOICE, rollout_choice, select
from arena.search.tree import NONE, OUTCOME, ROOT, Nodes, Slots, add_node, child_of, mixed, slot_of
from arena.search.workspace import (
    BY_HALVING,
    BY_REGRET,
    CHOSEN,
    DECISIONS,
    DEPTH,
    DONE,
    EXPANSION,
    FIRST_KEPT,
    KEPT,
    KEPT_CHOICES,
    KEPT_COUNT,
    LONGEST_PATH,
    MIXING,
    MOVER,
    NEVER,
    OBSERVER,
    OPEN,
    PATH,
    PRIOR,
    PRIOR_VALUE,
    REMEMBER,
    SHARE,
    USED,
    VALUE,
    VISITS,
    Workspace,
)


@jit.generic
def finish(
    s: State,
    first: int,
    nodes: Nodes,
    w: Workspace,
    actions: Actions,
    constants: Numbers,
    rewards: Numbers,
    rng: Words,
) -> None:
    """Roll out, evaluate and back up a simulation that has left the tree. `first`: the observer's first choice."""
    _roll_out(s, w, actions, constants, rng)
    judge(s, w, constants, rewards)
    back_up(first, num_seats(s), nodes, w, rewards)
    w.counters[DONE] += 1


@jit.generic
def _roll_out(s: State, w: Workspace, actions: Actions, constants: Numbers, rng: Words) -> None:
    """Play on by the rollout policy to the end of the round, or to the depth limit."""
    decisions = 0
    is_hidden = is_simultaneous(s) and current_seat(s) > 0  # choices are in that nobody has seen yet: no place to stop
    while not is_round_over(s) and (is_hidden or decisions < w.settings[DEPTH] or w.settings[DEPTH] == NEVER):
        count = legal_actions(s, actions)
        mover = current_seat(s)
        step(s, int(actions[0]) if count == 1 else rollout_choice(s, actions, count, w, constants, rng))
        is_hidden = is_simultaneous(s) and current_seat(s) > mover
        decisions += 1
    w.counters[DECISIONS] += decisions + w.counters[PATH]


__all__ = ["NO_CHOICE", "begin_root", "sight_of", "walk"]

_LOW_WORD = (1 << 31) - 1


@jit.generic
def walk(
    s: State,
    forced: int,
    nodes: Nodes,
    slots: Slots,
    w: Workspace,
    actions: Actions,
    priors: Numbers,
    constants: Numbers,
    sight: State,
    rng: Words,
) -> int:
    """Play in `s` what is selected in the tree, up to a node that is new or not yet to be expanded; note it in `w.path`.

    `forced`: the place in its legal list of what the observer chooses first, or NO_CHOICE to let the tree decide. Gives the
    place of the observer's first choice, or NO_CHOICE if it had none.
    """
    w.counters[PATH] = 0
    w.counters[KEPT] = 0
    observer = w.settings[OBSERVER]
    node = ROOT  # where the observer stands
    base = ROOT  # where the decision began: the others choose there, who do not see what the observer alone has learnt
    first = NO_CHOICE
    seen = 0  # what the observer sees of simultaneous choices, as one code
    is_together = False
    is_new = False
    is_next = w.settings[REMEMBER] == 1  # whether the observer's next decision is still to come
    while not is_round_over(s) and w.counters[PATH] < LONGEST_PATH:
        mover = current_seat(s)
        if not is_together:
            base = node
            seen = 0
            is_together = is_simultaneous(s)
        if mover == observer and node != ROOT:
            node = _after_private(s, node, nodes, slots, w)
            if node == NONE:
                break
        parent = node if mover == observer or not is_together else base
        is_first = parent == ROOT and mover == observer
        count = legal_actions(s, actions)
        if is_next and mover == observer and node != ROOT and count > 1:
            is_next = False
            _note_sight(s, node, base, nodes, sight, w)
        by_regret = is_together and w.settings[BY_REGRET] == 1 and w.counters[KEPT] + count <= KEPT_CHOICES
        known = _find_children(s, count, parent, is_together, by_regret, nodes, slots, w, actions)
        if is_first and w.counters[DONE] == 0:
            begin_root(s, count, nodes, w, actions, priors, constants, sight)
        if known == 0 and first != NO_CHOICE and w.counters[USED] == len(nodes):  # without a node nothing can be learnt
            break
        at = w.counters[PATH]
        place = select(s, nodes, w, count, known, is_first, forced, by_regret, actions, priors, constants, sight, rng)
        action = int(actions[place])
        chosen = int(w.children[place])
        if chosen == NONE:
            chosen = _expand(s, action, parent, is_together, nodes, slots, w)
            is_new = True
        w.path[at, CHOSEN] = chosen
        w.path[at, MOVER] = mover
        w.counters[PATH] += 1
        if is_first:
            first = place
            _add_shares(at, count, known, w)
        if not is_together:
            step(s, action)
            if is_new or nodes[chosen].visits < w.settings[EXPANSION]:
                break
            node = chosen
            continue
        seen = mixed(seen, action if w.settings[OPEN] == 1 else seen_action(s, action, observer))
        step(s, action)
        if is_round_over(s) or not is_simultaneous(s) or current_seat(s) <= mover:
            is_together = False
            node = _visit_outcome(node, seen, nodes, slots, w)
            if node == NONE or is_new:
                break
    return first


@jit.generic
def begin_root(
    s: State, count: int, nodes: Nodes, w: Workspace, actions: Actions, priors: Numbers, constants: Numbers, sight: State
) -> None:
    """Before the first simulation: write the priors of the observer's choices, and what is remembered of them."""
    if w.numbers[PRIOR] > 0.0 and w.settings[BY_HALVING] == 0:  # halving has them already
        write_priors(s, actions, count, w, constants, sight, priors)
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
def sight_of(s: State, sight: State, w: Workspace) -> int:
    """What the observer sees at a decision, as a code that is not 0; simultaneous choices already made do not count.

    `sight`: a state at the place in memory where `w.sight` lies.
    """
    observe(s, w.settings[OBSERVER], sight)
    reopen(sight)
    code = 1
    for i in range(len(w.sight)):
        word = int(w.sight[i])
        code = mixed(code ^ word >> 62 & 3, mixed(word & _LOW_WORD, word >> 31 & _LOW_WORD))
    return code | 1


@jit.generic
def _after_private(s: State, node: int, nodes: Nodes, slots: Slots, w: Workspace) -> int:
    """The node for what the observer alone has learnt at `node`, such as a card drawn; NONE where the walk ends."""
    if w.settings[OPEN] == 1:
        return node
    learnt = private_code(s, w.settings[OBSERVER])
    return node if learnt == 0 else _visit_outcome(node, learnt, nodes, slots, w)


@jit.generic
def _visit_outcome(node: int, code: int, nodes: Nodes, slots: Slots, w: Workspace) -> int:
    """The child of `node` for an outcome, one visit more; NONE where the walk ends: it is new, or there is no room for it."""
    child = child_of(nodes, slots, w, node, OUTCOME, code)
    if child == NONE:
        return NONE
    nodes[child].visits += 1
    return child if nodes[child].visits > 1 else NONE


@jit.generic
def _note_sight(s: State, node: int, base: int, nodes: Nodes, sight: State, w: Workspace) -> None:
    """Mark the observer's next decision, so that the next search finds it again and goes on from it."""
    if nodes[node].sight == 0:
        nodes[node].sight = sight_of(s, sight, w)
        nodes[node].began = base


@jit.generic
def _find_children(
    s: State,
    count: int,
    parent: int,
    is_together: bool,
    by_regret: bool,
    nodes: Nodes,
    slots: Slots,
    w: Workspace,
    actions: Actions,
) -> int:
    """Write the node of each legal action to `w.children`, count it as available; gives how many have one.

    By regret all choices of a decision join the tree at once.
    """
    mover = current_seat(s)
    stamp = w.counters[DONE] + 1
    known = 0
    for i in range(count):
        key = _key(s, int(actions[i]), is_together, w)
        slot = slot_of(nodes, slots, parent, mover, key)
        child = int(slots[slot])
        if child == NONE and by_regret and w.counters[USED] < len(nodes):
            child = add_node(nodes, slots, w, slot, parent, mover, key)
        if child != NONE:
            known += 1
            if nodes[child].stamp != stamp:
                nodes[child].stamp = stamp
                nodes[child].available += 1
        w.children[i] = child
    return known


@jit.generic
def _expand(s: State, action: int, parent: int, is_together: bool, nodes: Nodes, slots: Slots, w: Workspace) -> int:
    """A new node for an action, available now; NONE where there is no room."""
    child = child_of(nodes, slots, w, parent, current_seat(s), _key(s, action, is_together, w))
    if child != NONE:
        nodes[child].available = 1
        nodes[child].stamp = w.counters[DONE] + 1
    return child


@jit.generic
def _key(s: State, action: int, is_together: bool, w: Workspace) -> int:
    """What leads to an action's node: what the observer sees of it, of a simultaneous choice what the chooser knows."""
    if w.settings[OPEN] == 1:
        return action
    return choice_code(s, action) if is_together else seen_action(s, action, w.settings[OBSERVER])


@jit.generic
def _add_shares(at: int, count: int, known: int, w: Workspace) -> None:
    """Add the probabilities by regret of the observer's first choice, without what is mixed in; nothing for other choices."""
    if w.path[at, KEPT_COUNT] > 0:
        for i in range(count):
            if w.children[i] != NONE:
                w.results[i, SHARE] += w.chances[w.path[at, FIRST_KEPT] + i] - w.numbers[MIXING] / known
