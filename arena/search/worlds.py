"""The worlds of a search: states that the observer may be in, drawn at random, and the chance that they meet."""

from arena.engine import jit
from arena.engine.contract import Numbers, States, believe, count_worlds, determinize, nth_world
from arena.engine.net import BELIEF
from arena.engine.rng import Words, chance
from arena.search.learnt import has_learnt, likelihood
from arena.search.workspace import (
    BY_BELIEF,
    BY_POLICY,
    CANDIDATES,
    LISTED,
    MOST_LISTED,
    OBSERVER,
    OFFSET,
    TAKEN,
    Workspace,
)

# Places in `states`: what the observer sees; a world that fits it; that world as a simulation plays on in it; from CANDIDATE on
# drawn worlds of which some are kept.
ROOT_STATE, WORLD, WORK, CANDIDATE = range(4)
STATES = CANDIDATE + CANDIDATES
KEPT_WORLDS = 8  # of the candidates, where the game's network says which are likely
UNWEIGHED = 0.1  # share of worlds that are kept as they are drawn: whoever plays unlike the network thinks still is among them
GOLDEN = 0.6180339887498949  # steps of it, each modulo 1, are spread as evenly as can be, however many there are


@jit.generic
def draw_world(states: States, w: Workspace, constants: Numbers, rng: Words) -> None:
    """Draw a world for the observer, and note the generator's state for `replay_chance`."""
    if w.settings[BY_BELIEF] == 1 and has_learnt(states[ROOT_STATE], w, BELIEF):
        if w.counters[TAKEN] == 0:
            _list_worlds(states, w, constants, rng)
        if w.counters[LISTED] > 0:
            _list(WORLD, next_listed(w), states, w, constants, rng)
        else:
            if w.counters[TAKEN] % KEPT_WORLDS == 0:
                _draw_candidates(states, w, constants, rng)
            states[WORLD] = states[CANDIDATE + next_likely(w)]
    else:
        _draw(WORLD, states, w, constants, rng)
    for i in range(len(w.chance)):
        w.chance[i] = rng[i]


@jit.generic
def replay_chance(w: Workspace, rng: Words) -> None:
    """Set the generator back to where the world was drawn: simulations of several actions then meet the same chance."""
    for i in range(len(w.chance)):
        rng[i] = w.chance[i]


@jit.generic
def next_likely(w: Workspace) -> int:
    """The next candidate that is kept: one for each equal step through the weights (systematic resampling).

    Sampling importance resampling: D. Rubin 1988; systematic: G. Kitagawa, "Monte Carlo filter and smoother", 1996.
    """
    return _next((w.numbers[OFFSET] + w.counters[TAKEN] % KEPT_WORLDS) / KEPT_WORLDS, CANDIDATES, w)


@jit.generic
def next_listed(w: Workspace) -> int:
    """The number of the listed world that comes next: at any time each has come about as often as its weight says."""
    at = w.numbers[OFFSET] + GOLDEN * w.counters[TAKEN]
    return _next(at - int(at), w.counters[LISTED], w)


@jit.generic
def _next(at: float, count: int, w: Workspace) -> int:
    """The world of the first `count` whose weights reach beyond `at`."""
    w.counters[TAKEN] += 1
    low, high = 0, count - 1
    while low < high:
        middle = (low + high) // 2
        if w.weights[middle] <= at:
            low = middle + 1
        else:
            high = middle
    return low


@jit.generic
def _draw(place: int, states: States, w: Workspace, constants: Numbers, rng: Words) -> None:
    states[place] = states[ROOT_STATE]
    determinize(states[place], w.settings[OBSERVER], rng)
    if w.settings[BY_POLICY] == 1:
        believe(states[place], w.settings[OBSERVER], constants, rng)


@jit.generic
def _list(place: int, number: int, states: States, w: Workspace, constants: Numbers, rng: Words) -> float:
    """Write the world with a number; gives how likely it is before the network is asked."""
    states[place] = states[ROOT_STATE]
    weight = nth_world(states[place], w.settings[OBSERVER], number, constants, rng)
    return weight if w.settings[BY_POLICY] == 1 else 1.0


@jit.generic
def _list_worlds(states: States, w: Workspace, constants: Numbers, rng: Words) -> None:
    """Write the weights of all worlds to `w.weights`, if the game can list them and they are not too many."""
    count = count_worlds(states[ROOT_STATE], w.settings[OBSERVER])
    w.counters[LISTED] = count if count <= MOST_LISTED else 0
    for number in range(w.counters[LISTED]):
        w.weights[number] = _list(CANDIDATE, number, states, w, constants, rng) * likelihood(states[CANDIDATE], w)
    if w.counters[LISTED] > 0:
        _add_up(w.counters[LISTED], w, rng)


@jit.generic
def _draw_candidates(states: States, w: Workspace, constants: Numbers, rng: Words) -> None:
    """Draw worlds, and write their weights to `w.weights`."""
    for i in range(CANDIDATES):
        _draw(CANDIDATE + i, states, w, constants, rng)
        w.weights[i] = likelihood(states[CANDIDATE + i], w)
    _add_up(CANDIDATES, w, rng)


@jit.generic
def _add_up(count: int, w: Workspace, rng: Words) -> None:
    """Replace the first weights by the shares of the worlds up to and with each, and draw where the steps begin."""
    total = 0.0
    for i in range(count):
        total += w.weights[i]
    reached = 0.0
    for i in range(count):
        reached += (1.0 - UNWEIGHED) * w.weights[i] / total + UNWEIGHED / count
        w.weights[i] = reached
    w.numbers[OFFSET] = chance(rng)
