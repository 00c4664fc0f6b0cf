"""Ratings of a pool and their error bars without the luck of its matches, which is known from their logs (arena/ratings).

The ratings solve "sum of all deals' scores + prior = 0" (error_bars.py). From a deal's scores s a multiple b of k is taken off,
k being what its luck is expected to do to them. Luck has mean 0 whoever plays and whatever came before, and b follows from
earlier deals alone, so the solution still tends to the same skills. It lies J^-1 (sum of b k) lower, and its sandwich has the
smaller products of s - b k in place of those of s: control variates, used in estimating equations.

Luck is taken to act like a little more skill. So a pair of teams counts in k by what a match of the two tells of their skills:
much if they are equal, and hardly at all if one nearly always wins, whatever its cards.
"""

import math
from dataclasses import dataclass

import numpy as np

from arena.engine.jit import jit
from arena.ratings.comparisons import SIZE, TEAM, new_workspace, score
from arena.ratings.error_bars import FIRST_COEFFICIENT, PRIOR_DEALS, ErrorBars, Told, play_again
from arena.ratings.factor_graph import MAX_SEATS, Bots, Flags, Reals, Small, Starts, Workspace
from arena.ratings.rows import Beliefs, PoolRows
from arena.ratings.settings import RatingSettings

MOST = 2.0  # times the luck: V may be too timid, but not by more
FARTHEST = 8.0  # standard deviations between two teams: beyond them a match tells nothing
_DENSITY = 1.0 / math.sqrt(2.0 * math.pi)  # of the standard normal distribution in its middle


@dataclass(frozen=True)
class Corrected:
    """The ratings of one pool without luck."""

    beliefs: Beliefs
    """The beliefs with other means; sigma stays, which takes every match for an independent draw anyway."""
    bars: ErrorBars
    worth: float
    """How many times as many deals would be as certain without the correction, mean of all bots; nan below two deals."""


def without_luck(
    rows: PoolRows, beliefs: Beliefs, bars: ErrorBars, settings: RatingSettings, anchor: int | None = None
) -> Corrected:  # fmt: skip
    """Take the luck of the rows out of the ratings of the order-free model, and out of their error bars.

    `anchor`: the number of the bot whose rating stays; None: the mean of the field does.
    """
    assert rows.luck is not None
    bots, deals = len(beliefs.mu), len(np.unique(rows.deals))
    if deals < 2:
        return Corrected(beliefs, bars, math.nan)
    told, order = Told.by(rows, beliefs, settings), np.argsort(rows.deals, kind="stable")
    products, total, taken = np.zeros((bots, bots)), np.zeros(bots), np.zeros(bots)
    _add_corrected(
        beliefs.mu, order, rows.deals, rows.starts, rows.bots, rows.units, rows.places, rows.luck, settings.beta,
        told.margin, rows.names_loser, products, total, taken, new_workspace(),
    )  # fmt: skip
    covariance = told.covariance(rows, products - np.outer(total, total) / deals, settings)
    corrected = ErrorBars(covariance, bars.degrees, bars.saved)
    mu = beliefs.mu - told.bread @ taken
    mu += (beliefs.mu - mu)[anchor] if anchor is not None else beliefs.mu.mean() - mu.mean()
    return Corrected(Beliefs(mu, beliefs.sigma, told.margin), corrected, _spread(bars) / _spread(corrected))


def _spread(bars: ErrorBars) -> float:
    """The variances of all bots, from the mean of the field, added up."""
    bots = len(bars.covariance)
    centre = np.eye(bots) - 1.0 / bots
    return float(np.trace(centre @ bars.covariance @ centre))


@jit
def _add_corrected(
    mu: Reals, order: Starts, deals: Bots, starts: Starts, bots: Bots, units: Small, places: Small, luck: Reals, beta: float,
    margin: float, losers: Flags, products: Workspace, total: Reals, taken: Reals, work: Workspace,
) -> None:  # fmt: skip
    """Add up the products and the sum of the deals' corrected scores; and what was taken off them.

    `order` sorts the matches by deal.
    """
    scores, shifts, performances = np.zeros(len(mu)), np.zeros(len(mu)), np.zeros(MAX_SEATS)
    told = np.zeros(3)  # of the deals before: sum of scores times shifts, of squares of shifts; how many they are
    last = -1
    for match in order:
        if deals[match] != last:
            _end_deal(scores, shifts, told, products, total, taken)
            last = deals[match]
        start, end = starts[match], starts[match + 1]
        teams = play_again(mu, bots[start:end], units[start:end], places[start:end], beta, margin, losers[match], work)
        _expect(mu, bots[start:end], luck[start:end], teams, beta, shifts, performances, work)
        for seat in range(end - start):
            one, team = bots[start + seat], int(work[TEAM, seat])
            scores[one] += score(team, teams, work)
    _end_deal(scores, shifts, told, products, total, taken)


@jit
def _expect(
    mu: Reals, bots: Bots, luck: Reals, teams: int, beta: float, shifts: Reals, performances: Reals, work: Workspace
) -> None:
    """Add to `shifts` [bots] what the luck of a match is expected to do to its scores. `performances`: scratch memory."""
    seats = len(bots)
    harmonic = 0.0  # the best of n is about so many times as far from the mean as the best of two
    for rivals in range(1, teams):
        harmonic += 1.0 / rivals
    for team in range(teams):
        performances[team] = 0.0
        for seat in range(seats):
            if work[TEAM, seat] == team:
                performances[team] += mu[bots[seat]]
    for seat in range(seats):
        own = int(work[TEAM, seat])
        for other in range(seats):
            rival = int(work[TEAM, other])
            if rival == own:
                continue
            spread = beta * math.sqrt(work[SIZE, own] + work[SIZE, rival])
            apart = min(FARTHEST, abs(performances[own] - performances[rival]) / spread)
            behind = 0.5 * math.erfc(apart / math.sqrt(2.0))
            density = _DENSITY * math.exp(-0.5 * apart * apart)
            told = density * density / (behind * (1.0 - behind)) / (_DENSITY * spread)
            shifts[bots[seat]] += (luck[seat] - luck[other]) * told * harmonic / teams / work[SIZE, rival]


@jit
def _end_deal(scores: Reals, shifts: Reals, told: Reals, products: Workspace, total: Reals, taken: Reals) -> None:
    """Correct the scores of a deal, add them up, and begin another deal. The coefficient as in error_bars.py."""
    coefficient = FIRST_COEFFICIENT
    if told[1] > 0.0:
        prior = PRIOR_DEALS * told[1] / max(1.0, told[2])
        coefficient = min(MOST, max(0.0, (told[0] + FIRST_COEFFICIENT * prior) / (told[1] + prior)))
    played = False
    for bot in range(len(scores)):
        played = played or scores[bot] != 0.0 or shifts[bot] != 0.0
        told[0] += scores[bot] * shifts[bot]
        told[1] += shifts[bot] * shifts[bot]
        taken[bot] += coefficient * shifts[bot]
        scores[bot] -= coefficient * shifts[bot]
        total[bot] += scores[bot]
    if played:
        told[2] += 1.0
    for one in range(len(scores)):
        if scores[one] != 0.0:
            for other in range(len(scores)):
                products[one, other] += scores[one] * scores[other]
    scores[:] = 0.0
    shifts[:] = 0.0
