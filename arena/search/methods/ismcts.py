"""Information-set Monte Carlo tree search: one tree over all worlds.

Each simulation plays in a world of its own that fits what the observer has seen; nodes are what the observer sees, so that all
worlds share them (P. Cowling, E. Powley, D. Whitehouse, "Information Set Monte Carlo Tree Search", IEEE TCIAIG 2012). With
sequential halving at the root, the actions that may still be best share their worlds instead: see selection.py.
"""

from arena.engine.contract import Actions, Numbers, States, reopen
from arena.engine.rng import Words
from arena.search.budget import is_spent
from arena.search.method import Method, Trees
from arena.search.selection import all_rivals, narrow, next_rival
from arena.search.tree import Nodes, Slots, begin_tree, regrow
from arena.search.walk import NO_CHOICE, finish, sight_of, walk
from arena.search.workspace import BY_HALVING, REMEMBER, USED, Workspaces
from arena.search.worlds import ROOT_STATE, WORK, WORLD, draw_world, replay_chance


def run(
    states: States,
    sights: States,
    nodes: Nodes,
    slots: Slots,
    workspaces: Workspaces,
    actions: Actions,
    priors: Numbers,
    constants: Numbers,
    rewards: Numbers,
    rng: Words,
) -> None:
    """Go on from the tree that is remembered, or begin one; a new world for each simulation, or for each set of rivals."""
    w = workspaces[0]
    sight = sights[0]
    s = states[WORK]
    reopen(states[ROOT_STATE])
    if w.settings[REMEMBER] == 1:
        w.counters[USED] = regrow(nodes, slots, w.counters[USED], sight_of(states[ROOT_STATE], sight, w))
    else:
        begin_tree(nodes, slots, w)
    in_world = 1  # simulations in the same world
    if w.settings[BY_HALVING] == 1:
        states[WORK] = states[ROOT_STATE]
        in_world = all_rivals(s, w, actions, priors, constants, sight, rng)
    forced = NO_CHOICE
    left = 0
    while not is_spent(1, w):
        if left == 0:
            left = in_world
            draw_world(states, w, constants, rng)
            forced = NO_CHOICE
        if w.settings[BY_HALVING] == 1:
            replay_chance(w, rng)
            forced = next_rival(forced, w)
        left -= 1
        states[WORK] = states[WORLD]
        first = walk(s, forced, nodes, slots, w, actions, priors, constants, sight, rng)
        finish(s, first, nodes, w, actions, constants, rewards, rng)
        if left == 0 and w.settings[BY_HALVING] == 1:
            in_world = narrow(in_world, w)


METHOD = Method(run, Trees.SHARED)
