"""Flat Monte Carlo: no tree. Every action is tried in the same worlds against the same chance, all equally often."""

from arena.engine.contract import Actions, Numbers, States, current_seat, legal_actions, reopen, step
from arena.engine.rng import Words
from arena.search.budget import is_spent
from arena.search.method import Method, Trees
from arena.search.selection import rollout_choice
from arena.search.tree import Nodes, Slots, begin_tree
from arena.search.walk import begin_root, finish
from arena.search.workspace import CHOICES, DECISIONS, DONE, OBSERVER, Workspaces
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
    """Simulate each of the observer's actions once in every world; seats that choose with it use the rollout policy."""
    w = workspaces[0]
    s = states[WORK]
    reopen(states[ROOT_STATE])
    begin_tree(nodes, slots, w)
    choices = w.settings[CHOICES]
    while not is_spent(choices, w):
        draw_world(states, w, constants, rng)
        for choice in range(choices):
            replay_chance(w, rng)
            states[WORK] = states[WORLD]
            while current_seat(s) != w.settings[OBSERVER]:
                count = legal_actions(s, actions)
                step(s, rollout_choice(s, actions, count, w, constants, rng))
            count = legal_actions(s, actions)
            if w.counters[DONE] == 0:
                begin_root(s, count, nodes, w, actions, priors, constants, sights[0])
            step(s, int(actions[choice]))
            w.counters[DECISIONS] += 1
            finish(s, choice, nodes, w, actions, constants, rewards, rng)


METHOD = Method(run, Trees.NONE)
