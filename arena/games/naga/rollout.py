"""Naga for searches: evaluation, prior and rollout policy (arena/engine/contract.py says what each function is for).

Simulations are cut after one contest, and both hands, as they are in the world, are evaluated. That varies much less than games
that are played to the end, as new cards decide most of the later contests anyway.
"""

import numpy as np

from arena.engine.contract import Constant, Defaults, Numbers
from arena.engine.functions import power
from arena.engine.jit import jit
from arena.engine.machine import lowest_bit, stack_array
from arena.engine.rng import Words, below
from arena.games.naga.estimates import eltam_rule, outlook, single_rule
from arena.games.naga.knowledge import selected, unseen_cards
from arena.games.naga.rules import chooser, contest_strength, field_cards_won
from arena.games.naga.state import (
    CONTESTS,
    DECK,
    DESIGNATE,
    ELTAM,
    GAME_OVER,
    MAX_ACTIONS,
    OPEN,
    SELECT,
    SELECTIONS,
    THREE_OF_FIVE,
    State,
)

DEFAULTS = Defaults(
    selection="ucb",  # regret matching needs many more simulations to be as strong against rule bots
    evaluate=1,  # the next place is chosen, no more
    prior=10.0,
    exploration=0.7,
    expansion=1,
)
MOST_HANDS = 16  # of the opponent that the prior draws
RIVALS = 2 * MOST_HANDS  # strengths: each hand at its strongest, and played at random
CONSTANTS = (
    Constant("hands", 8.0, 2.0, float(MOST_HANDS), "hands of the opponent that the prior draws"),
    Constant("any", 0.1, 0.0, 0.5, "share of these hands that are played at random, not at their strongest"),
    Constant("next", 0.6, 0.0, 1.5, "how much of the edge of kept cards counts in the next contest"),
    Constant("eltam", 1.0, 0.0, 1.5, "how much of the edge of kept cards counts at Eltam, if it comes next"),
    Constant("fade", 0.45, 0.0, 1.0, "what is left of that for each contest before Eltam"),
    Constant("best_place", 0.4, 0.0, 1.0, "how far kept cards count by the best place for them, not by the mean"),
    Constant("moon", 0.654, 0.0, 1.0, "edge in a single contest: one moon among the kept cards"),
    Constant("moons", 0.654, 0.0, 1.0, "edge in a single contest: both moons"),
    Constant("pair", 0.075, 0.0, 0.5, "edge in a single contest: two kept cards of one number"),
    Constant("match", 0.106, 0.0, 0.5, "edge in a single contest: each kept card of the field card's number"),
    Constant("straight", 0.15, 0.0, 0.5, "edge in a single contest: kept cards and field card within a straight"),
    Constant("trump", 0.03, 0.0, 0.2, "edge in a single contest: each kept trump"),
    Constant("flush", 0.18, 0.0, 0.5, "edge in a single contest: kept cards and field card of one attribute"),
    Constant("heaven", 0.011, 0.0, 0.1, "edge in a single contest: each other kept heaven card"),
    Constant("eltam_moon", 0.375, 0.0, 1.0, "edge at Eltam: one moon among the kept cards"),
    Constant("eltam_moons", 0.463, 0.0, 1.0, "edge at Eltam: both moons"),
    Constant("eltam_pair", 0.051, 0.0, 0.5, "edge at Eltam: two kept cards of one number"),
    Constant("eltam_match", 0.13, 0.0, 0.5, "edge at Eltam: each kept card of a field card's number, for each such field card"),
    Constant("eltam_straight", 0.3, 0.0, 0.8, "edge at Eltam: a straight or a flush is there"),
    Constant("eltam_trump", 0.054, 0.0, 0.2, "edge at Eltam: each kept trump"),
    Constant("next_seen", 1.1, 0.0, 1.5, "how much the stronger one of two open hands counts in the next contest"),
    Constant("eltam_seen", 0.9, 0.0, 1.5, "how much the stronger one of two open hands counts at Eltam"),
    Constant("fade_seen", 0.75, 0.0, 1.0, "what is left of that for each contest before Eltam"),
    Constant("choosing", 0.1, 0.0, 0.5, "edge of the seat that chooses the next place"),
)
HANDS, ANY, NEXT, LAST, FADE, BEST_PLACE = range(6)
SINGLE_RULE, ELTAM_RULE = 6, 14
NEXT_SEEN, ELTAM_SEEN, FADE_SEEN, CHOOSING = range(20, 24)

