"""What an action of Naga promises, for learning programs: the chance to win the contest, and what kept cards are good for.

Searches ask the same. What is said here need not be right, only tell apart what a small network would not: most hands end in
the same few categories, and which of them is stronger decides. So a table says how strong random hands are, a few hands are
drawn from what the seat has not seen, and the rules of estimates.py say what kept cards are good for.
"""

import numpy as np

from arena.engine.contract import Features
from arena.engine.functions import power
from arena.engine.jit import jit
from arena.engine.machine import lowest_bit, popcount
from arena.engine.rng import Words
from arena.games.naga.estimates import eltam_rule, outlook, single_rule
from arena.games.naga.hands import HEAVEN, ILBECK, NUMBERS
from arena.games.naga.rollout import BEST_PLACE, CONSTANTS, ELTAM_RULE, FADE, LAST, NEXT, SINGLE_RULE, draw_hands
from arena.games.naga.rules import field_cards_won
from arena.games.naga.shapes import COLUMNS, NATURALS, ROW
from arena.games.naga.state import CONTESTS, ELTAM, FIRST_CARD, OPEN, TRUMPS, State

EARTHEN, HEAVENLY, TRUMP, MOON = range(4)
"""Kinds of field cards: what hands come of them is much the same for all of a kind."""
QUANTILES = np.array(
    [
        [
            0.102, 0.121, 0.136, 0.15, 0.164, 0.179, 0.198, 0.221, 0.231, 0.26, 0.293, 0.321, 0.35, 0.369, 0.388, 0.398, 0.431,
            0.455, 0.474, 0.483, 0.488, 0.493, 0.498, 0.769,
        ],
        [
            0.107, 0.136, 0.145, 0.155, 0.164, 0.183, 0.198, 0.245, 0.26, 0.264, 0.293, 0.34, 0.355, 0.369, 0.388, 0.398, 0.45,
            0.46, 0.474, 0.483, 0.488, 0.493, 0.498, 0.76,
        ],
        [
            0.107, 0.131, 0.15, 0.169, 0.174, 0.188, 0.198, 0.245, 0.279, 0.293, 0.298, 0.34, 0.369, 0.379, 0.388, 0.398, 0.474,
            0.483, 0.483, 0.488, 0.493, 0.493, 0.498, 0.769,
        ],
        [
            0.374, 0.388, 0.393, 0.398, 0.479, 0.483, 0.483, 0.483, 0.488, 0.488, 0.488, 0.493, 0.493, 0.493, 0.498, 0.498,
            0.498, 0.598, 0.598, 0.598, 0.769, 0.779, 0.788, 0.798,
        ],
    ],
)  # fmt: skip
"""How strong (`shapes.power`) five random cards are at a place with such a field card, at their strongest: the middles of 24
equally large parts, of 20,000 hands each (6,000 for a moon), with the usual options."""
_VALUES = np.array([constant.default for constant in CONSTANTS])
SIZE = 11
"""Numbers of an action: what `write_prospect` writes, and how far it is behind the best action."""
CHANCE, DRAWN, _MEAN, _BEST, _ELTAM, _MOONS, _TRUMPS, _MATCHES, _SUITED, WORTH, BEHIND = range(SIZE)
HANDS = 8  # of the other seat that are drawn
HAND = 5  # cards of it


@jit
def chance(s: State, place: int, strength: float) -> float:
    """About how likely a hand of this strength (`shapes.power`) wins a place with one field card against random cards."""
    field = int(s.field[FIRST_CARD[place]])
    kind = MOON
    if field < ILBECK:
        attribute = field // NUMBERS
        kind = TRUMP if attribute == TRUMPS[place] else HEAVENLY if attribute < HEAVEN else EARTHEN
    beaten = 0.0
    for k in range(QUANTILES.shape[1]):
        beaten += 0.5 * (strength > QUANTILES[kind, k] - 5e-4) + 0.5 * (strength > QUANTILES[kind, k] + 5e-4)
    return float(beaten / QUANTILES.shape[1])


@jit
def drawn_strengths(s: State, seat: int, place: int, out: Words) -> None:
    """Write how strong HANDS hands of cards that the seat has not seen are at a place; `out` has room for RIVALS numbers.

    The same position gives the same hands, whoever asks.
    """
    hand = int(s.hand[seat])
    draw_hands(s, place, HANDS, (hand >> 20 ^ hand) + 7919 * int(s.num_shown) & (1 << 30) - 1, out)


@jit
def beaten(strength: int, strengths: Words) -> float:
    """The share of the drawn hands that a selection beats at their strongest, a tie counting half."""
    total = 0.0
    for k in range(HANDS):
        total += 0.5 * (strength > strengths[k]) + 0.5 * (strength >= strengths[k])
    return total / HANDS


