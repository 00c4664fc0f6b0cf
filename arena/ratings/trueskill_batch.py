"""TrueSkill over all matches at once: the factor graph of every match, run to convergence. No order matters.

Every match sends each of its bots a message; a bot's belief is its prior times all its messages (expectation propagation,
Minka 2001; the graph of Dangauthier et al., "TrueSkill Through Time" (2007), without time). The fixed point is the same for any
order of the rows, and so is the way there: within a sweep all matches speak on the same beliefs.

Plain sweeps would need hundreds of rounds, because only the prior says where the mean of the field is. So the means are moved
by Newton's step instead, with the slopes of all matches' scores; some ten sweeps are then enough.
"""

import numpy as np

from arena.engine.jit import jit
from arena.ratings.comparisons import (
    AFTER,
    BEFORE,
    COVARIANCE,
    TEAM,
    VARIANCE,
    believe,
    converge,
    curvature,
    form,
    new_workspace,
)
from arena.ratings.factor_graph import MAX_SEATS, Bots, Reals, Small, Starts, Workspace
from arena.ratings.rows import Beliefs, PoolRows
from arena.ratings.settings import RatingSettings

MAX_SWEEPS = 200
LONGEST_STEP = 2.0  # standard deviations of a performance: far from the solution slopes say little
SMALLEST_CHANGE = 1e-9  # of a mean or a standard deviation from sweep to sweep, in standard deviations of a performance


def rate(rows: PoolRows, settings: RatingSettings) -> Beliefs:
    """Beliefs about all bots of a pool after all its matches."""
    count, prior = len(rows.bots_by_number), settings.sigma**-2
    mu, precision = np.full(count, settings.mu), np.full(count, prior)
    said_precision, said_pull = np.zeros(len(rows.bots)), np.zeros(len(rows.bots))
    work, means, variances = new_workspace(), np.zeros(MAX_SEATS), np.zeros(MAX_SEATS)
    for _ in range(MAX_SWEEPS):
        heard, pull, slopes = np.full(count, prior), prior * (settings.mu - mu), np.eye(count) * prior
        _sweep(
            mu, precision, said_precision, said_pull, rows.starts, rows.bots, rows.units, rows.places, settings.beta,
            settings.margin, rows.names_winners_only, heard, pull, slopes, means, variances, work,
        )  # fmt: skip
        step = np.linalg.solve(slopes, pull)
        longest = float(np.max(np.abs(step), initial=0.0))
        step *= min(1.0, LONGEST_STEP * settings.beta / max(longest, 1e-300))
        change = max(longest, float(np.max(np.abs(heard**-0.5 - precision**-0.5), initial=0.0)))
        mu, precision = mu + step, heard
        if change <= SMALLEST_CHANGE * settings.beta:
            break
    return Beliefs(mu, precision**-0.5)


@jit
def _sweep(
    mu: Reals, precision: Reals, said_precision: Reals, said_pull: Reals, starts: Starts, bots: Bots, units: Small,
    places: Small, beta: float, margin: float, winners_only: bool, heard: Reals, pull: Reals, slopes: Workspace, means: Reals,
    variances: Reals, work: Workspace,
) -> None:  # fmt: skip
    """Let every match speak on what all others say: add its messages to `heard`, `pull` and `slopes`.

    A message is kept by row as its precision and its pull = precision * (its mean - mu), which is 0 in sum once all agree.
    """
    for match in range(len(starts) - 1):
        start, end = starts[match], starts[match + 1]
        seats = end - start
        teams, pairs = form(units[start:end], places[start:end], margin, winners_only, work)
        for seat in range(seats):
            row = start + seat
            others = precision[bots[row]] - said_precision[row]
            means[seat] = mu[bots[row]] - said_pull[row] / others
            variances[seat] = 1.0 / others + beta * beta
        believe(means, variances, seats, teams, pairs, work)
        converge(teams, pairs, work)
        for seat in range(seats):
            row, team = start + seat, int(work[TEAM, seat])
            mean = variance = 0.0  # of the team mates
            for mate in range(seats):
                if mate != seat and work[TEAM, mate] == team:
                    mean += means[mate]
                    variance += variances[mate]
                slopes[bots[row], bots[start + mate]] += curvature(team, int(work[TEAM, mate]), work)
            after, before = work[COVARIANCE + team, team], work[VARIANCE, team]
            told = 1.0 / after - 1.0 / before
            told_shift = work[AFTER, team] / after - work[BEFORE, team] / before - mean * told
            spread = 1.0 + told * (variance + beta * beta)
            said_precision[row] = told / spread
            said_pull[row] = told_shift / spread - said_precision[row] * mu[bots[row]]
            heard[bots[row]] += said_precision[row]
            pull[bots[row]] += said_pull[row]
