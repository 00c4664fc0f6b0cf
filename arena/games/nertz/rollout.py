"""Nertz for searches: evaluation, prior and rollout policy (arena/engine/contract.py says what each function is for)."""

import numpy as np

from arena.engine.contract import Constant, Defaults, Numbers
from arena.engine.jit import jit
from arena.engine.machine import lowest_bit, popcount, stack_array
from arena.engine.rng import Words, below, chance
from arena.games.nertz.insight import insight, rival_cards
from arena.games.nertz.layout import ACCEPTS, card_of, from_pile, nertz_top, waste_top
from arena.games.nertz.options import MAX_SEATS
from arena.games.nertz.rules import places
from arena.games.nertz.stakes import add_hopes, call_loses, ends_match
from arena.games.nertz.state import (
    CALL,
    FLIP,
    MATCH_OVER,
    NERTZ_FOUND,
    NERTZ_WORK,
    NO_CARD,
    PILES,
    PLAY,
    WAIT,
    WASTE_WORK,
    WORK_WORK,
    State,
)

DEFAULTS = Defaults(
    selection="ucb",  # a tick is a race more than a guess
    evaluate=40,  # a round takes hundreds of ticks
    prior=30.0,
    exploration=0.5,
    expansion=1,
)
CONSTANTS = (
    Constant("match", 20.0, 0.0, 100.0, "points: what the match is worth at its end"),
    Constant("laid", 1.1, 0.5, 2.0, "points for each card in the middle"),
    Constant("nertz", 1.85, 0.0, 5.0, "points that each card in the Nertz pile costs"),
    Constant("line", 0.36, -1.0, 2.0, "points for each card in stock and waste: some of them will be laid"),
    Constant("slot", 3.2, 0.0, 6.0, "points for each empty work pile"),
    Constant("wanted", 2.3, 0.0, 6.0, "points for each work pile whose top card some foundation takes"),
    Constant("nertz_wanted", 3.4, 0.0, 6.0, "points for an open Nertz card that some foundation takes"),
    Constant("nertz_fits", 2.7, 0.0, 6.0, "points for an open Nertz card that fits onto a work pile"),
    Constant("waste_goes", 0.7, 0.0, 6.0, "points for a waste card that goes to the middle or onto a work pile"),
    Constant("whim", 0.02, 0.0, 1.0, "share of the rollout policy's choices that are random"),
    Constant("patience", 14.0, 5.0, 40.0, "ticks without anybody's progress after which turning the stock is hopeless"),
    Constant("calling", 3.0, 0.0, 10.0, "prior, in points: a call"),
    Constant("nertz_found", 2.7, 0.0, 10.0, "prior: a Nertz card to the middle"),
    Constant("found", 2.1, 0.0, 10.0, "prior: another card to the middle"),
    Constant("gift", 0.2, 0.0, 10.0, "prior: a card to the middle that lets a rival's Nertz card out"),
    Constant("uncover", 1.8, 0.0, 10.0, "prior: between work piles, so that a card for the middle is uncovered"),
    Constant("nertz_work", 0.9, 0.0, 10.0, "prior: a Nertz card to a work pile"),
    Constant("free", 0.84, 0.0, 10.0, "prior: between work piles, so that one is empty"),
    Constant("prepare", 0.8, 0.0, 10.0, "prior: a move after which the Nertz card goes onto a work pile"),
    Constant("waste_work", 0.15, 0.0, 10.0, "prior: a waste card to a work pile"),
    Constant("to_slot", -0.1, -2.0, 2.0, "prior: a card to an empty work pile, beside what the move is worth otherwise"),
    Constant("turn", 0.02, 0.0, 1.0, "prior: turning the stock while there is hope"),
    Constant(
        "idle", -0.1, -2.0, 0.0, "prior: a move between work piles that brings nothing, or turning the stock without hope"
    ),
    Constant("stake", 0.0, 0.0, 1.0, "share of `match` that counts before the match ends; above 0 nobody calls to lose it"),
    Constant("insight", 0.0, 0.0, 1.0, "above 0 the following count, too, in priors and rollouts; they go with `found` 0.4"),
    Constant("contest", 0.6, 0.0, 4.0, "prior: a card to the middle that a rival has open, too"),
    Constant("feeds", -0.2, -4.0, 0.0, "prior: a card to the middle that lets any open card of a rival out"),
    Constant("from_waste", -0.2, -4.0, 0.0, "prior: a waste card to the middle, beside other cards to the middle"),
    Constant("covers", -0.5, -4.0, 0.0, "prior: a waste card onto a work pile whose top card soon goes to the middle"),
    Constant("joins", 1.5, 0.0, 4.0, "prior: a card to a work pile, so that a whole other pile fits onto it"),
)
(
    MATCH, LAID, NERTZ_LEFT, LINE_LEFT, SLOT, WANTED, NERTZ_WANTED, NERTZ_FITS, WASTE_GOES, WHIM, PATIENCE, CALLING,
    NERTZ_TO_FOUND, TO_FOUND, GIFT, UNCOVER, NERTZ_TO_WORK, FREE, PREPARE, WASTE_TO_WORK, TO_SLOT, TURN, IDLE, STAKE, INSIGHT,
) = range(25)  # fmt: skip


