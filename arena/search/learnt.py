"""What a room has learnt, asked inside a search: how good a position is, and how well a world explains what the others did."""

import math

from arena.engine import jit
from arena.engine.contract import Numbers, State, clue, evaluate, is_round_over, num_seats, sketch
from arena.engine.net import BELIEF, HIGH, IS_CONSTANT, LOW, SEATS, TOTAL, VALUE, logit
from arena.search.workspace import BY_VALUE, OBSERVER, TEMPER, Workspace

LARGEST = 4.0  # odds of a world, tempered, as a logarithm: no world may count more than e**4 times as much as an average one


@jit.generic
def judge(s: State, w: Workspace, constants: Numbers, rewards: Numbers) -> None:
    """Write what a position is worth to each seat: by the value network if that is asked for, else by the room's `evaluate`."""
    if w.settings[BY_VALUE] == 0 or is_round_over(s) or not has_learnt(s, w):
        evaluate(s, constants, rewards)
        return
    at = int(w.nets[VALUE])
    low = float(w.nets[at + LOW])
    width = float(w.nets[at + HIGH]) - low
    seats = num_seats(s)
    found = 0.0
    for seat in range(seats):
        sketch(s, seat, w.inputs)
        rewards[seat] = low + width / (1.0 + math.exp(-logit(w.nets, at, w.inputs, w.hidden)))
        found += rewards[seat]
    if w.nets[at + IS_CONSTANT] == 1.0:
        for seat in range(seats):
            rewards[seat] += (w.nets[at + TOTAL] - found) / seats


@jit.generic
def has_learnt(s: State, w: Workspace) -> bool:
    """Whether the room's networks were trained at this number of seats."""
    return int(w.nets[SEATS]) >> num_seats(s) & 1 == 1


@jit.generic
def likelihood(s: State, w: Workspace) -> float:
    """How much likelier a drawn world is than an average one, for the observer; tempered, as the others may play otherwise."""
    clue(s, w.settings[OBSERVER], w.inputs)
    odds = w.numbers[TEMPER] * logit(w.nets, int(w.nets[BELIEF]), w.inputs, w.hidden)
    return math.exp(max(-LARGEST, min(LARGEST, odds)))
