"""Who of the two seats wins a game of Naga, with both hands open: the numbers that a network judges it by.

The network is in the folder `luck` beside this file, made by `arena train naga --luck`; chance.py asks it for the game, and
reckons what that is worth in the series. Seats are counted from the one that chooses the place, and never by their numbers.
"""

import itertools
from collections.abc import Mapping

import numpy as np

from arena.engine.contract import Actions, Features, Numbers
from arena.engine.jit import jit
from arena.engine.machine import popcount, stack_array
from arena.engine.options import OptionValue
from arena.games.naga.estimates import ELTAM_CARDS, ONLY_SINGLES, OUTLOOKS, eltam_rule, single_rule
from arena.games.naga.hands import HEAVEN, ILBECK, KOCELTER, NUMBERS, strength
from arena.games.naga.knowledge import selected
from arena.games.naga.rollout import CONSTANTS, ELTAM_RULE, SINGLE_RULE, strongest
from arena.games.naga.rules import chooser, field_cards_won, field_mask
from arena.games.naga.shapes import NATURALS, RUNS_4, grade, hand_shape
from arena.games.naga.state import (
    CONTESTS,
    ELTAM,
    FIRST_CARD,
    GAME_OVER,
    MAJORITY,
    OPEN,
    SELECT,
    SELECTIONS,
    THREE_OF_FIVE,
    TRUMPS,
    State,
)

LEARNS = (2,)
LUCKY = 0.5
"""Share of the moments after a chance event that become rows: a game has few of them."""
_SINGLES = CONTESTS - 1

# A place: whether it is there; whether the first seat's best cards for it are stronger, the second's; how strong both are; what
# that is worth as it stands; trumps, and cards of the field card's number, in each hand.
_PLACE = 10
_NEXT = 7  # of the place that comes first, if its best cards are played there: what both keep for other places and for Eltam
_ELTAM = 11
_HAND = 12
_MOMENT = 6 + 2 * (MAJORITY + 1) + CONTESTS
_AT, _PLACES, _KEPT, _LAST, _FIRST, _SECOND, WIN_FEATURES = itertools.accumulate(
    (_MOMENT, _SINGLES * _PLACE, 2 * _NEXT, _ELTAM, _HAND, _HAND), initial=0
)
_RULES = np.array([constant.default for constant in CONSTANTS])
_CONSTANTS = len(_RULES)
_TABLE = ELTAM + 4  # of numbers by place
_PAIRS = 2 * _TABLE
_BOTH = 2 * SELECTIONS


@jit
def win_features(s: State, pair: int, out: Features) -> int:
    """Write the numbers of the two seats in a game that goes on; gives first seat << 4 | second seat, or -1 for another pair.

    The first seat is the one that chooses the place of this contest, at Eltam the one that would.
    """
    if pair > 0 or s.phase >= GAME_OVER:
        return -1
    for i in range(WIN_FEATURES):
        out[i] = 0.0
    own = chooser(s)
    other = 1 - own
    seats = field_cards_won(s)
    mine, theirs = (seats[0], seats[1]) if own == 0 else (seats[1], seats[0])
    left = CONTESTS - int(s.contest)  # single places
    swing = 0.0
    last = OUTLOOKS[mine + ELTAM_CARDS, theirs, ONLY_SINGLES + left] - OUTLOOKS[mine, theirs + ELTAM_CARDS, ONLY_SINGLES + left]
    if left > 0:
        swing = OUTLOOKS[mine + 1, theirs, left - 1] - OUTLOOKS[mine, theirs + 1, left - 1]
    out[_AT] = 2.0 * OUTLOOKS[mine, theirs, left] - 1.0
    out[_AT + 1] = swing
    out[_AT + 2] = last
    out[_AT + 3] = (mine - theirs) / 4
    out[_AT + 4] = s.phase == SELECT
    out[_AT + 5] = s.majority
    out[_AT + 6 + min(mine, MAJORITY)] = 1.0
    out[_AT + 6 + MAJORITY + 1 + min(theirs, MAJORITY)] = 1.0
    out[_AT + 6 + 2 * (MAJORITY + 1) + left] = 1.0
    _write_places(s, own, other, swing, out)
    _write_eltam(s, own, other, left, last, out)
    _write_hand(s, own, _FIRST, out)
    _write_hand(s, other, _SECOND, out)
    return own << 4 | other


def asks(_resolved: Mapping[str, OptionValue]) -> bool:
    """Whether the network is asked in matches with these options: in all."""
    return True


@jit
def _best_selection(s: State, selections: Actions, place: int) -> tuple[int, int]:
    """The strength of the best selection for a single place, and its cards."""
    best = -1
    cards = 0
    field = field_mask(s, place)
    for chosen in selections:
        found = strength(chosen | field, 4, int(TRUMPS[place]), s.none_compare, s.moon_class, s.moon_duplicate)
        if found > best:
            best = found
            cards = chosen
    return best, cards


