"""One match as comparisons of teams, without the order of seats: for the ratings that do not depend on any order.

The same performances and cuts as in factor_graph.py, but as a set of pairs: every team of a place is compared with every team
of the next place (beat by more than the draw margin), and the teams that share a place with each other (within the margin).
Where a match names one loser (Nana Toridori, basic), the winners are not compared with each other.

Expectation propagation (Minka 2001) with all performances of the match as one Gaussian (Cunningham, Hennig and
Lacoste-Julien 2011): for places without ties its fixed point is that of the chain of factor_graph.py; tied teams, whose
comparisons form cycles, need only a few rounds.

A narrow draw margin says far more of a difference than is believed of either team, so nothing here is a difference of large
numbers. The Gaussian is a network of conductors: the precision of a cut joins two teams, and eliminating a team joins those
that it was joined to (star-mesh transform: Gaussian elimination without a subtraction; Grassmann, Taksar and Heyman 1985).
What a cut says is kept as the force with which it moves the two teams, as they stand.
"""

import math

import numpy as np

from arena.engine.jit import jit
from arena.ratings.factor_graph import MAX_SEATS, Reals, Small, Workspace, normal_above, normal_between

MAX_ROUNDS = 500
SMALLEST_DIFFERENCE = 1e-13  # of a difference of two teams, in its standard deviations

# Rows of the workspace: by seat or team, then by pair, then matrices of teams.
TEAM, SIZE, _PLACE = 0, 1, 2
WEIGHT, _BEFORE, _MOVED = 3, 4, 5  # team: precision and mean of its performance before the match; how far the match moves it
_FIRST, _SECOND, _TIED, _MARGIN = 6, 7, 8, 9
_LEFT_OVER, _STEP = 10, 11  # team: the force on it without a cut's own; how far that cut moves it
_CUTS = 12  # precision of the cut of two teams' difference
_FORCES = _CUTS + MAX_SEATS  # the force of that cut on the first team; minus that on the second
_LINKS = _FORCES + MAX_SEATS  # the network, while it is reduced
_SLOPES = _LINKS + MAX_SEATS  # minus the slopes of the teams' scores in their skills
_ROWS = _SLOPES + MAX_SEATS


