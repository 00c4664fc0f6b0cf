"""The worlds of a search: states that the observer may be in, drawn at random, and the chance that they meet."""

from arena.engine import jit
from arena.engine.contract import Numbers, States, believe, determinize
from arena.engine.rng import Words
from arena.search.workspace import BY_POLICY, OBSERVER, Workspace

# Places in `states`: what the observer sees; a world that fits it; that world as a simulation plays on in it.
ROOT_STATE, WORLD, WORK, STATES = range(4)


@jit.generic
def draw_world(states: States, w: Workspace, constants: Numbers, rng: Words) -> None:
    """Draw a world for the observer, and note the generator's state for `replay_chance`."""
    states[WORLD] = states[ROOT_STATE]
    determinize(states[WORLD], w.settings[OBSERVER], rng)
    if w.settings[BY_POLICY] == 1:
        believe(states[WORLD], w.settings[OBSERVER], constants, rng)
    for i in range(len(w.chance)):
        w.chance[i] = rng[i]


@jit.generic
def replay_chance(w: Workspace, rng: Words) -> None:
    """Set the generator back to where the world was drawn: simulations of several actions then meet the same chance."""
    for i in range(len(w.chance)):
        rng[i] = w.chance[i]
