"""Yaniv for searches: evaluation, prior and rollout policy (arena/engine/contract.py says what each function is for)."""

import math

import numpy as np

from arena.engine.contract import Constant, Defaults, Numbers
from arena.engine.functions import exponential
from arena.engine.jit import jit
from arena.engine.machine import lowest_bit, stack_array
from arena.engine.rng import Words, below, chance
from arena.games.yaniv.discards import laid_row
from arena.games.yaniv.estimates import call_failure, call_loss, gift, hand_worth, open_worth, taken_worth, thriftiness, without
from arena.games.yaniv.memory import put
from arena.games.yaniv.rows import VALUE, card_at, row_length
from arena.games.yaniv.rules import places
from arena.games.yaniv.state import (
    CALL,
    DRAW,
    FIRST,
    FRESH,
    LAST,
    MATCH_OVER,
    MAX_SEATS,
    ORIGINS,
    PLAIN,
    ROUND_OVER,
    SLAP,
    START,
    STOCK,
    State,
    hand_row,
)

DEFAULTS = Defaults(selection="ucb", evaluate=6, prior=20.0, exploration=1.0, expansion=20)
CONSTANTS = (
    Constant("thrift", 0.4, 0.0, 1.0, "how much less likely others hold a card for each of its points, late in a round"),
    Constant("risk", 0.3, 0.05, 0.8, "a call that fails more often than this seems worse than going on"),
    Constant("prize", 120.0, 10.0, 500.0, "points: what it is worth to be before another seat at the end of the match"),
    Constant(
        "swing", 25.0, 1.0, 200.0, "variance of the difference of two totals, for each point that the match still goes on"
    ),
    Constant("whim", 0.0, 0.0, 1.0, "share of the rollout policy's choices that are random"),
)
THRIFT, RISK, PRIZE, SWING, WHIM = range(5)

ROUND = 8  # points: what a round brings to the total that ends the match, roughly
LOGISTIC = 1.7  # 1 / (1 + exp(-1.7 x)) is near the normal distribution function
TRIES = 16  # draws for each hidden card that `believe` redraws, at most


@jit
def evaluate(s: State, constants: Numbers, out: Numbers) -> None:
    """The chance to end before another seat, the mean over all others, times the prize; by totals, within a round by hands too.

    In the middle of a match this is nearly the number of points that the others have more: totals are like a random walk.
    """
    points = stack_array(MAX_SEATS, np.float64)
    for seat in range(s.seats):
        points[seat] = -s.totals[seat]
        if s.phase < ROUND_OVER and s.dropped[seat] == 0:
            hand = hand_row(s, seat)
            points[seat] += open_worth(hand) if s.phase == DRAW and s.turn == seat else hand_worth(hand)
    reached = stack_array(MAX_SEATS, np.int64)
    reached[:] = 0
    if s.phase == MATCH_OVER:
        places(s, reached)
    width = _width(s, constants)
    for seat in range(s.seats):
        out[seat] = 0.0
        for other in range(s.seats):
            if other == seat:
                continue
            if s.phase == MATCH_OVER:
                ahead = 0.5 * (1 + (reached[seat] < reached[other]) - (reached[seat] > reached[other]))
            elif s.dropped[seat] > 0 or s.dropped[other] > 0:
                ahead = 0.5 * (1 + (s.dropped[other] > 0) - (s.dropped[seat] > 0))
            else:
                ahead = _ahead(points[seat] - points[other], width)
            out[seat] += constants[PRIZE] * ahead / (s.seats - 1)


@jit
def rollout_action(s: State, actions: Words, count: int, constants: Numbers, rng: Words) -> int:
    """The action with the best estimate; with probability `whim` a random one."""
    if constants[WHIM] > 0.0 and chance(rng) < constants[WHIM]:
        return int(actions[below(rng, count)])
    if s.phase == START and actions[0] == CALL and call_failure(s, int(s.turn), constants[THRIFT]) <= constants[RISK]:
        return CALL
    best = -math.inf
    chosen = int(actions[0])
    worth = 0.0
    for i in range(count):
        action = int(actions[i])
        if s.phase == START and action == CALL:
            continue
        if s.phase != START or i == 0 or action >> 6 != actions[i - 1] >> 6:
            worth = _worth(s, action)
        value = worth + _gift(s, action)
        if value > best:
            best = value
            chosen = action
    return chosen


@jit
def prior(s: State, actions: Words, count: int, constants: Numbers, out: Numbers) -> None:
    """What the hand is worth after each action; a call by how often it fails."""
    highest = 0.0
    worth = 0.0
    slope = _slope(s, int(s.turn), constants)
    for i in range(count):
        action = int(actions[i])
        if s.phase == START and action == CALL:
            continue
        if s.phase != START or i == 0 or action >> 6 != actions[i - 1] >> 6:
            worth = _worth(s, action)
        out[i] = slope * (worth + _gift(s, action))
        highest = out[i] if i == 0 or (i == 1 and actions[0] == CALL) else max(highest, out[i])
    if s.phase == START and actions[0] == CALL:
        failure = call_failure(s, int(s.turn), constants[THRIFT])
        out[0] = highest + slope * (constants[RISK] - failure) * call_loss(hand_row(s, int(s.turn)))


