"""One match as comparisons of teams, without the order of seats: for the ratings that do not depend on any order.

The same performances and cuts as in factor_graph.py, but as a set of pairs: every team of a place is compared with every team
of the next place (beat by more than the draw margin), and the teams that share a place with each other (within the margin).
Where a game names winners and losers only (Nana Toridori), the winners are not compared with each other.

Expectation propagation (Minka 2001) with all performances of the match as one Gaussian (Cunningham, Hennig and
Lacoste-Julien 2011): for places without ties its fixed point is that of the chain of factor_graph.py; tied teams, whose
comparisons form cycles, need only a few rounds.
"""

import math

import numpy as np

from arena.engine.jit import jit
from arena.ratings.factor_graph import MAX_SEATS, Reals, Small, Workspace
from arena.ratings.truncation import above, between

MAX_ROUNDS = 500
SMALLEST_CHANGE = 1e-13  # of a difference of two teams, in its standard deviations

# Rows of the workspace: by seat or team, then by pair, then, from COVARIANCE on, the teams' covariance after the match.
TEAM, SIZE, PLACE = 0, 1, 2
VARIANCE, BEFORE, AFTER = 3, 4, 5  # team: variance and mean of its performance before the match, mean after it
FIRST, SECOND, TIED, MARGIN = 6, 7, 8, 9
_CUT_PRECISION, _CUT_SHIFT = 10, 11  # pair: what the cut says of the difference; shift = precision times mean
_ALONG = 12  # team: column of the covariance along a difference
COVARIANCE = 13
_MAX_PAIRS = MAX_SEATS * (MAX_SEATS - 1) // 2


def new_workspace() -> Workspace:
    """Scratch memory for one match; one per thread."""
    return np.zeros((COVARIANCE + MAX_SEATS, _MAX_PAIRS))


@jit
def form(units: Small, places: Small, margin: float, winners_only: bool, work: Workspace) -> tuple[int, int]:
    """Number the teams and list the pairs to compare; returns how many of each.

    `margin`: as in factor_graph.update; `winners_only`: whether sharing place 1 means to win, not to tie.
    """
    teams = 0
    for seat in range(len(units)):
        team = teams
        for other in range(seat):
            if units[other] == units[seat]:
                team = int(work[TEAM, other])
        if team == teams:
            work[SIZE, team] = 0.0
            work[PLACE, team] = places[seat]
            teams += 1
        work[TEAM, seat] = team
        work[SIZE, team] += 1.0
    pairs = 0
    for first in range(teams):
        place = work[PLACE, first]
        following, best = math.inf, math.inf
        for other in range(teams):
            best = min(best, work[PLACE, other])
            if work[PLACE, other] > place:
                following = min(following, work[PLACE, other])
        has_won = winners_only and place == best and following < math.inf
        for second in range(teams):
            tied = work[PLACE, second] == place
            if work[PLACE, second] == following or (tied and second > first and not has_won):
                work[FIRST, pairs] = first
                work[SECOND, pairs] = second
                work[TIED, pairs] = 1.0 if tied else 0.0
                work[MARGIN, pairs] = margin * math.sqrt(work[SIZE, first] + work[SIZE, second])
                pairs += 1
    return teams, pairs


@jit
def believe(means: Reals, variances: Reals, seats: int, teams: int, pairs: int, work: Workspace) -> None:
    """Set the teams' performances from those of the seats, and forget all cuts."""
    for team in range(teams):
        mean = variance = 0.0
        for seat in range(seats):
            if work[TEAM, seat] == team:
                mean += means[seat]
                variance += variances[seat]
        work[VARIANCE, team] = variance
        work[BEFORE, team] = work[AFTER, team] = mean
        for other in range(teams):
            work[COVARIANCE + team, other] = 0.0
        work[COVARIANCE + team, team] = variance
    for pair in range(pairs):
        work[_CUT_PRECISION, pair] = work[_CUT_SHIFT, pair] = 0.0


@jit
def converge(teams: int, pairs: int, work: Workspace) -> None:
    """Cut the differences off, one after the other, until they stay as they are."""
    for _ in range(MAX_ROUNDS):
        change = 0.0
        for pair in range(pairs):
            change = max(change, _cut(pair, teams, work))
        if change <= SMALLEST_CHANGE or pairs == 1:
            return


@jit
def score(team: int, work: Workspace) -> float:
    """Slope of the log likelihood in the team's skill: how far the match moved its performance, in precisions."""
    return float((work[AFTER, team] - work[BEFORE, team]) / work[VARIANCE, team])


@jit
def curvature(one: int, other: int, work: Workspace) -> float:
    """Minus the slope of one team's score in another's skill: V^-1 - V^-1 C V^-1, V before and C after the match."""
    known = -work[COVARIANCE + one, other] / (work[VARIANCE, one] * work[VARIANCE, other])
    return float(known + 1.0 / work[VARIANCE, one] if one == other else known)


@jit
def _cut(pair: int, teams: int, work: Workspace) -> float:
    """Cut one difference off anew; returns how far it moved, in its standard deviations."""
    first, second = int(work[FIRST, pair]), int(work[SECOND, pair])
    spread = 0.0
    for team in range(teams):
        work[_ALONG, team] = work[COVARIANCE + team, first] - work[COVARIANCE + team, second]
    spread = work[_ALONG, first] - work[_ALONG, second]
    mean = work[AFTER, first] - work[AFTER, second]
    variance = 1.0 / (1.0 / spread - work[_CUT_PRECISION, pair])  # without this cut
    middle = variance * (mean / spread - work[_CUT_SHIFT, pair])
    deviation = math.sqrt(variance)
    margin, place = work[MARGIN, pair] / deviation, middle / deviation
    if work[TIED, pair] > 0.0:
        moved, left = between(-margin - place, margin - place)
    else:
        moved, left = above(margin - place)
    precision = max(0.0, (1.0 - left) / (variance * left))
    shift = (middle + deviation * moved) / (variance * left) - middle / variance
    more, further = precision - work[_CUT_PRECISION, pair], shift - work[_CUT_SHIFT, pair]
    work[_CUT_PRECISION, pair], work[_CUT_SHIFT, pair] = precision, shift
    scale = 1.0 / (1.0 + more * spread)
    step = (further - more * mean) * scale
    for team in range(teams):
        work[AFTER, team] += work[_ALONG, team] * step
        for other in range(teams):
            work[COVARIANCE + team, other] -= work[_ALONG, team] * work[_ALONG, other] * more * scale
    return float(max(abs(step) * deviation, abs(more) * spread))
