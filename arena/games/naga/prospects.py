"""What an action of Naga promises, for learning programs: the chance to win the contest, and what kept cards are good for.

A search draws the other hand for this; here a table of random hands and the rules of estimates.py answer at once. They need
not be right, only tell apart what a small network would not: most hands end in the same few categories, and which of them is
stronger decides.
"""

import numpy as np

from arena.engine.contract import Features
from arena.engine.functions import power
from arena.engine.jit import jit
from arena.games.naga.estimates import eltam_rule, outlook, single_rule
from arena.games.naga.hands import HEAVEN, ILBECK, NUMBERS
from arena.games.naga.rollout import BEST_PLACE, CONSTANTS, ELTAM_RULE, FADE, LAST, NEXT, SINGLE_RULE
from arena.games.naga.rules import field_cards_won
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
SIZE = 6
"""Numbers of an action: `write_prospect`, and what the best action is ahead."""
_CHANCE, _MEAN, _BEST, _ELTAM, WORTH, BEHIND = range(SIZE)


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
def write_prospect(s: State, seat: int, kept: int, place: int, strength: float, out: Features, at: int) -> None:
    """Write from `at` on what a selection for a place with one field card promises: all but BEHIND.

    `kept`: the cards that are left, 0 where nothing is selected yet; `strength`: of the selection, as `shapes.power` has it.
    Written: the chance to win the place; the edge of the kept cards at the later places, the mean and the best one; at Eltam;
    and the chance to win the game that comes of these.
    """
    wins = chance(s, place, strength)
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
        out[at + _BEST] = best
    if kept:
        eltam = eltam_rule(s, kept, _VALUES, ELTAM_RULE)
    out[at + _CHANCE] = wins
    out[at + _MEAN] = single
    out[at + _ELTAM] = eltam
    first, second = field_cards_won(s)
    mine, theirs = (first, second) if seat == 0 else (second, first)
    share = _VALUES[BEST_PLACE]
    single = _VALUES[NEXT] * (share * out[at + _BEST] + (1.0 - share) * single)
    eltam *= _VALUES[LAST] * power(_VALUES[FADE], left)
    out[at + WORTH] = wins * outlook(mine + 1, theirs, left, single, eltam) + (1.0 - wins) * outlook(
        mine, theirs + 1, left, single, eltam
    )
