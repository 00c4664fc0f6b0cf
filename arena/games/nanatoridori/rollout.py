"""Nana Toridori for searches: evaluation, prior and rollout policy (arena/engine/contract.py explains each function)."""

import numpy as np

from arena.engine.contract import Constant, Defaults, Numbers
from arena.engine.functions import exponential
from arena.engine.jit import jit
from arena.engine.machine import stack_array
from arena.engine.rng import Words, below, chance
from arena.games.nanatoridori.estimates import MOST_CARDS, Cards, plan
from arena.games.nanatoridori.memory import known_cards
from arena.games.nanatoridori.state import (
    ADVANCED,
    COPIES,
    DRAWN,
    DROP,
    DUEL,
    FIRST,
    KIND,
    MAX_ACTIONS,
    PASS,
    PLAYS,
    ROUND_OVER,
    ROW,
    SECOND,
    TAKE,
    TOSS,
    TURN,
    VALUES,
    State,
)

DEFAULTS = Defaults(selection="ucb", evaluate=4, prior=10.0, exploration=0.7, expansion=1)
CONSTANTS = (
    Constant("single", 1.5, 0.5, 3.0, "turns that a play of one card of value 0 would cost"),
    Constant("step", 0.1, 0.0, 0.3, "turns that each point of value saves"),
    Constant("more", 0.45, 0.1, 1.0, "turns that each further card of a play saves"),
    Constant("hurry", 0.1, 0.0, 0.5, "turns that each card in hand costs"),
    Constant("patience", 0.15, 0.0, 1.0, "turns that a pass costs beside the turn itself"),
    Constant("life", 2.5, 0.0, 5.0, "turns that a front card of a duel is worth"),
    Constant("turn", 0.15, 0.0, 0.5, "prior: what a turn saved is worth, where winning the round is 1"),
    Constant("sharpness", 0.85, 0.0, 2.0, "how much likelier each turn more makes it to be the last one"),
    Constant("crowd", 0.1, 0.0, 0.5, "evaluation: turns that each card costs less than in plays"),
    Constant("to_move", 0.4, 0.0, 1.0, "evaluation: turns that it saves to be the next seat to play"),
    Constant("owner", 0.3, 0.0, 1.0, "evaluation: turns that it saves to have played last"),
    Constant("front", 0.85, 0.0, 3.0, "evaluation: turns that a front card of a duel saves"),
    Constant("middle", 0.5, 0.0, 1.0, "of the points for going out first, in the advanced rules"),
    Constant("whim", 0.05, 0.0, 1.0, "share of the rollout policy's choices that are random"),
)
PATIENCE, LIFE, GAIN, SHARPNESS, CROWD, TO_MOVE, OWNER, FRONT, MIDDLE, WHIM = range(4, 14)  # the first four: estimates.py

OUT = 10.0  # turns, more than any hand takes
LONGEST = 1 << ROW  # cards in a hand
_BY_VALUE = VALUES + 1


@jit
def evaluate(s: State, constants: Numbers, out: Numbers) -> None:
    """1 for a round that is not lost; in the advanced rules 1 for going out first, part of it for not being the last.

    While the round goes on: by the turns that the hands still take. The more turns, the likelier a seat is the last.
    """
    is_over = s.phase >= ROUND_OVER
    leads = 0 if is_over else _next_to_play(s)
    slow = fast = 0.0
    for seat in range(s.seats):
        out[seat] = 0.0
        if s.hand_size[seat] > 0 and not is_over:
            out[seat] = exponential(constants[SHARPNESS] * _standing(s, seat, leads, constants))
            slow += out[seat]
            fast += 1.0 / out[seat]
    for seat in range(s.seats):
        if s.hand_size[seat] > 0 and not is_over:
            last = out[seat] / slow
            first = 1.0 / out[seat] / fast if s.num_out == 0 else 0.0
            out[seat] = 1.0 - last
            if s.variant == ADVANCED:
                out[seat] = constants[MIDDLE] * (1.0 - last - first) + first
    for i in range(s.num_out):
        out[s.out[i]] = constants[MIDDLE] if i > 0 and s.variant == ADVANCED else 1.0


@jit
def _next_to_play(s: State) -> int:
    """The seat that plays or passes next: not the one that only takes, drops, keeps or tosses what its turn brought."""
    if s.phase == TURN:
        return int(s.turn)
    owner = int(s.table_owner)
    is_active = s.hand_size[owner] > 0
    seat = int(s.turn)
    if s.phase == DRAWN and s.passes >= s.seats - s.num_out - is_active:  # all have passed: who played last leads
        if is_active:
            return owner
        seat = owner
    for _ in range(s.seats):
        seat = seat + 1 if seat + 1 < s.seats else 0
        if s.hand_size[seat] > 0:
            break
    return seat