def new_workspace(seats: int = MAX_SEATS) -> Workspace:
    """Scratch memory for one match of at most so many seats; one per thread. That for the most seats has four megabytes."""
    return np.zeros((_ROWS, max(2 * seats, seats * (seats - 1) // 2)))


@jit
def form(units: Small, places: Small, margin: float, names_loser: bool, work: Workspace) -> tuple[int, int]:
    """Number the teams and list the pairs to compare; returns how many of each.

    `margin`: as in factor_graph.update; `names_loser`: whether a match names one loser: to share place 1 is then to win.
    """
    teams = 0
    for seat in range(len(units)):
        team = teams
        for other in range(seat):
            if units[other] == units[seat]:
                team = int(work[TEAM, other])
        if team == teams:
            work[SIZE, team] = 0.0
            work[_PLACE, team] = places[seat]
            teams += 1
        work[TEAM, seat] = team
        work[SIZE, team] += 1.0
    pairs = 0
    for first in range(teams):
        place = work[_PLACE, first]
        following, best = math.inf, math.inf
        for other in range(teams):
            best = min(best, work[_PLACE, other])
            if work[_PLACE, other] > place:
                following = min(following, work[_PLACE, other])
        has_won = names_loser and place == best and following < math.inf
        for second in range(teams):
            tied = work[_PLACE, second] == place
            if work[_PLACE, second] == following or (tied and second > first and not has_won):
                work[_FIRST, pairs] = first
                work[_SECOND, pairs] = second
                work[_TIED, pairs] = 1.0 if tied else 0.0
                work[_MARGIN, pairs] = margin * math.sqrt(work[SIZE, first] + work[SIZE, second])
                pairs += 1
    return teams, pairs


@jit
def believe(means: Reals, variances: Reals, seats: int, teams: int, work: Workspace) -> None:
    """Set the teams' performances from those of the seats, and forget all cuts."""
    for team in range(teams):
        mean = variance = 0.0
        for seat in range(seats):
            if work[TEAM, seat] == team:
                mean += means[seat]
                variance += variances[seat]
        work[WEIGHT, team] = 1.0 / variance
        work[_BEFORE, team] = mean
        work[_MOVED, team] = 0.0
        for other in range(teams):
            work[_CUTS + team, other] = work[_FORCES + team, other] = 0.0


@jit
def converge(teams: int, pairs: int, smallest_change: float, work: Workspace) -> None:
    """Cut the differences off, one after the other, until they stay as they are; then `score` and `curvature` can be read.

    `smallest_change`: of a difference, in its standard deviations.
    """
    total = 0.0
    for team in range(teams):
        total += work[WEIGHT, team]
    for _ in range(MAX_ROUNDS):
        change = 0.0
        for pair in range(pairs):
            change = max(change, _cut(pair, teams, total, work))
        if change <= smallest_change or pairs == 1:
            break
    _set_slopes(teams, work)


@jit
def score(team: int, teams: int, work: Workspace) -> float:
    """Slope of the log likelihood in the team's skill: the force of all cuts on it."""
    force = 0.0
    for other in range(teams):
        force += work[_FORCES + team, other]
    return force


@jit
def curvature(one: int, other: int, work: Workspace) -> float:
    """Minus the slope of one team's score in another's skill: V^-1 - V^-1 C V^-1, V before and C after the match."""
    return float(work[_SLOPES + one, other])


@jit
def _cut(pair: int, teams: int, total: float, work: Workspace) -> float:
    """Cut one difference off anew; returns how far it moved, in its standard deviations. `total`: of the weights."""
    first, second = int(work[_FIRST, pair]), int(work[_SECOND, pair])
    before = work[_CUTS + first, second]
    work[_CUTS + first, second] = work[_CUTS + second, first] = 0.0
    work[_FORCES + first, second] = work[_FORCES + second, first] = 0.0
    for team in range(teams):
        work[_LEFT_OVER, team] = score(team, teams, work) - work[WEIGHT, team] * work[_MOVED, team]
        for other in range(teams):
            known = work[WEIGHT, team] * work[WEIGHT, other] / total  # where all stand is not known, so not told apart
            work[_LINKS + team, other] = known + work[_CUTS + team, other]
    for team in range(teams):
        if team not in (first, second):
            _eliminate(team, first, second, teams, work)
    precision = work[_LINKS + first, second]  # of the difference without this cut
    offset = 0.5 * (work[_LEFT_OVER, first] - work[_LEFT_OVER, second]) / precision
    apart = work[_BEFORE, first] - work[_BEFORE, second] + (work[_MOVED, first] - work[_MOVED, second]) + offset
    sharpness = math.sqrt(precision)
    margin, place = work[_MARGIN, pair] * sharpness, apart * sharpness
    if work[_TIED, pair] > 0.0:
        moved, left = normal_between(-margin - place, margin - place)
    else:
        moved, left = normal_above(margin - place)
    cut = max(0.0, (1.0 - left) / left * precision)
    step = offset + moved / sharpness
    _follow(first, second, step, teams, total, work)
    work[_CUTS + first, second] = work[_CUTS + second, first] = cut
    work[_FORCES + first, second] = moved * sharpness
    work[_FORCES + second, first] = -moved * sharpness
    return float(max(abs(step) * sharpness, abs(cut - before) / (precision + before)))


@jit
def _eliminate(team: int, first: int, second: int, teams: int, work: Workspace) -> None:
    """Take a team out of the network: those that it is joined to are joined, and share the force on it.

    Teams are taken out in the order of their numbers, but for `first` and `second`, which stay.
    """
    whole = 0.0
    for other in range(teams):
        if other > team or other in (first, second):
            whole += work[_LINKS + team, other]
    for one in range(teams):
        if one > team or one in (first, second):
            share = work[_LINKS + team, one] / whole
            work[_LEFT_OVER, one] += share * work[_LEFT_OVER, team]
            for other in range(teams):
                if other != one and (other > team or other in (first, second)):
                    work[_LINKS + one, other] += share * work[_LINKS + team, other]


@jit
def _follow(first: int, second: int, step: float, teams: int, total: float, work: Workspace) -> None:
    """Move all teams as a difference moves by `step`; the mean of all stays."""
    work[_STEP, first], work[_STEP, second] = step, 0.0
    for team in range(teams - 1, -1, -1):  # as they were taken out, the last first
        if team not in (first, second):
            whole, pulled = 0.0, work[_LEFT_OVER, team]
            for other in range(teams):
                if other > team or other in (first, second):
                    whole += work[_LINKS + team, other]
                    pulled += work[_LINKS + team, other] * work[_STEP, other]
            work[_STEP, team] = pulled / whole
    mean = 0.0
    for team in range(teams):
        mean += work[WEIGHT, team] * work[_STEP, team] / total
    for team in range(teams):
        work[_MOVED, team] += work[_STEP, team] - mean
        for other in range(teams):
            work[_FORCES + team, other] -= work[_CUTS + team, other] * (work[_STEP, team] - work[_STEP, other])


@jit
def _set_slopes(teams: int, work: Workspace) -> None:
    """What the match tells of the teams' skills: the network between them, each joined to its performance by its weight."""
    for team in range(teams):
        for other in range(teams):
            work[_LINKS + team, other] = work[_CUTS + team, other]
            work[_LINKS + team, teams + other] = work[WEIGHT, team] if team == other else 0.0
            work[_SLOPES + team, other] = 0.0
    for team in range(teams):
        whole = 0.0
        for other in range(team + 1, 2 * teams):
            whole += work[_LINKS + team, other]
        for one in range(team + 1, teams):
            share = work[_LINKS + team, one] / whole
            for other in range(team + 1, 2 * teams):
                if other != one:
                    work[_LINKS + one, other] += share * work[_LINKS + team, other]
        for one in range(teams):
            share = work[_LINKS + team, teams + one] / whole
            for other in range(teams):
                if other != one:
                    link = share * work[_LINKS + team, teams + other]
                    work[_SLOPES + one, other] -= link
                    work[_SLOPES + one, one] += link
