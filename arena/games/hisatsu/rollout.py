"""Hisatsu for searches: evaluation, prior and rollout policy (arena/engine/contract.py says what each function is for)."""

import numpy as np

from arena.engine.contract import Constant, Defaults, Numbers
from arena.engine.functions import exponential, hyperbolic_tangent
from arena.engine.jit import jit
from arena.engine.machine import stack_array
from arena.engine.rng import Words, below, chance
from arena.games.hisatsu.estimates import estimate
from arena.games.hisatsu.knowledge import count_deals, hidden_cards, nth_deal
from arena.games.hisatsu.rules import claim, is_terminal, score
from arena.games.hisatsu.state import BELOW_SEVEN, MAX_ACTIONS, MAX_SEATS, VALUES, State

DEFAULTS = Defaults(
    selection="ucb",
    evaluate=0,
    prior=20.0,
    exploration=0.7,
    expansion=20,
    habit=1.0,  # opponents whose best choices are searched play as if they saw hidden cards: the longer, the more that harms
)
CONSTANTS = (
    Constant("cover", 0.7, 0.0, 1.0, "how likely a rival takes a claim over when it can"),
    Constant("thrift", 0.03, -0.5, 0.5, "points for each pip of a card that is passed: low cards fit to the end"),
    Constant("hiding", 0.03, -0.5, 0.5, "points for each pip of a card that is hidden"),
    Constant("ease", 0.05, 0.0, 1.0, "points for each pip of a card that claims"),
    Constant("opening", 0.0, 0.0, 1.0, "share of a request that is lost with its last one-point card, as the next seat claims"),
    Constant("denial", 0.0, 0.0, 1.0, "what a request that a rival does not get is worth, as a share of its points"),
    Constant("tilt", 0.2, -1.0, 1.0, "how much likelier a card was hidden for each of its pips, in the prior: exp(tilt)"),
    Constant("belief", 0.4, -1.0, 1.0, "the same in the worlds that are searched"),
    Constant("lead", 4.0, 0.5, 30.0, "points of lead after which more hardly count"),
    Constant("claim", 0.5, 0.0, 1.0, "of a request's points, for the seat whose card lies last on it when a rollout is cut"),
    Constant("whim", 0.0, 0.0, 1.0, "share of the rollout policy's choices that are random"),
)
COVER, THRIFT, HIDING, EASE, OPENING, DENIAL, TILT, BELIEF, LEAD, CLAIM, WHIM = range(11)


@jit
def evaluate(s: State, constants: Numbers, out: Numbers) -> None:
    """A seat's mean lead over the other seats, in points; the larger a lead, the less another point adds, as places count."""
    points = stack_array(MAX_SEATS, np.float64)
    for seat in range(s.seats):
        points[seat] = score(s, seat)
    if not is_terminal(s):
        for slot in range(s.seats - 1):
            claimant = claim(s, slot)
            if claimant >= 0:
                points[claimant] += constants[CLAIM] * s.worth[s.request[slot]]
    for seat in range(s.seats):
        out[seat] = 0.0
        for other in range(s.seats):
            out[seat] += constants[LEAD] * hyperbolic_tangent((points[seat] - points[other]) / constants[LEAD]) / (s.seats - 1)


@jit
def rollout_action(s: State, actions: Words, count: int, constants: Numbers, rng: Words) -> int:
    """The action with the best estimate; with probability `whim` a random one."""
    if constants[WHIM] > 0.0 and chance(rng) < constants[WHIM]:
        return int(actions[below(rng, count)])
    worth = stack_array(MAX_ACTIONS, np.float64)
    estimate(s, actions, count, constants, worth)
    best = 0
    for i in range(1, count):
        if worth[i] > worth[best]:
            best = i
    return int(actions[best])


@jit
def prior(s: State, actions: Words, count: int, constants: Numbers, out: Numbers) -> None:
    """The estimate of each action, in points."""
    estimate(s, actions, count, constants, out)


@jit
def believe(s: State, seat: int, constants: Numbers, rng: Words) -> None:
    """Redraw each hidden card of the others from what its owner may have there; high cards, hard to place, more often."""
    if constants[BELIEF] == 0.0:
        return
    for slot in range(s.seats - 1):
        for i in range(hidden_cards(s, slot)):
            owner = int(s.cards[slot, i]) >> 3
            if owner == seat:
                continue
            value = int(s.cards[slot, i]) & 7
            candidates = int(s.hand[owner]) & BELOW_SEVEN | 1 << value
            total = 0.0
            for card in range(1, VALUES):
                total += (candidates >> card & 1) * exponential(constants[BELIEF] * card)
            left = total * chance(rng)
            drawn = value
            for card in range(1, VALUES):
                if candidates >> card & 1 and left >= 0.0:
                    left -= exponential(constants[BELIEF] * card)
                    drawn = card
            s.hand[owner] = s.hand[owner] & ~(1 << drawn) | (1 << value if drawn != value else 0)
            s.cards[slot, i] = owner * 8 + drawn


@jit
def count_worlds(s: State, seat: int) -> int:
    """The number of ways in which the others' unseen cards may lie."""
    return count_deals(s, seat)


@jit
def nth_world(s: State, seat: int, number: int, constants: Numbers, rng: Words) -> float:
    """Deal them in one of these ways. Its weight: exp(belief) for each pip of their hidden cards, what `believe` tends to."""
    nth_deal(s, seat, number, rng)
    pips = 0
    for slot in range(s.seats - 1):
        for i in range(hidden_cards(s, slot)):
            if int(s.cards[slot, i]) >> 3 != seat:
                pips += int(s.cards[slot, i]) & 7
    return exponential(constants[BELIEF] * pips)


@jit
def choice_code(_s: State, action: int) -> int:
    """The action itself; never needed, as seats choose in turn."""
    return action


@jit
def private_code(_s: State, _seat: int) -> int:
    """Always 0: nobody draws cards, so seats learn from actions alone."""
    return 0


@jit
def reopen(_s: State) -> None:
    """Do nothing: seats choose in turn, so no choice has to be taken back."""