@jit
def _standing(s: State, seat: int, leads: int, constants: Numbers) -> float:
    """The turns that a hand still takes; fitted to the order of going out in rounds between rollout policies."""
    turns = plan(s.hand[seat << ROW : (seat << ROW) + LONGEST], s.hand_size[seat], constants)
    turns -= constants[CROWD] * s.hand_size[seat] + constants[FRONT] * s.num_fronts[seat]
    if leads == seat:
        turns -= constants[TO_MOVE]
    if s.table_count > 0 and s.table_owner == seat:
        turns -= constants[OWNER]
    return float(turns)


@jit
def rollout_action(s: State, actions: Words, count: int, constants: Numbers, rng: Words) -> int:
    """The action with the highest prior; with probability `whim` a random one."""
    if chance(rng) < constants[WHIM]:
        return int(actions[below(rng, count)])
    values = stack_array(MAX_ACTIONS, np.float64)[:count]
    prior(s, actions, count, constants, values)
    return int(actions[np.argmax(values)])


@jit
def prior(s: State, actions: Words, count: int, constants: Numbers, out: Numbers) -> None:
    """How few turns the own hand takes after each action."""
    first = s.turn << ROW
    size = s.hand_size[s.turn]
    rest = stack_array(MOST_CARDS, np.int8)
    before = -1
    left_turns = 0.0  # of what is left after the play before
    for i in range(count):
        action = int(actions[i])
        kind = action >> KIND
        place = action >> FIRST & 63
        if kind == PLAYS:
            if action >> SECOND != before:  # else the same play with more front cards
                before = action >> SECOND
                cards = before & 63
                left = _without(s.hand[first : first + LONGEST], size, place, cards, rest)
                left_turns = -OUT if left == 0 else _with(rest, left, s.table_value, s.table_count, constants)
            turns = left_turns + constants[LIFE] * (action & 3)
        elif kind == PASS:
            turns = _after_pass(s, place, constants)
        elif kind in (DROP, TOSS):
            turns = plan(s.hand[first : first + LONGEST], size, constants)
        else:
            value, cards = (s.beaten_value, s.beaten_count) if s.phase == TAKE else (s.drawn, 1)
            _insert(s.hand[first : first + LONGEST], size, place, value, cards, rest)
            turns = plan(rest, size + cards, constants)
        out[i] = -constants[GAIN] * turns


@jit
def believe(_s: State, _seat: int, _constants: Numbers, _rng: Words) -> None:
    """Leave the world as it is: all worlds that fit what the seat has seen count as equally likely."""


@jit
def choice_code(_s: State, action: int) -> int:
    """The action itself; never needed, as seats choose in turn."""
    return action


@jit
def private_code(s: State, _seat: int) -> int:
    """The card drawn; everything else a seat learns from actions."""
    return int(s.drawn)


@jit
def reopen(_s: State) -> None:
    """Do nothing: seats choose in turn, so no choice has to be taken back."""


@jit
def _after_pass(s: State, front: int, constants: Numbers) -> float:
    """Turns after a pass: the mean over the cards that may be drawn, each kept where it helps."""
    hand = s.hand[s.turn << ROW : (s.turn << ROW) + LONGEST]
    size = s.hand_size[s.turn]
    if s.variant == DUEL:
        if front == 0:
            return OUT  # eliminated
        return float(_with(hand, size, front, 1, constants) + constants[PATIENCE] + constants[LIFE])
    if s.num_stock == 0:
        return float(plan(hand, size, constants) + constants[PATIENCE])
    left = stack_array(_BY_VALUE, np.int64)
    left[:] = COPIES
    for i in range(size):
        left[hand[i]] -= 1
    for i in range(s.num_discard):
        left[s.discard[i]] -= 1
    left[s.table_value] -= s.table_count
    total = 0.0
    turns = 0.0
    for value in range(1, VALUES + 1):
        for seat in range(s.seats):
            if seat != s.turn:
                left[value] -= known_cards(s, seat, value)
        if left[value] > 0:
            total += left[value]
            turns += left[value] * _with(hand, size, value, 1, constants)
    return float(turns / max(1.0, total) + constants[PATIENCE])


@jit
def _with(hand: Cards, size: int, value: int, count: int, constants: Numbers) -> float:
    """Turns of a hand into which a block of equal cards comes, beside cards of the same value, if that helps."""
    best = plan(hand, size, constants)
    if count > 0:
        more = stack_array(MOST_CARDS, np.int8)
        before = 0
        for place in range(size):
            if hand[place] == value and before != value:
                _insert(hand, size, place, value, count, more)
                best = min(best, plan(more, size + count, constants))
            before = hand[place]
    return float(best)


@jit
def _without(hand: Cards, size: int, place: int, count: int, out: Cards) -> int:
    """Write a hand without some cards; gives how many are left."""
    for i in range(place):
        out[i] = hand[i]
    for i in range(place + count, size):
        out[i - count] = hand[i]
    return size - count


@jit
def _insert(hand: Cards, size: int, gap: int, value: int, count: int, out: Cards) -> None:
    """Write a hand with a block of equal cards at a gap."""
    for i in range(gap):
        out[i] = hand[i]
    for i in range(count):
        out[gap + i] = value
    for i in range(gap, size):
        out[i + count] = hand[i]
