"""The worlds of a search: states that the observer may be in, drawn at random, and the chance that they meet."""

from arena.engine import jit
from arena.engine.contract import Numbers, States, believe, determinize
from arena.engine.rng import Words, chance
from arena.search.learnt import has_learnt, likelihood
from arena.search.workspace import BY_BELIEF, BY_POLICY, OBSERVER, Workspace

# Places in `states`: what the observer sees; a world that fits it; that world as a simulation plays on in it; another world.
ROOT_STATE, WORLD, WORK, CANDIDATE, STATES = range(5)
CANDIDATES = 8  # worlds drawn for one that is kept, where the room's network says which are likely
UNWEIGHED = 0.1  # share of worlds that are kept as they are drawn: whoever plays unlike the network thinks still is among them


@jit.generic
def draw_world(states: States, w: Workspace, constants: Numbers, rng: Words) -> None:
    """Draw a world for the observer, and note the generator's state for `replay_chance`."""
    _draw(WORLD, states, w, constants, rng)
    if w.settings[BY_BELIEF] == 1 and has_learnt(states[WORLD], w) and chance(rng) >= UNWEIGHED:
        _draw_likely(states, w, constants, rng)
    for i in range(len(w.chance)):
        w.chance[i] = rng[i]


@jit.generic
def _draw(place: int, states: States, w: Workspace, constants: Numbers, rng: Words) -> None:
    states[place] = states[ROOT_STATE]
    determinize(states[place], w.settings[OBSERVER], rng)
    if w.settings[BY_POLICY] == 1:
        believe(states[place], w.settings[OBSERVER], constants, rng)


@jit.generic
def _draw_likely(states: States, w: Workspace, constants: Numbers, rng: Words) -> None:
    """Draw more worlds and keep one of all, by their likelihoods (sampling importance resampling, D. Rubin 1988)."""
    total = likelihood(states[WORLD], w)
    for _ in range(CANDIDATES - 1):
        _draw(CANDIDATE, states, w, constants, rng)
        weight = likelihood(states[CANDIDATE], w)
        total += weight
        if chance(rng) * total < weight:
            states[WORLD] = states[CANDIDATE]


@jit.generic
def replay_chance(w: Workspace, rng: Words) -> None:
    """Set the generator back to where the world was drawn: simulations of several actions then meet the same chance."""
    for i in range(len(w.chance)):
        rng[i] = w.chance[i]
