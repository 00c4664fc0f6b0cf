"""Perfect-information Monte Carlo: a tree for each of some worlds, each searched as if all its cards lay open."""

from arena.engine.contract import Actions, Numbers, States, reopen
from arena.engine.rng import Words
from arena.search.budget import is_spent
from arena.search.method import Method, Trees
from arena.search.tree import Nodes, Slots, begin_tree
from arena.search.walk import NO_CHOICE, finish, walk
from arena.search.workspace import IN_WORLD, OPEN, Workspaces
from arena.search.worlds import ROOT_STATE, WORK, WORLD, draw_world


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
    """A new world and a new tree after every IN_WORLD simulations.

    The parameters: see `Search` in ../method.py.
    """
    w = workspaces[0]
    s = states[WORK]
    reopen(states[ROOT_STATE])
    w.settings[OPEN] = 1
    left = 0
    while not is_spent(1, w):
        if left == 0:
            left = w.settings[IN_WORLD]
            begin_tree(nodes, slots, w)
            draw_world(states, w, constants, rng)
        left -= 1
        states[WORK] = states[WORLD]
        first = walk(s, NO_CHOICE, nodes, slots, w, actions, priors, constants, sights[0], rng)
        finish(s, first, nodes, w, actions, constants, rewards, rng)


METHOD = Method(run, Trees.PER_WORLD)