@jit
def evaluate(s: State, constants: Numbers, out: Numbers) -> None:
    """How many points the unit has more than the other units on average; within a round also by what it can play.

    In a round that may end the match the chance of places counts as far as `stake` says.

    When the match is over, places count too: a unit that wins by a call (RULES.md 4.5) then counts no fewer points than any.
    """
    total = 0.0
    units = s.seats >> s.teams
    reached = stack_array(MAX_SEATS, np.int64)
    reached[:] = 0
    if s.phase == MATCH_OVER:
        places(s, reached)
    for seat in range(s.seats):
        unit = seat >> s.teams
        out[seat] = s.totals[unit]
        if s.phase == PLAY:
            out[seat] += _standing(s, unit, constants)
        elif reached[seat] == 1:
            for other in range(units):
                out[seat] = max(out[seat], float(s.totals[other]))
        total += out[seat]
    total /= 1 << s.teams
    for seat in range(s.seats):
        out[seat] -= (total - out[seat]) / (units - 1)
    if s.phase == MATCH_OVER:
        for seat in range(s.seats):
            out[seat] += constants[MATCH] * part_behind(s, seat, reached)
    elif constants[STAKE] > 0.0 and ends_match(s):
        add_hopes(s, constants[STAKE] * constants[MATCH], out)


@jit
def part_behind(s: State, seat: int, reached: Words) -> float:
    """The part of the other units' seats that `reached` a worse place; the same place counts half."""
    behind = 0.0
    for other in range(s.seats):
        if other >> s.teams != seat >> s.teams:
            behind += 0.5 * (1 + (reached[seat] < reached[other]) - (reached[seat] > reached[other]))
    return behind / (s.seats - (1 << s.teams))


@jit
def _standing(s: State, unit: int, constants: Numbers) -> float:
    """What the round will bring to a unit, in points.

    Fitted by least squares to rounds between equal players: what is laid, what is left, and what can be played at once.
    """
    value = constants[LAID] * popcount(s.laid[unit]) - constants[NERTZ_LEFT] * s.num_nertz[unit]
    value += constants[LINE_LEFT] * s.num_line[unit]
    accepted = 0
    for i in range(PILES):
        pile = s.work[unit, i]
        if pile == 0:
            value += constants[SLOT]
        else:
            accepted |= ACCEPTS[lowest_bit(pile)]
            value += constants[WANTED] * (s.wanted >> lowest_bit(pile) & 1)
    nertz = nertz_top(s, unit)
    value += constants[NERTZ_WANTED] * (s.wanted >> nertz & 1) + constants[NERTZ_FITS] * (accepted >> nertz & 1)
    return float(value + constants[WASTE_GOES] * ((s.wanted | accepted) >> waste_top(s, unit) & 1))


@jit
def rollout_action(s: State, actions: Words, count: int, constants: Numbers, rng: Words) -> int:
    """The action with the highest prior; with probability `whim` a random one."""
    if chance(rng) < constants[WHIM]:
        return int(actions[below(rng, count)])
    if actions[count - 1] <= FLIP:
        return int(actions[count - 1] if s.stall < constants[PATIENCE] else actions[0])
    legal = 0
    for i in range(count):
        legal |= 1 << int(actions[i])
    best = -1e9
    chosen = WAIT
    rivals = rival_cards(s, s.turn >> s.teams) if constants[INSIGHT] > 0.0 else 0
    for i in range(count):
        value = _worth(s, s.turn, int(actions[i]), legal, constants)
        if constants[INSIGHT] > 0.0:
            value += insight(s, s.turn >> s.teams, int(actions[i]), rivals, constants[INSIGHT + 1 :])
        if value > best:
            best = value
            chosen = int(actions[i])
    return chosen


