"""A whole search as one compiled call: worlds, simulations, budgets. One entry for each room, called from Python."""

from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias

from arena.engine import jit
from arena.engine.contract import Actions, Numbers, States, believe, determinize, reopen
from arena.engine.rng import Words
from arena.search.halving import enter, narrow
from arena.search.simulation import NOT_A_CHOICE, sight_of, simulate
from arena.search.tree import Nodes, Slots, clear, regrow
from arena.search.workspace import (
    BEGAN,
    BY_HALVING,
    BY_POLICY,
    CHOICES,
    DONE,
    FLAT,
    LAST_LOOK,
    METHOD,
    NANOSECONDS,
    NEXT_LOOK,
    OBSERVER,
    PER_WORLD,
    PIMC,
    REMEMBER,
    RIVAL,
    SIMULATIONS,
    SLOWEST,
    SPENT,
    USED,
    Workspace,
)

LOOK = 0.01  # share of a time budget after which the clock is read again
AFTERWARDS = 40_000  # nanoseconds from the last simulation until the bot has its findings

Search: TypeAlias = Callable[[States, States, Nodes, Slots, Any, Actions, Numbers, Numbers, Numbers, Words], None]

ROOT_STATE, WORLD, WORK, STATES = range(4)  # what is observed; an imagined deal that fits it; and as that is played on


@cache
def bind_search(room: str) -> Search:
    """The search compiled for one room, in a folder of its own. `room`: its package."""
    return jit.bind(_entry_search, jit.search_of(room))


def _entry_search(
    states: States,
    sights: States,
    nodes: Nodes,
    slots: Slots,
    workspaces: Any,
    out: Actions,
    priors: Numbers,
    constants: Numbers,
    rewards: Numbers,
    rng: Words,
) -> None:
    """Search from the observed state `states[ROOT_STATE]`; what came of it is in the results and counters of the workspace.

    `sights`: a state that lies where the workspace has its `sight`; `out`: for a legal list; `priors`: for what its actions
    look like at a glance; `constants`: of the room's rollout.py; `rewards`: by seat.
    """
    w = workspaces[0]
    sight = sights[0]
    world = states[WORLD]
    s = states[WORK]
    method = w.settings[METHOD]
    reopen(states[ROOT_STATE])
    if w.settings[REMEMBER] == 1:
        w.counters[USED] = regrow(nodes, slots, w.counters[USED], sight_of(states[ROOT_STATE], sight, w))
    else:
        clear(nodes, slots)
        w.counters[USED] = 1
    replies = 1  # simulations in one world that belong together
    if method == FLAT:
        replies = w.settings[CHOICES]
    if w.settings[BY_HALVING] == 1:
        states[WORK] = states[ROOT_STATE]
        replies = enter(s, w, out, priors, constants, rng)
    forced = NOT_A_CHOICE
    left = 0  # simulations for which the world stays as it is
    a = b = c = d = 0
    while (method == FLAT and left > 0) or not _is_spent(replies if method == FLAT else 1, w):
        if left == 0:
            left = replies
            if method == PIMC:
                left = w.settings[PER_WORLD]
                clear(nodes, slots)
                w.counters[USED] = 1
            states[WORLD] = states[ROOT_STATE]
            determinize(world, w.settings[OBSERVER], rng)
            if w.settings[BY_POLICY] == 1:
                believe(world, w.settings[OBSERVER], constants, rng)
            a, b, c, d = rng[0], rng[1], rng[2], rng[3]
            forced = NOT_A_CHOICE
        if method == FLAT or w.settings[BY_HALVING] == 1:  # all rivals in the same world, against the same chance
            rng[0], rng[1], rng[2], rng[3] = a, b, c, d
            forced += 1
            while method != FLAT and w.results[forced, RIVAL] == 0:
                forced += 1
        left -= 1
        states[WORK] = states[WORLD]
        simulate(s, forced, nodes, slots, w, out, priors, constants, rewards, sight, rng)
        w.counters[DONE] += 1
        if left == 0 and w.settings[BY_HALVING] == 1:
            replies = narrow(replies, w)


@jit.generic
def _is_spent(ahead: int, w: Workspace) -> bool:
    """Whether `ahead` more simulations would be too many: of a time budget, if they took as long as the slowest so far.

    The clock is read rarely, as that takes half a microsecond.
    """
    done = w.counters[DONE]
    if done == 0:
        return False
    if w.settings[SIMULATIONS] > 0 and done + ahead > w.settings[SIMULATIONS]:
        return True
    if w.settings[NANOSECONDS] == 0 or done < w.counters[NEXT_LOOK]:
        return False
    budget = w.settings[NANOSECONDS] - AFTERWARDS
    spent = jit.thread_nanoseconds() - w.settings[BEGAN]
    looked = w.counters[LAST_LOOK]
    if looked > 0:  # what the first one took holds the preparations, too
        w.counters[SLOWEST] = max(w.counters[SLOWEST], (spent - w.counters[SPENT]) // (done - looked))
    w.counters[LAST_LOOK] = done
    w.counters[SPENT] = spent
    w.counters[NEXT_LOOK] = done + 1 + int(LOOK * budget * done / spent)
    return bool(spent + max(spent // done, w.counters[SLOWEST]) * ahead > budget)