ROLLOUT_HANDS = 3  # hands of the opponent that the rollout policy draws


@jit
def evaluate(s: State, constants: Numbers, out: Numbers) -> None:
    """The chance to win the game (a draw counts half), by the score and by whose hand is stronger at the open places."""
    first, second = field_cards_won(s)
    left = CONTESTS - s.contest
    if s.phase < GAME_OVER and left == 0:
        ahead = _ahead(s, ELTAM)
        first += 3 * (ahead > 0)
        second += 3 * (ahead < 0)
    if s.phase >= GAME_OVER or left == 0:
        out[0] = 0.5 + 0.5 * (int(first > second) - int(first < second))
    else:
        edge = 0.0
        if s.phase == SELECT:
            edge = 0.5 * _ahead(s, int(s.place))
        else:
            for place in range(1, 8):
                if place != ELTAM and s.won[place] == OPEN:
                    edge += 0.5 * _ahead(s, place) / left
            edge += constants[CHOOSING] if chooser(s) == 0 else -constants[CHOOSING]
        eltam = constants[ELTAM_SEEN] * power(constants[FADE_SEEN], left) * 0.5 * _ahead(s, ELTAM)
        out[0] = outlook(first, second, left, constants[NEXT_SEEN] * edge, eltam)
    out[1] = 1.0 - out[0]


@jit
def rollout_action(s: State, actions: Words, count: int, constants: Numbers, rng: Words) -> int:
    """The place at which the own hand is strongest; the selection that does best against a few drawn hands."""
    hand = int(s.hand[s.turn])
    best = -1.0
    chosen = int(actions[0])
    if s.phase == DESIGNATE:
        for i in range(count):
            strength = strongest(s, hand, int(actions[i]))
            if strength > best:
                best = strength
                chosen = int(actions[i])
        return chosen
    values = stack_array(MAX_ACTIONS, np.float64)
    _estimate(s, int(s.place), actions, count, constants, ROLLOUT_HANDS, below(rng, 1 << 30), values)
    for i in range(count):
        if values[i] > best:
            best = values[i]
            chosen = int(actions[i])
    return chosen


@jit
def prior(s: State, actions: Words, count: int, constants: Numbers, out: Numbers) -> None:
    """The chance to win the game, by this contest against drawn hands and by the cards that are kept."""
    hands = int(constants[HANDS])
    start = (int(s.hand[s.turn]) >> 20 ^ int(s.hand[s.turn])) + 7919 * int(s.num_shown) & (1 << 30) - 1
    if s.phase == SELECT:
        _estimate(s, int(s.place), actions, count, constants, hands, start, out)
        return
    values = stack_array(SELECTIONS, np.float64)
    selections = stack_array(SELECTIONS, np.int64)  # of the table itself, which is read-only, calls would be compiled once more
    for i in range(SELECTIONS):
        selections[i] = THREE_OF_FIVE[i]
    for i in range(count):
        _estimate(s, int(actions[i]), selections, SELECTIONS, constants, hands, start, values)
        out[i] = values.max()


@jit
def believe(_s: State, _seat: int, _constants: Numbers, _rng: Words) -> None:
    """Leave the world as it is: all worlds that fit what the seat has seen count as equally likely."""


@jit
def choice_code(s: State, action: int) -> int:
    """The mask of the selected cards."""
    return selected(int(s.hand[s.turn]), action)


@jit
def private_code(s: State, seat: int) -> int:
    """The own hand, as cards are drawn after each contest."""
    return int(s.hand[seat])


@jit
def reopen(s: State) -> None:
    """Take back the selection of seat 0."""
    if s.phase == SELECT:
        s.pending[0] = 0
        s.pending[1] = 0
        s.turn = 0


