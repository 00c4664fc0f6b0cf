"""Lets rivals search at many tables, bound to one game: each chooses as `view.search(iterations=...)` would have it."""

import math

from arena.engine import jit
from arena.engine.contract import Actions, Numbers, States, is_simultaneous, observe
from arena.engine.rng import Words, chance, next_word
from arena.learning.compiled.layout import COUNT, RIVAL_RNG, SEAT, Books
from arena.search.findings import PURE
from arena.search.methods import ismcts
from arena.search.tree import Nodes, Slots
from arena.search.workspace import (
    BY_HALVING,
    BY_REGRET,
    CHOICES,
    COLUMNS,
    COUNTERS,
    OBSERVER,
    PRIOR,
    PRIOR_VALUE,
    RIVAL,
    SHARE,
    SIMULATIONS,
    VALUE,
    VISITS,
    Workspace,
    Workspaces,
)
from arena.search.worlds import ROOT_STATE

_run = jit.generic(ismcts.run)


def search(
    which: Words,
    states: States,
    books: Books,
    chosen: Actions,
    asked: Words,
    weights: Numbers,
    iterations: int,
    is_halving: bool,
    worlds: States,
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
    """Search at some tables for the seats that are to choose, and write the places in their legal lists into `chosen`.

    `asked`, `weights`, `is_halving`: of the search's Task (arena/search/task.py); from `worlds` on: as `Search` has them.
    """
    w = workspaces[0]
    for place in range(len(which)):
        book = books[which[place]]
        observe(states[which[place]], book[SEAT], worlds[ROOT_STATE])
        for i in range(len(asked)):
            w.settings[i] = asked[i]
        for i in range(len(weights)):
            w.numbers[i] = weights[i]
        for i in range(COUNTERS):
            w.counters[i] = 0
        for i in range(book[COUNT]):
            for column in range(COLUMNS):
                w.results[i, column] = 0.0
        w.settings[OBSERVER] = book[SEAT]
        w.settings[CHOICES] = book[COUNT]
        w.settings[SIMULATIONS] = iterations
        is_mixed = w.settings[BY_REGRET] == 1 and is_simultaneous(worlds[ROOT_STATE])
        w.settings[BY_HALVING] = is_halving and not is_mixed
        for i in range(4):
            rng[i] = next_word(book[RIVAL_RNG : RIVAL_RNG + 4])
        _run(worlds, sights, nodes, slots, workspaces, actions, priors, constants, rewards, rng)
        chosen[which[place]] = _best(w, book[COUNT], rng)


@jit.generic
def _best(w: Workspace, count: int, rng: Words) -> int:
    """Return what `Findings.best_code` chooses: by shares where there are any, else among the last rivals, else by visits."""
    highest = 0.0
    is_halved = False
    for i in range(count):
        highest = max(highest, w.results[i, SHARE])
        is_halved |= w.results[i, RIVAL] == 1
    if highest > 0.0:
        return _drawn(w, count, PURE * highest, rng)
    level = _level(w, count)
    best = 0
    most = value = -math.inf
    for i in range(count):
        visits = w.results[i, VISITS]
        if is_halved:
            rank = w.results[i, RIVAL]
            found = w.results[i, VALUE] + w.numbers[PRIOR] * (level + w.results[i, PRIOR_VALUE])
            visits += w.numbers[PRIOR]
        else:
            rank = visits
            found = w.results[i, VALUE]
        found = found / visits if visits > 0 else -math.inf
        if rank > most or (rank == most and found > value):
            best, most, value = i, rank, found
    return best


@jit.generic
def _level(w: Workspace, count: int) -> float:
    """Return how much more the simulations brought than the priors of their first actions, on average."""
    above = 0.0
    visits = 0.0
    for i in range(count):
        above += w.results[i, VALUE] - w.results[i, VISITS] * w.results[i, PRIOR_VALUE]
        visits += w.results[i, VISITS]
    return above / max(1.0, visits)


@jit.generic
def _drawn(w: Workspace, count: int, least: float, rng: Words) -> int:
    """A place that is drawn by the shares, those below `least` left out."""
    total = 0.0
    for i in range(count):
        total += w.results[i, SHARE] if w.results[i, SHARE] >= least else 0.0
    left = chance(rng) * total
    last = 0
    for i in range(count):
        if w.results[i, SHARE] >= least:
            last = i
            left -= w.results[i, SHARE]
            if left < 0.0:
                return i
    return last
