"""What a game has learnt, asked in a search: what a position is worth, how likely a world is, and what a seat may choose."""

import math

from arena.engine import jit
from arena.engine.contract import (
    Actions,
    Numbers,
    State,
    action_features,
    belief_features,
    current_seat,
    encode,
    evaluate,
    is_round_over,
    num_seats,
    observe,
    prior,
    state_features,
)
from arena.engine.net import BELIEF, HIGH, INPUTS, IS_CONSTANT, LOW, POLICY, ROW, SEATS, TOTAL, VALUE, logit, preferences
from arena.engine.rng import Words, chance
from arena.search.workspace import BY_PROPOSAL, BY_VALUE, OBSERVER, TEMPER, TRUST, Workspace

LARGEST = 4.0  # odds of a world, tempered, as a logarithm: no world may count more than e**4 times as much as an average one


@jit.generic
def judge(s: State, w: Workspace, constants: Numbers, rewards: Numbers) -> None:
    """Write what a position is worth to each seat: by the value network if that is asked for, else by the game's `evaluate`."""
    if w.settings[BY_VALUE] == 0 or is_round_over(s) or not has_learnt(s, w, VALUE):
        evaluate(s, constants, rewards)
        return
    at = int(w.nets[VALUE])
    low = float(w.nets[at + LOW])
    width = float(w.nets[at + HIGH]) - low
    seats = num_seats(s)
    found = 0.0
    for seat in range(seats):
        state_features(s, seat, w.inputs)
        rewards[seat] = low + width / (1.0 + math.exp(-logit(w.nets, at, w.inputs, w.hidden)))
        found += rewards[seat]
    if w.nets[at + IS_CONSTANT] == 1.0:
        for seat in range(seats):
            rewards[seat] += (w.nets[at + TOTAL] - found) / seats


@jit.generic
def has_learnt(s: State, w: Workspace, kind: int) -> bool:
    """Whether the game's network of this kind was trained at this number of seats."""
    return int(w.nets[SEATS + kind]) >> num_seats(s) & 1 == 1


@jit.generic
def likelihood(s: State, w: Workspace) -> float:
    """How much likelier a drawn world is than an average one, for the observer; tempered, as the others may play otherwise."""
    belief_features(s, w.settings[OBSERVER], w.inputs)
    odds = w.numbers[TEMPER] * logit(w.nets, int(w.nets[BELIEF]), w.inputs, w.hidden)
    return math.exp(max(-LARGEST, min(LARGEST, odds)))


@jit.generic
def write_priors(
    s: State, actions: Actions, count: int, w: Workspace, constants: Numbers, sight: State, priors: Numbers
) -> None:
    """Write the priors of the seat to choose: by the policy network if that is asked for, else by the game's `prior`.

    `sight`: a state at the place in memory where the workspace has its `sight`; what is there is lost.
    """
    if not proposes(s, w):
        prior(s, actions, count, constants, priors)
        return
    highest = _ask_policy(s, actions, count, w, sight)
    for i in range(count):
        priors[i] = w.numbers[TRUST] * (w.logits[i] - highest)


@jit.generic
def proposes(s: State, w: Workspace) -> bool:
    """Whether the policy network is to say what seats are likely to choose."""
    return w.settings[BY_PROPOSAL] == 1 and has_learnt(s, w, POLICY)


@jit.generic
def proposal(s: State, actions: Actions, count: int, w: Workspace, sight: State, rng: Words) -> int:
    """The place of an action that is drawn by the policy network for the seat to choose. `sight`: as in `write_priors`."""
    highest = _ask_policy(s, actions, count, w, sight)
    total = 0.0
    for i in range(count):
        w.logits[i] = math.exp(w.logits[i] - highest)
        total += w.logits[i]
    left = chance(rng) * total
    for i in range(count - 1):
        left -= w.logits[i]
        if left < 0.0:
            return i
    return count - 1


@jit.generic
def _ask_policy(s: State, actions: Actions, count: int, w: Workspace, sight: State) -> float:
    """Write the policy's logits of all actions of the seat to choose, which go by what that seat sees; gives the highest."""
    seat = current_seat(s)
    at = int(w.nets[POLICY])
    width = int(w.nets[ROW])
    known = w.inputs[: int(w.nets[at + INPUTS]) - width]
    rows = w.rows[: count * width].reshape(count, width)
    observe(s, seat, sight)
    encode(sight, seat, known)
    action_features(sight, seat, actions, count, rows)
    preferences(w.nets, at, known, rows, count, w.begun, w.hidden, w.logits)
    highest = float(w.logits[0])
    for i in range(count):
        highest = max(highest, float(w.logits[i]))
    return highest