@jit
def _estimate(
    s: State, place: int, selections: Words, count: int, constants: Numbers, hands: int, start: int, out: Numbers
) -> None:
    """Write what each selection for `place` is worth to the mover. `start`: seed of the numbers that draw the other's hands."""
    hand = int(s.hand[s.turn])
    if place == ELTAM:
        best = strongest(s, hand, place)
        for i in range(count):  # nothing is kept for later
            out[i] = contest_strength(s, selected(hand, int(selections[i])), place) == best
        return
    rivals = stack_array(RIVALS, np.int64)
    draw_hands(s, place, hands, start, rivals)
    first, second = field_cards_won(s)
    mine, theirs = (first, second) if s.turn == 0 else (second, first)
    left = CONTESTS - 1 - s.contest
    part = (1.0 - constants[ANY]) / hands
    any_part = constants[ANY] / hands
    for i in range(count):
        cards = selected(hand, int(selections[i]))
        strength = contest_strength(s, cards, place)
        won = lost = 0.0
        for k in range(hands):
            won += part * (strength > rivals[k]) + any_part * (strength > rivals[hands + k])
            lost += part * (strength < rivals[k]) + any_part * (strength < rivals[hands + k])
        kept = hand & ~cards
        single = constants[NEXT] * _single_edge(s, kept, place, left, constants) if left > 0 else 0.0
        eltam = constants[LAST] * power(constants[FADE], left) * eltam_rule(s, kept, constants, ELTAM_RULE)
        value = 0.0
        if won > 0.0:
            value += won * outlook(mine + 1, theirs, left, single, eltam)
        if lost > 0.0:
            value += lost * outlook(mine, theirs + 1, left, single, eltam)
        if won + lost < 1.0:
            value += (1.0 - won - lost) * outlook(mine, theirs, left, single, eltam)
        out[i] = value


@jit
def _single_edge(s: State, kept: int, contested: int, left: int, constants: Numbers) -> float:
    """What kept cards are worth at the later places: between the mean of these places and the best one."""
    best = -1.0
    total = 0.0
    for place in range(1, 8):
        if s.won[place] == OPEN and place != ELTAM and place != contested:
            edge = single_rule(s, kept, place, constants, SINGLE_RULE)
            total += edge
            best = max(best, edge)
    return float(constants[BEST_PLACE] * best + (1.0 - constants[BEST_PLACE]) * total / left)


@jit
def draw_hands(s: State, place: int, hands: int, start: int, rivals: Words) -> None:
    """Write strengths of drawn hands of the other seat at a place: first each at its strongest, then each played at random."""
    cards = stack_array(DECK, np.int64)
    unseen = unseen_cards(s, s.turn + 0)  # of 64 bits, as `determinize` has it: else compiled twice
    count = 0
    while unseen:
        cards[count] = lowest_bit(unseen)
        count += 1
        unseen &= unseen - 1
    state = start
    for k in range(hands):
        hand = 0
        for i in range(5):
            state = state * 1103515245 + 12345 & (1 << 31) - 1
            j = i + ((state >> 8) * (count - i) >> 23)
            card = cards[j]
            cards[j] = cards[i]
            cards[i] = card
            hand |= 1 << card
        rivals[k] = strongest(s, hand, place)
        at_random = int(THREE_OF_FIVE[(state >> 8) % len(THREE_OF_FIVE)])
        rivals[hands + k] = contest_strength(s, selected(hand, at_random), place)


@jit
def _ahead(s: State, place: int) -> int:
    """1 where seat 0 holds the stronger cards for a place, -1 where seat 1 does, else 0."""
    difference = strongest(s, int(s.hand[0]), place) - strongest(s, int(s.hand[1]), place)
    return int(difference > 0) - int(difference < 0)


@jit
def strongest(s: State, hand: int, place: int) -> int:
    """The strength of the best selection of a hand of five (for Eltam also of three) cards."""
    best = -1
    if place != ELTAM:
        for i in range(len(THREE_OF_FIVE)):
            best = max(best, contest_strength(s, selected(hand, int(THREE_OF_FIVE[i])), place))
        return best
    firsts = hand
    while firsts:
        first = firsts & -firsts
        firsts &= firsts - 1
        seconds = firsts
        while seconds:
            best = max(best, contest_strength(s, first | seconds & -seconds, place))
            seconds &= seconds - 1
    return best