@jit
def write_unseen(s: State, unseen: int, place: int, out: Features, at: int) -> None:
    """Write how many moons, trumps and cards of the field card's number and attribute five unseen cards have on average."""
    share = HAND / max(HAND, popcount(unseen))
    naturals = unseen & NATURALS
    out[at + _MOONS] = share * popcount(unseen >> ILBECK)
    out[at + _TRUMPS] = share * popcount(naturals >> int(TRUMPS[place]) * NUMBERS & ROW)
    field = int(s.field[FIRST_CARD[place]])
    if field < ILBECK:
        out[at + _MATCHES] = share * popcount(naturals & COLUMNS[field % NUMBERS])
        out[at + _SUITED] = share * popcount(naturals >> field // NUMBERS * NUMBERS & ROW)


@jit
def write_prospect(s: State, seat: int, kept: int, place: int, wins: float, out: Features, at: int) -> None:
    """Write from `at` on what kept cards are worth later, and the chance to win the game that comes of them and of `wins`.

    `kept`: the cards that are left, 0 where nothing is selected yet; `wins`: the chance to win the place.
    """
    single = eltam = 0.0
    left = CONTESTS - 1 - s.contest
    if kept and left > 0:
        best = -1.0
        for later in range(1, CONTESTS + 1):
            if s.won[later] == OPEN and later != ELTAM and later != place:
                edge = single_rule(s, kept, later, _VALUES, SINGLE_RULE)
                single += edge
                best = max(best, edge)
        single /= left
        out[at + _MEAN] = single
        out[at + _BEST] = best
    if kept:
        eltam = eltam_rule(s, kept, _VALUES, ELTAM_RULE)
        out[at + _ELTAM] = eltam
    first, second = field_cards_won(s)
    mine, theirs = (first, second) if seat == 0 else (second, first)
    share = _VALUES[BEST_PLACE]
    single = _VALUES[NEXT] * (share * out[at + _BEST] + (1.0 - share) * single)
    eltam *= _VALUES[LAST] * power(_VALUES[FADE], left)
    out[at + WORTH] = wins * outlook(mine + 1, theirs, left, single, eltam) + (1.0 - wins) * outlook(
        mine, theirs + 1, left, single, eltam
    )


@jit
def write_chosen(s: State, cards: int, place: int, row: Features, at: int) -> None:
    """Write from `at` on what the selected cards are: the plane `chosen` of encoding.py."""
    naturals = cards & NATURALS
    row[at] = popcount(naturals >> int(TRUMPS[place]) * NUMBERS & ROW) * (1 / 3)
    row[at + 1] = popcount(naturals & (1 << HEAVEN * NUMBERS) - 1) * (1 / 3)
    matches = 0
    for i in range(FIRST_CARD[place], FIRST_CARD[place + 1]):
        if s.field[i] < ILBECK:
            matches |= naturals & COLUMNS[int(s.field[i]) % NUMBERS]
    row[at + 2] = popcount(matches) * (1 / 3)
    row[at + 3] = popcount(cards >> ILBECK) * 0.5
    row[at + 4] = _mean_number(naturals)


@jit
def write_kept(s: State, kept: int, contested: int, row: Features, at: int, cards_at: int) -> None:
    """Write what the kept cards are: the plane `kept` of encoding.py from `at` on, `kept_cards` from `cards_at` on."""
    naturals = kept & NATURALS
    row[at] = popcount(kept >> ILBECK) * 0.5
    row[at + 1] = popcount(naturals >> int(TRUMPS[ELTAM]) * NUMBERS & ROW) * 0.5
    matches = 0
    for i in range(FIRST_CARD[ELTAM], FIRST_CARD[ELTAM + 1]):
        if s.field[i] < ILBECK:
            matches |= naturals & COLUMNS[int(s.field[i]) % NUMBERS]
    row[at + 2] = popcount(matches) * 0.5
    matches = 0
    for place in range(1, CONTESTS + 1):
        field = int(s.field[FIRST_CARD[place]]) & 63
        if s.won[place] == OPEN and place != ELTAM and place != contested and field < ILBECK:
            matches |= naturals & COLUMNS[field % NUMBERS]
    row[at + 3] = popcount(matches) * 0.5
    if popcount(naturals) == 2:
        first = lowest_bit(naturals)
        second = lowest_bit(naturals & naturals - 1)
        apart = abs(first % NUMBERS - second % NUMBERS)
        row[at + 4] = apart == 0
        row[at + 5] = first // NUMBERS == second // NUMBERS
        row[at + 6] = 0 < apart < 4
    row[at + 7] = _mean_number(naturals)
    while naturals:
        card = lowest_bit(naturals)
        naturals &= naturals - 1
        row[cards_at + card % NUMBERS] += 0.5
        row[cards_at + NUMBERS + card // NUMBERS] += 0.5


@jit
def _mean_number(naturals: int) -> float:
    """The mean number of natural cards, of 7; 0 without cards."""
    total = 0
    count = popcount(naturals)
    while naturals:
        total += 1 + lowest_bit(naturals) % NUMBERS
        naturals &= naturals - 1
    return total / (NUMBERS * max(count, 1))
