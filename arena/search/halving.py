"""Sequential halving at the root: the worse half of the observer's choices drops out again and again, until two are left.

(Z. Karnin, T. Koren, O. Somekh, "Almost Optimal Exploration in Multi-Armed Bandits", ICML 2013; at the
root of a tree: T. Pepels, T. Cazenave, M. Winands, M. Lanctot, "Minimizing Simple and Cumulative Regret in Monte-Carlo Tree
Search", 2014.) What counts is the choice in the end, not what trying it brought. The choices that are left, the rivals, are
tried in the same worlds against the same chance, so that their rewards can be compared although worlds differ much more than
choices do.
"""

import math

from arena.engine import jit
from arena.engine.contract import Actions, Numbers, State, current_seat, legal_actions, step
from arena.engine.rng import Words, below
from arena.search.learnt import write_priors
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
TRIES = 16  # simulations for each choice: where there are fewer, only the choices with the best priors are tried
FEWEST = 4  # choices that are always tried


@jit.generic
def all_rivals(s: State, w: Workspace, actions: Actions, priors: Numbers, constants: Numbers, sight: State, rng: Words) -> int:
    """Make all choices rivals; for a small budget those with the best priors, or random ones without priors. Gives how many.

    `s`: a copy of the root.
    """
    while current_seat(s) != w.settings[OBSERVER]:  # no prior can depend on what the others choose at the same time
        legal_actions(s, actions)
        step(s, int(actions[0]))
    count = legal_actions(s, actions)
    for i in range(count):
        w.results[i, RIVAL] = 1
    if w.numbers[PRIOR] > 0.0:
        write_priors(s, actions, count, w, constants, sight, priors)
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
def next_rival(place: int, w: Workspace) -> int:
    """The place of the first rival after a place; NO_CHOICE comes before all places."""
    place += 1
    while w.results[place, RIVAL] == 0:
        place += 1
    return place


@jit.generic
def narrow(rivals: int, w: Workspace) -> int:
    """Let the worst rivals drop out, so that as many stay as suit the budget that is left; gives how many."""
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
    """The rival that is expected to bring least, where its prior counts as PRIOR visits."""
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
