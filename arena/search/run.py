"""A whole search as one compiled call: worlds, simulations, budgets. One entry for each room, called from Python."""

from collections.abc import Callable
from functools import cache
from typing import TypeAlias

from arena import jit
from arena.contract import Actions, Numbers, States, determinize, reopen
from arena.rng import Words
from arena.search.simulation import (
    BEGAN,
    DONE,
    METHOD,
    NANOSECONDS,
    NEXT_LOOK,
    NOT_A_CHOICE,
    OBSERVER,
    PER_WORLD,
    SIMULATIONS,
    USED,
    simulate,
)
from arena.search.tree import Nodes, Slots, clear

ISMCTS, PIMC, FLAT = range(3)

LOOK = 0.01  # share of a time budget after which the clock is read again
OVERDRAFT = 1.03  # of a time budget: a simulation that would end later is not begun

Search: TypeAlias = Callable[
    [States, States, States, Nodes, Slots, Actions, Actions, Actions, Actions, Numbers, Numbers, Words, Words, Numbers, Numbers,
     Words], None
]  # fmt: skip


@cache
def bind_search(room: str) -> Search:
    """The search compiled for one room, in a folder of its own."""
    return jit.bind(_entry_search, jit.search_of(room))


def _entry_search(
    roots: States,
    works: States,
    worlds: States,
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
    """Search from the observed state `roots`; what came of it is in `results` and `counters` (see simulation.py)."""
    observer = settings[OBSERVER]
    method = settings[METHOD]
    reopen(roots[0])
    s = works[0]
    world = worlds[0]
    replies = len(results) if method == FLAT else 1
    forced = NOT_A_CHOICE
    left = 0  # simulations for which the world stays as it is
    a = b = c = d = 0
    counters[USED] = 1
    while left % replies != 0 or not _is_spent(replies, settings, counters):
        if left == 0:
            left = replies
            if method == PIMC:
                left = settings[PER_WORLD]
                clear(nodes, slots)
                counters[USED] = 1
            worlds[0] = roots[0]
            determinize(world, observer, rng)
            a, b, c, d = rng[0], rng[1], rng[2], rng[3]
        if method == FLAT:  # each of the observer's choices in the same world, against the same chance
            rng[0], rng[1], rng[2], rng[3] = a, b, c, d
            forced = replies - left
        left -= 1
        works[0] = worlds[0]
        simulate(
            s, forced, nodes, slots, path, kept, out, children, chances, rewards, settings, counters, numbers, results, rng
        )
        counters[DONE] += 1


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