@jit
def _write_places(s: State, own: int, other: int, swing: float, out: Features) -> None:
    """Write the open single places, those at which the first seat has most ahead first; a place that is chosen comes first."""
    edges = stack_array(_TABLE, np.float64)
    edges[:] = -9.0
    stronger = stack_array(_PAIRS, np.int64)  # the first hand's at 2 * place, the second's behind it; the next two likewise
    powers = stack_array(_PAIRS, np.float64)
    taken = stack_array(_PAIRS, np.int64)
    selections = stack_array(_BOTH, np.int64)  # those of the first hand, then those of the second
    for side in range(2):
        for i in range(SELECTIONS):
            selections[side * SELECTIONS + i] = selected(int(s.hand[own if side == 0 else other]), int(THREE_OF_FIVE[i]))
    rules = stack_array(_CONSTANTS, np.float64)  # of the table itself, which is read-only, calls would be compiled once more
    for i in range(_CONSTANTS):
        rules[i] = _RULES[i]
    count = 0
    for place in range(1, 8):
        if place == ELTAM or s.won[place] != OPEN:
            continue
        count += 1
        for side in range(2):
            at = 2 * place + side
            own_selections = selections[side * SELECTIONS : (side + 1) * SELECTIONS]
            stronger[at], taken[at] = _best_selection(s, own_selections, place)
            powers[at] = grade(stronger[at], 4, s.none_compare, s.moon_class)
        edges[place] = powers[2 * place] - powers[2 * place + 1] + 2.0 * (s.place == place)
    for slot in range(count):
        place = int(np.argmax(edges))
        edges[place] = -10.0
        first = 2 * place
        at = _PLACES + slot * _PLACE
        ahead = int(stronger[first] > stronger[first + 1]) - int(stronger[first] < stronger[first + 1])
        out[at] = 1.0
        out[at + 1] = ahead > 0
        out[at + 2] = ahead < 0
        out[at + 3] = 2.0 * powers[first]
        out[at + 4] = 2.0 * powers[first + 1]
        out[at + 5] = swing * ahead
        field = int(s.field[FIRST_CARD[place]])
        for side in range(2):
            hand = int(s.hand[own if side == 0 else other])
            out[at + 6 + side] = popcount(hand >> NUMBERS * TRUMPS[place] & (1 << NUMBERS) - 1) / 2
            out[at + 8 + side] = _alike(hand, field)
        if slot == 0:
            for side in range(2):
                kept = int(s.hand[own if side == 0 else other]) & ~taken[first + side]
                _write_kept(s, kept, place, rules, _KEPT + side * _NEXT, out)


@jit
def _alike(hand: int, field: int) -> float:
    """How many cards of a hand have the number of a field card, halved."""
    if field >= ILBECK:
        return 0.0
    count = 0
    for attribute in range(NUMBERS):
        count += hand >> NUMBERS * attribute + field % NUMBERS & 1
    return count / 2


@jit
def _write_kept(s: State, kept: int, contested: int, rules: Numbers, at: int, out: Features) -> None:
    """Write what two kept cards are worth at the later places: the best one, the mean, and Eltam; and what they are."""
    best = -1.0
    total = 0.0
    count = 0
    for place in range(1, 8):
        if s.won[place] == OPEN and place != ELTAM and place != contested:
            edge = single_rule(s, kept, place, rules, SINGLE_RULE)
            total += edge
            best = max(best, edge)
            count += 1
    if count > 0:
        out[at] = 2.0 * best
        out[at + 1] = 2.0 * total / count
    out[at + 2] = 2.0 * eltam_rule(s, kept, rules, ELTAM_RULE)
    out[at + 3] = kept >> ILBECK & 1
    out[at + 4] = kept >> KOCELTER & 1
    _, _, _, _, most, suited = hand_shape(kept & NATURALS)
    out[at + 5] = most == 2
    out[at + 6] = suited == 2


@jit
def _write_eltam(s: State, own: int, other: int, left: int, last: float, out: Features) -> None:
    """Write how strong both hands are at Eltam, as they are."""
    strengths = stack_array(2, np.int64)
    for side in range(2):
        hand = int(s.hand[own if side == 0 else other])
        strengths[side] = strongest(s, hand, ELTAM)
        out[_LAST + side] = 2.0 * grade(strengths[side], 5, s.none_compare, s.moon_class)
        out[_LAST + 2 + side] = popcount(hand >> NUMBERS * TRUMPS[ELTAM] & (1 << NUMBERS) - 1) / 2
        for i in range(FIRST_CARD[ELTAM], FIRST_CARD[ELTAM + 1]):
            out[_LAST + 4 + side] += _alike(hand, int(s.field[i]))
    ahead = int(strengths[0] > strengths[1]) - int(strengths[0] < strengths[1])
    out[_LAST + 6] = ahead > 0
    out[_LAST + 7] = ahead < 0
    out[_LAST + 8] = last * ahead
    out[_LAST + 9] = last * ahead * (left == 0)
    out[_LAST + 10] = last * ahead * (left == 1)


@jit
def _write_hand(s: State, seat: int, at: int, out: Features) -> None:
    """Write what a hand holds: moons, cards of heaven, of one number, of one attribute, in a row."""
    hand = int(s.hand[seat])
    moons = hand >> ILBECK
    _, _, row, pairs, most, suited = hand_shape(hand & NATURALS)
    out[at] = moons & 1
    out[at + 1] = moons >> 1
    out[at + 2] = moons == 3
    out[at + 3] = popcount(hand & (1 << NUMBERS * HEAVEN) - 1) / 3
    out[at + 4] = most == 2
    out[at + 5] = most >= 3
    out[at + 6] = suited == 3
    out[at + 7] = suited >= 4
    out[at + 8] = RUNS_4[row, 0] == 3
    out[at + 9] = RUNS_4[row, 0] == 4
    out[at + 10] = popcount(pairs) >= 2
    out[at + 11] = popcount(hand) / 5
