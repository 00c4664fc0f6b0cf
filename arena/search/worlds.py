"""The worlds of a search: states that the observer may be in, drawn at random, and the chance that they meet."""

from arena.engine import jit
from arena.engine.contract import Numbers, States, believe, determinize
from arena.engine.rng import Words, chance
from arena.search.learnt import has_learnt, likelihood
from arena.search.workspace import BY_BELIEF, BY_POLICY, CANDIDATES, OBSERVER, OFFSET, TAKEN, Workspace

# Places in `states`: what the observer sees; a world that fits it; that world as a simulation plays on in it; from CANDIDATE on
# drawn worlds of which some are kept.
ROOT_STATE, WORLD, WORK, CANDIDATE = range(4)
STATES = CANDIDATE + CANDIDATES
KEPT_WORLDS = 8  # of the candidates, where the room's network says which are likely
UNWEIGHED = 0.1  # share of worlds that are kept as they are drawn: whoever plays unlike the network thinks still is among them


@jit.generic
def draw_world(states: States, w: Workspace, constants: Numbers, rng: Words) -> None:
    """Draw a world for the observer, and note the generator's state for `replay_chance`."""
    if w.settings[BY_BELIEF] == 1 and has_learnt(states[ROOT_STATE], w):
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
    at = (w.numbers[OFFSET] + w.counters[TAKEN] % KEPT_WORLDS) / KEPT_WORLDS
    w.counters[TAKEN] += 1
    place = 0
    while place < CANDIDATES - 1 and w.weights[place] <= at:
        place += 1
    return place


@jit.generic
def _draw(place: int, states: States, w: Workspace, constants: Numbers, rng: Words) -> None:
    states[place] = states[ROOT_STATE]
    determinize(states[place], w.settings[OBSERVER], rng)
    if w.settings[BY_POLICY] == 1:
        believe(states[place], w.settings[OBSERVER], constants, rng)


@jit.generic
def _draw_candidates(states: States, w: Workspace, constants: Numbers, rng: Words) -> None:
    """Draw worlds, and write to `w.weights` by which shares they are to be kept, added up from the first one on."""
    total = 0.0
    for i in range(CANDIDATES):
        _draw(CANDIDATE + i, states, w, constants, rng)
        w.weights[i] = likelihood(states[CANDIDATE + i], w)
        total += w.weights[i]
    reached = 0.0
    for i in range(CANDIDATES):
        reached += (1.0 - UNWEIGHED) * w.weights[i] / total + UNWEIGHED / CANDIDATES
        w.weights[i] = reached
    w.numbers[OFFSET] = chance(rng)
