"""What follows the tree in a simulation: roll out to the end of the round, evaluate, back up. The part in the tree: walk.py.

Each seat goes for its own reward (max^n). Compiled into each room's searches.
"""

from arena.engine import jit
from arena.engine.contract import (
    Actions,
    Numbers,
    State,
    current_seat,
    is_round_over,
    is_simultaneous,
    legal_actions,
    num_seats,
    step,
)
from arena.engine.rng import Words
from arena.search.backup import back_up
from arena.search.learnt import judge
from arena.search.selection import rollout_choice
from arena.search.tree import Nodes
from arena.search.workspace import DECISIONS, DEPTH, DONE, NEVER, PATH, Workspace


@jit.generic
def finish(
    s: State,
    first: int,
    nodes: Nodes,
    w: Workspace,
    actions: Actions,
    constants: Numbers,
    rewards: Numbers,
    rng: Words,
) -> None:
    """Roll out, evaluate and back up a simulation that has left the tree. `first`: the observer's first choice."""
    _roll_out(s, w, actions, constants, rng)
    judge(s, w, constants, rewards)
    back_up(first, num_seats(s), nodes, w, rewards)
    w.counters[DONE] += 1


@jit.generic
def _roll_out(s: State, w: Workspace, actions: Actions, constants: Numbers, rng: Words) -> None:
    """Play on by the rollout policy to the end of the round, or to the depth limit."""
    decisions = 0
    is_hidden = is_simultaneous(s) and current_seat(s) > 0  # choices are in that nobody has seen yet: no place to stop
    while not is_round_over(s) and (is_hidden or decisions < w.settings[DEPTH] or w.settings[DEPTH] == NEVER):
        count = legal_actions(s, actions)
        mover = current_seat(s)
        step(s, int(actions[0]) if count == 1 else rollout_choice(s, actions, count, w, constants, rng))
        is_hidden = is_simultaneous(s) and current_seat(s) > mover
        decisions += 1
    w.counters[DECISIONS] += decisions + w.counters[PATH]