@jit
def prior(s: State, actions: Words, count: int, constants: Numbers, out: Numbers) -> None:
    """Write the priors by kind of move: cards to the middle first, then the Nertz pile, what frees it, the waste, the stock."""
    legal = 0
    for i in range(count):
        legal |= 1 << int(actions[i])
    rivals = rival_cards(s, s.turn >> s.teams) if constants[INSIGHT] > 0.0 else 0
    for i in range(count):
        out[i] = _worth(s, s.turn, int(actions[i]), legal, constants)
        if constants[INSIGHT] > 0.0:
            out[i] += insight(s, s.turn >> s.teams, int(actions[i]), rivals, constants[INSIGHT + 1 :])


@jit
def _worth(s: State, seat: int, code: int, legal: int, constants: Numbers) -> float:
    """What an action seems to be worth to a seat, in points; `legal`: the mask of all its legal codes."""
    unit = seat >> s.teams
    if code == WAIT:
        return 0.0
    if code == FLIP:
        return float(constants[TURN] if s.stall < constants[PATIENCE] else constants[IDLE])
    if code == CALL:
        return float(constants[IDLE] if constants[STAKE] > 0.0 and call_loses(s, unit) else constants[CALLING])
    if code == NERTZ_FOUND:
        return float(constants[NERTZ_TO_FOUND])
    if code < NERTZ_WORK:
        card = card_of(s, unit, code)
        if _lets_out(s, unit, card):
            return float(constants[GIFT])
        return float(constants[TO_FOUND])
    if code < WORK_WORK:
        pile = s.work[unit, code - NERTZ_WORK & 3]
        slot = constants[TO_SLOT] if pile == 0 else 0.01 * popcount(pile)
        if code < WASTE_WORK:
            return float(constants[NERTZ_TO_WORK] + slot)
        nertz = nertz_top(s, unit)
        if nertz != NO_CARD and ACCEPTS[waste_top(s, unit)] >> nertz & 1:
            return float(constants[PREPARE] + slot)
        return float(constants[WASTE_TO_WORK] + slot)
    return _between(s, unit, code, legal, constants)


@jit
def _between(s: State, unit: int, code: int, legal: int, constants: Numbers) -> float:
    """What a move between work piles is worth: it empties a slot, or it uncovers a card that goes somewhere or is of use."""
    source = from_pile(code)
    left = s.work[unit, source] & -(2 << card_of(s, unit, code))
    nertz = nertz_top(s, unit)
    if left == 0:
        return float(constants[FREE] if nertz != NO_CARD else constants[TURN])
    uncovered = lowest_bit(left)
    if s.wanted >> uncovered & 1:
        return float(constants[UNCOVER])
    if nertz != NO_CARD and ACCEPTS[uncovered] >> nertz & 1 and legal >> NERTZ_WORK & (1 << PILES) - 1 == 0:
        return float(constants[PREPARE])
    return float(constants[IDLE])


@jit
def _lets_out(s: State, unit: int, card: int) -> bool:
    """Whether a card in the middle lets another unit's open Nertz card follow, but no other card that counts."""
    above = card + 4
    if s.wanted >> above & 1 or nertz_top(s, unit) == above:
        return False
    rivals = 0
    for rival in range(s.seats >> s.teams):
        rivals += rival != unit and nertz_top(s, rival) == above
    return rivals > 0


@jit
def believe(_s: State, _seat: int, _constants: Numbers, _rng: Words) -> None:
    """Leave the world as it is: all worlds that fit what the seat has seen count as equally likely."""


@jit
def choice_code(_s: State, action: int) -> int:
    """The action itself: codes name places, and everybody sees which cards lie open there."""
    return action


@jit
def private_code(_s: State, _seat: int) -> int:
    """Always 0: the cards that a seat turns over are left out, as nodes for each of them would be too many."""
    return 0


@jit
def reopen(s: State) -> None:
    """Take back the choices of this tick; moves that take more ticks stay."""
    if s.phase == PLAY:
        for seat in range(s.seats):
            if s.since[seat] == 0:
                s.pending[seat] = 0
                s.due[seat] = 0
        s.turn = 0
