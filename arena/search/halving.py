"""Which of the observer's choices are still tried: half of them drop out again and again, until two are left.

Sequential halving (Z. Karnin, T. Koren, O. Somekh, "Almost Optimal Exploration in Multi-Armed Bandits", ICML 2013; at the
root of a tree: T. Pepels, T. Cazenave, M. Winands, M. Lanctot, "Minimizing Simple and Cumulative Regret in Monte-Carlo Tree
Search", 2014): what counts is the choice in the end, not what the tries brought. All that are left are tried in the same
worlds against the same chance, so that what they bring can be compared although worlds differ much more than choices do.
"""

import math

from arena.engine import jit
from arena.engine.contract import Actions, Numbers, State, current_seat, legal_actions, prior, step
from arena.engine.rng import Words, below
from arena.search.workspace import (
    CHOICES,
    DONE,
    NANOSECONDS,
    OBSERVER,
    PRIOR,
    PRIOR_VALUE,
    RIVAL,
    SIMULATIONS,
    SPENT,
    VALUE,
    VISITS,
    Workspace,
)

FINALISTS = 2
TRIES = 16  # that each choice shall have: with fewer simulations, only what looks best is tried at all
FEWEST = 4  # choices that are tried for certain


@jit.generic
def enter(s: State, w: Workspace, out: Actions, priors: Numbers, constants: Numbers, rng: Words) -> int:
    """Make all choices rivals; where the budget is small those that look best, or any where looks do not count. Gives how many.

    `s`: a copy of the root.
    """
    while current_seat(s) != w.settings[OBSERVER]:  # what the others choose at the same time is nothing that a look could see
        legal_actions(s, out)
        step(s, int(out[0]))
    count = legal_actions(s, out)
    for i in range(count):
        w.results[i, RIVAL] = 1
    if w.numbers[PRIOR] > 0.0:
        prior(s, out, count, constants, priors)
        for i in range(count):
            w.results[i, PRIOR_VALUE] = priors[i]
        if w.settings[SIMULATIONS] > 0:
            return _keep(count, max(w.settings[SIMULATIONS] // TRIES, min(w.settings[SIMULATIONS], FEWEST)), w)
    elif 0 < w.settings[SIMULATIONS] < count:
        rivals = 0  # selection sampling: D. Knuth, The Art of Computer Programming 2, 3.4.2, algorithm S
        for i in range(count):
            w.results[i, RIVAL] = below(rng, count - i) < w.settings[SIMULATIONS] - rivals
            rivals += int(w.results[i, RIVAL])
        return rivals
    return count


@jit.generic
def narrow(rivals: int, w: Workspace) -> int:
    """Let the worst choices drop out, as many as are too many for the budget that is left; gives how many stay."""
    part = 0.0
    if w.settings[SIMULATIONS] > 0:
        part = w.counters[DONE] / w.settings[SIMULATIONS]
    if w.settings[NANOSECONDS] > 0:
        part = max(part, w.counters[SPENT] / w.settings[NANOSECONDS])
    choices = w.settings[CHOICES]
    stages = 1
    while choices > FINALISTS << stages - 1:
        stages += 1
    stay = max(FINALISTS, math.ceil(choices / (1 << int(min(part, 0.999) * stages))))
    return _keep(rivals, stay, w)


@jit.generic
def _keep(rivals: int, stay: int, w: Workspace) -> int:
    while rivals > stay:
        w.results[_worst(w), RIVAL] = 0
        rivals -= 1
    return rivals


@jit.generic
def _worst(w: Workspace) -> int:
    """The rival that is expected to bring least, where what it looks like counts as PRIOR visits."""
    choices = w.settings[CHOICES]
    above = 0.0
    visits = 0.0
    for i in range(choices):
        above += w.results[i, VALUE] - w.results[i, VISITS] * w.results[i, PRIOR_VALUE]
        visits += w.results[i, VISITS]
    level = above / max(1.0, visits)
    weight = w.numbers[PRIOR]
    worst = 0
    lowest = math.inf
    for i in range(choices):
        if w.results[i, RIVAL] == 1:
            expected = w.results[i, VALUE] + weight * (level + w.results[i, PRIOR_VALUE])
            expected /= w.results[i, VISITS] + weight
            if expected <= lowest:
                lowest = expected
                worst = i
    return worst
