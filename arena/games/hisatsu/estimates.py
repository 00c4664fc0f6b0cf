"""Estimates for Hisatsu: what each action is worth by what its seat knows. Prior and rollout policy rest on them.

Every seat has the cards 1 to 7 once, so a seat's open cards tell what it may have hidden: the sum of the hidden cards on a
request has an exact distribution if all that fits is equally likely. A claim is worth less the more room it leaves: another
seat with a card that still fits takes it over before the claimant's next turn.
"""

import math

import numpy as np

from arena.engine.contract import Numbers
from arena.engine.functions import exponential
from arena.engine.jit import jit
from arena.engine.machine import popcount, stack_array
from arena.engine.rng import Words
from arena.games.hisatsu.knowledge import hidden_cards, unseen
from arena.games.hisatsu.rules import claim
from arena.games.hisatsu.state import BELOW_SEVEN, FAILURE, TURNS, VALUES, State

# Places in the constants of rollout.py of those that `estimate` reads.
COVER, THRIFT, HIDING, EASE, OPENING, DENIAL, TILT = range(7)

MOST_HIDDEN = 6  # cards on a request
_SUMS = MOST_HIDDEN * (VALUES - 1) + 1
_WAYS = (MOST_HIDDEN + 1) * _SUMS
_ROOMS = VALUES + 1  # game left on a request: 0 to 7, or more
_CHOOSE = np.array([[math.comb(cards, held) for held in range(VALUES + 1)] for cards in range(VALUES + 1)], np.float64)


@jit
def estimate(s: State, actions: Words, count: int, constants: Numbers, out: Numbers) -> None:
    """Write how many points each legal action seems to bring, by the mover's own cards and by what everybody sees."""
    seat = int(s.turn)
    kept = stack_array(_ROOMS, np.float64)
    _chances_to_keep(s, seat, constants[COVER], kept)
    sums = stack_array(_SUMS, np.float64)
    at = -1
    base = 0
    for i in range(count):
        slot = int(actions[i]) // VALUES
        value = int(actions[i]) % VALUES + 1
        if slot == s.seats - 1:
            out[i] = constants[THRIFT] * value
            continue
        if slot != at:
            at = slot
            base = hidden_sums(s, seat, slot, constants[TILT], sums)
        worth = float(s.worth[s.request[slot]])
        space = int(s.hp[s.request[slot]]) - base - value  # for the hidden cards of others
        if s.chips[slot] > 0:
            out[i] = 1.0 + constants[HIDING] * value
            if s.chips[slot] == 1:  # the next seat may claim
                fits = 0.0
                for hidden in range(max(0, min(_SUMS, space))):
                    fits += sums[hidden] * min(1.0, (space - hidden) / VALUES)
                out[i] -= constants[OPENING] * worth * fits
            continue
        expected = 0.0
        holds = 0.0
        for hidden in range(max(0, min(_SUMS, space + 1))):
            expected += sums[hidden] * worth * kept[min(space - hidden, VALUES)]
            holds += sums[hidden]
        out[i] = expected - FAILURE * (1.0 - holds) + constants[EASE] * value
        if claim(s, slot) >= 0:  # a rival's: it does not get what it may have got
            out[i] += constants[DENIAL] * worth * holds


@jit
def turns_left(s: State, seat: int) -> int:
    """How many turns a seat has left, the present one included."""
    place = (seat - int(s.starter) + int(s.seats)) % int(s.seats)
    return TURNS - (int(s.turns) + int(s.seats) - 1 - place) // int(s.seats)


@jit
def hidden_sums(s: State, seat: int, slot: int, tilt: float, sums: Numbers) -> int:
    """Write how likely each sum of the others' hidden cards on a request is; return the sum of all other cards there.

    `tilt`: a card is likelier to be hidden by the factor exp(tilt) for each of its points, as high cards are hard to place.
    """
    for total in range(_SUMS):
        sums[total] = 0.0
    sums[0] = 1.0
    base = 0
    most = 0
    done = 1 << seat
    hidden = hidden_cards(s, slot)
    for i in range(s.num_cards[slot]):
        card = int(s.cards[slot, i])
        if i >= hidden or card >> 3 == seat:
            base += card & 7
        elif not done >> (card >> 3) & 1:
            done |= 1 << (card >> 3)
            number = 0
            for k in range(i, hidden):
                number += int(s.cards[slot, k]) >> 3 == card >> 3
            most = _add_hidden(unseen(s, card >> 3) & BELOW_SEVEN, number, tilt, sums, most)
    return base


@jit
def _add_hidden(candidates: int, number: int, tilt: float, sums: Numbers, most: int) -> int:
    """Add the sum of `number` different candidates to the distribution `sums`. `most`: its largest sum; gives the new one."""
    ways = stack_array(_WAYS, np.float64)  # by the number of cards, then by their sum
    ways[:] = 0.0
    ways[0] = 1.0
    reach = number * (VALUES - 1)
    for value in range(1, VALUES):
        if candidates >> value & 1:
            weight = exponential(tilt * value)
            for cards in range(number, 0, -1):
                for total in range(cards * (VALUES - 1), value - 1, -1):
                    ways[cards * _SUMS + total] += weight * ways[(cards - 1) * _SUMS + total - value]
    whole = 0.0
    for total in range(reach + 1):
        whole += ways[number * _SUMS + total]
    for total in range(most + reach, -1, -1):
        chance = 0.0
        for more in range(max(0, total - most), min(total, reach) + 1):
            chance += sums[total - more] * ways[number * _SUMS + more]
        sums[total] = chance / whole
    return most + reach


@jit
def _chances_to_keep(s: State, seat: int, cover: float, kept: Numbers) -> None:
    """Write the chance to keep a claim until the own next turn, by the game left on the request (last entry: or more)."""
    for room in range(VALUES + 1):
        kept[room] = 1.0
    for other in range(s.seats):
        left = turns_left(s, other)
        if other == seat or left == 0:
            continue
        cards = unseen(s, other)
        count = popcount(cards)
        held = min(left + 1, count)
        for room in range(1, VALUES + 1):
            larger = popcount(cards >> room + 1)
            none = _CHOOSE[larger, held] / _CHOOSE[count, held] if larger >= held else 0.0
            kept[room] *= 1.0 - cover * (1.0 - none)
