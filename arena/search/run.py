"""A whole search as one compiled call: worlds, simulations, budgets. One entry for each room, called from Python."""

from collections.abc import Callable
from functools import cache
from typing import TypeAlias

from arena import jit
from arena.contract import believe, determinize, reopen
from arena.rng import Words
from arena.search.simulation import NOT_A_CHOICE, sight_of, simulate
from arena.search.tree import clear, regrow
from arena.search.workspace import (
    BEGAN,
    BY_POLICY,
    DONE,
    METHOD,
    NANOSECONDS,
    NEXT_LOOK,
    OBSERVER,
    PER_WORLD,
    REMEMBER,
    SIMULATIONS,
    USED,
    Workspace,
)

ISMCTS, PIMC, FLAT = range(3)

LOOK = 0.01  # share of a time budget after which the clock is read again
OVERDRAFT = 1.03  # of a time budget: a simulation that would end later is not begun

Search: TypeAlias = Callable[[Workspace, Words], None]


@cache
def bind_search(room: str) -> Search:
    """The search compiled for one room, in a folder of its own."""
    return jit.bind(_entry_search, jit.search_of(room))


def _entry_search(w: Workspace, rng: Words) -> None:
    """Search from the observed state `w.root`; what came of it is in `w.results` and `w.counters` (see workspace.py)."""
    observer = w.settings[OBSERVER]
    method = w.settings[METHOD]
    reopen(w.root[0])
    s = w.work[0]
    world = w.world[0]
    replies = len(w.results) if method == FLAT else 1
    forced = NOT_A_CHOICE
    left = 0  # simulations for which the world stays as it is
    a = b = c = d = 0
    if w.settings[REMEMBER] == 1:
        w.counters[USED] = regrow(w.nodes, w.slots, w.counters[USED], sight_of(w.root[0], w))
    else:
        w.counters[USED] = 1
    while left % replies != 0 or not _is_spent(replies, w.settings, w.counters):
        if left == 0:
            left = replies
            if method == PIMC:
                left = w.settings[PER_WORLD]
                clear(w.nodes, w.slots)
                w.counters[USED] = 1
            w.world[0] = w.root[0]
            determinize(world, observer, rng)
            if w.settings[BY_POLICY] == 1:
                believe(world, observer, w.constants, rng)
            a, b, c, d = rng[0], rng[1], rng[2], rng[3]
        if method == FLAT:  # each of the observer's choices in the same world, against the same chance
            rng[0], rng[1], rng[2], rng[3] = a, b, c, d
            forced = replies - left
        left -= 1
        w.work[0] = w.world[0]
        simulate(s, forced, w, rng)
        w.counters[DONE] += 1


@jit.generic
def _is_spent(ahead: int, settings: Words, counters: Words) -> bool:
    """Whether `ahead` more simulations would be too many. The clock is read rarely, as that takes half a microsecond."""
    done = counters[DONE]
    if done == 0:
        return False
    if settings[SIMULATIONS] > 0 and done + ahead > settings[SIMULATIONS]:
        return True
    budget = settings[NANOSECONDS]
    if budget == 0 or done < counters[NEXT_LOOK]:
        return False
    spent = jit.thread_nanoseconds() - settings[BEGAN]
    each = spent / done
    counters[NEXT_LOOK] = done + 1 + int(LOOK * budget / each)
    return bool(spent >= budget or spent + each * ahead > OVERDRAFT * budget)