@jit
def believe(s: State, seat: int, constants: Numbers, rng: Words) -> None:
    """Redraw the others' cards from this stock: the more points a card has, the less likely it is, as seats shed high cards."""
    if s.phase >= ROUND_OVER or constants[THRIFT] == 0.0:
        return
    tilt = thriftiness(s, constants[THRIFT])
    for player in range(s.seats):
        if player == seat or s.dropped[player] > 0 or (s.phase == SLAP and s.turn == player):
            continue
        for _ in range(_return_hidden(s, player, rng)):
            place = below(rng, int(s.num_stock))
            for _ in range(TRIES):
                if chance(rng) < exponential(-tilt * VALUE[s.stock[place] + 1]):
                    break
                place = below(rng, int(s.num_stock))
            s.num_stock -= 1
            card = int(s.stock[place]) & 63
            s.stock[place] = s.stock[s.num_stock]
            s.stock[s.num_stock] = 0
            put(s, player, card, PLAIN[FRESH])


@jit
def choice_code(_s: State, action: int) -> int:
    """The action itself; never needed, as seats choose in turn."""
    return action


@jit
def private_code(s: State, seat: int) -> int:
    """The own hand, as cards from the stock are seen by their owner alone."""
    return hand_row(s, seat)


@jit
def reopen(_s: State) -> None:
    """Do nothing: seats choose in turn, so no choice has to be taken back."""


@jit
def _worth(s: State, action: int) -> float:
    """What a discard (with its best draw), a draw or a slap is worth to the seat to choose, in points."""
    hand = hand_row(s, int(s.turn))
    if s.phase == SLAP:
        return float(VALUE[s.drawn]) * action
    previous = int(s.previous)
    if s.phase == DRAW:
        if action == STOCK:
            return open_worth(hand)
        place = 0 if action == FIRST else row_length(previous) - 1 if action == LAST else action - LAST
        return taken_worth(hand, card_at(previous, place))
    rest = without(hand, action >> 6)
    first = card_at(previous, 0)
    last = card_at(previous, row_length(previous) - 1)
    worth = max(open_worth(rest), taken_worth(rest, first))
    return max(worth, taken_worth(rest, last)) if last != first else worth


@jit
def _gift(s: State, action: int) -> float:
    """What a discard gives to the next seat, in points, as a negative number."""
    if s.phase != START:
        return 0.0
    hand = hand_row(s, int(s.turn))
    mask = action >> 6
    return gift(hand >> 6 * lowest_bit(mask) & 63 if mask & mask - 1 == 0 else laid_row(hand, action))


@jit
def _return_hidden(s: State, player: int, rng: Words) -> int:
    """Put the cards that a seat has from this stock back into it, at random places; gives their number."""
    hand = hand_row(s, player)
    origins = int(s.origin[player]) & ORIGINS
    row = kept = place = count = 0
    while hand:
        if origins & 3 == FRESH:
            at = below(rng, int(s.num_stock) + 1)
            s.stock[s.num_stock] = s.stock[at]
            s.stock[at] = (hand & 63) - 1
            s.num_stock += 1
            count += 1
        else:
            row |= (hand & 63) << 6 * place
            kept |= (origins & 3) << 2 * place
            place += 1
        hand >>= 6
        origins >>= 2
    s.hand[player] = row
    s.origin[player] = kept
    return count


@jit
def _ahead(difference: float, width: float) -> float:
    """The chance to end before another seat, given a lead of `difference` points now."""
    return 1.0 / (1.0 + exponential(-LOGISTIC * difference / width))


@jit
def _width(s: State, constants: Numbers) -> float:
    """Standard deviation of what will be added to the difference of two totals until the match ends."""
    highest = 0
    for seat in range(s.seats):
        if s.dropped[seat] == 0:
            highest = max(highest, int(s.totals[seat]))
    return math.sqrt(constants[SWING] * (max(0, s.limit - highest) + ROUND))


@jit
def _slope(s: State, seat: int, constants: Numbers) -> float:
    """What one more point is worth to a seat now."""
    width = _width(s, constants)
    total = 0.0
    for other in range(s.seats):
        if other != seat and s.dropped[other] == 0:
            ahead = _ahead(float(s.totals[other] - s.totals[seat]), width)
            total += ahead * (1.0 - ahead)
    return float(constants[PRIZE] * LOGISTIC / width * total / (s.seats - 1))
