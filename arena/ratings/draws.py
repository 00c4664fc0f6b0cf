"""How near two performances must be to tie: the draw margin of a pool, from its own ties.

A margin that is too wide stretches all differences, as a bot is then taken to win by more than it does. So it is the one at
which as many pairs of teams are expected to share a place as do, for skills as they are estimated.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from arena.engine.jit import jit
from arena.ratings.factor_graph import MAX_SEATS, Bots, Flags, Reals, Small, Starts
from arena.ratings.patterns import Patterns
from arena.ratings.settings import DRAW_PROBABILITY, LEAST_DRAW_PROBABILITY, draw_margin

PRIOR_PAIRS = 10.0  # of equal teams, that are taken to have met before, and tied as usual (DRAW_PROBABILITY)
LONGEST_STEP = 4.0  # times the margin: farther off slopes say little
_ROOT_2, _DENSITY = math.sqrt(2.0), 1.0 / math.sqrt(2.0 * math.pi)


@dataclass(frozen=True)
class Ties:
    """The pairs of teams that met in the matches of a pool: which of them tied."""

    patterns: Patterns
    counts: NDArray[np.float64]
    """[patterns]: how many matches are of each."""
    beta: float

    @cached_property
    def tied(self) -> tuple[float, float]:
        """How many pairs have tied, of how many; winners of a match that names one loser are none."""
        tied, met, _, _ = self._at(np.zeros(len(self.patterns.bots_by_number)), 1.0)
        return tied, met

    def margin_of_equals(self) -> float:
        """The margin of the pool if all its bots are equally skilled; also where none have tied, so that skills say nothing."""
        tied, met = self.tied
        share = (tied + PRIOR_PAIRS * DRAW_PROBABILITY) / (met + PRIOR_PAIRS)
        return draw_margin(min(1.0 - LEAST_DRAW_PROBABILITY, max(LEAST_DRAW_PROBABILITY, share)), self.beta)

    def next_margin(self, mu: NDArray[np.float64], margin: float) -> float:
        """Go a step from a margin towards the one of the pool, bots being as skilled as `mu`; as `RatingSettings.margin`."""
        ratio = margin / self.beta
        tied, _, expected, slope = self._at(mu, ratio)
        expected += PRIOR_PAIRS * math.erf(ratio / _ROOT_2)
        slope += PRIOR_PAIRS * 2.0 * _DENSITY * math.exp(-0.5 * ratio * ratio)
        step = (tied + PRIOR_PAIRS * DRAW_PROBABILITY - expected) / max(slope, 1e-300)
        ratio = min(LONGEST_STEP * ratio, max(ratio / LONGEST_STEP, ratio + step))
        least, most = (draw_margin(share, self.beta) for share in (LEAST_DRAW_PROBABILITY, 1.0 - LEAST_DRAW_PROBABILITY))
        return min(most, max(least, ratio * self.beta))

    def _at(self, mu: NDArray[np.float64], ratio: float) -> tuple[float, float, float, float]:
        one = self.patterns
        return _count(mu, self.counts, one.starts, one.bots, one.units, one.places, one.losers, self.beta, ratio)


@jit
def _count(
    mu: Reals, counts: Reals, starts: Starts, bots: Bots, units: Small, places: Small, losers: Flags, beta: float, ratio: float
) -> tuple[float, float, float, float]:
    """Count pairs of teams: those that tied, all, those expected to tie, and the slope of that. `ratio`: margin / beta."""
    tied = met = expected = slope = 0.0
    skills, sizes, firsts = np.zeros(MAX_SEATS), np.zeros(MAX_SEATS), np.zeros(MAX_SEATS, np.int64)
    for pattern in range(len(starts) - 1):
        count, start, end = counts[pattern], starts[pattern], starts[pattern + 1]
        if count == 0.0:
            continue
        teams, best, worst = 0, places[start], places[start]
        for row in range(start, end):
            team = teams
            for other in range(teams):
                if units[firsts[other]] == units[row]:
                    team = other
            if team == teams:
                skills[team] = sizes[team] = 0.0
                firsts[team] = row
                teams += 1
            skills[team] += mu[bots[row]]
            sizes[team] += 1.0
            best, worst = min(best, places[row]), max(worst, places[row])
        for one in range(teams):
            for other in range(one):
                is_tied = places[firsts[one]] == places[firsts[other]]
                if is_tied and losers[pattern] and places[firsts[one]] == best and best < worst:
                    continue  # both have won
                apart = abs(skills[one] - skills[other]) / (beta * math.sqrt(sizes[one] + sizes[other]))
                met += count
                tied += count if is_tied else 0.0
                expected += 0.5 * count * (math.erf((ratio - apart) / _ROOT_2) + math.erf((ratio + apart) / _ROOT_2))
                slope += count * _DENSITY * (math.exp(-0.5 * (ratio - apart) ** 2) + math.exp(-0.5 * (ratio + apart) ** 2))
    return tied, met, expected, slope
