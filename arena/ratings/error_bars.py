"""How sure ratings are: covariances over deals, all matches with the same cards being one observation.

A bot's rating solves "sum of all matches' scores + prior = 0", a score being the slope of the match's log likelihood. Matches
that share a deal share its luck, so what is independent are the sums over deals: the covariance is the sandwich
J^-1 (M + P) J^-1 with J = -slope of that equation, M = sum over deals of score score^T, P = precision of the prior, that counts
as one more observation (Huber 1967; White 1980; clusters: Liang and Zeger 1986). Few deals: M is scaled by deals / (deals - 1)
and quantiles are Student's with deals - 1 degrees of freedom.

A bootstrap over deals would give the same for hundreds of times the work; this costs one pass over the rows, and one solution
of as many equations as bots.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from arena.engine.jit import jit
from arena.ratings.comparisons import TEAM, believe, converge, curvature, form, new_workspace, score
from arena.ratings.factor_graph import MAX_SEATS, Bots, Reals, Small, Starts, Workspace
from arena.ratings.models import MODELS
from arena.ratings.rows import Beliefs, Bot, PoolRows
from arena.ratings.settings import RatingSettings

CONFIDENCE = 0.95


@dataclass(frozen=True)
class ErrorBars:
    """Covariance of the ratings of one pool."""

    covariance: NDArray[np.float64]
    """[bots, bots], squared TrueSkill points, over deals."""
    degrees: float
    """The degrees of freedom of Student's distribution: deals - 1; infinite if there are no deals to compare."""
    saved: float
    """Variance had every match its own deal / variance over these deals, mean of all bots; nan below two deals.

    Above 1 where the rotations of a deal cancel its luck; tables that share a deal work against it.
    """

    @classmethod
    def of_sigma(cls, beliefs: Beliefs) -> "ErrorBars":
        """What the beliefs alone say of how sure they are."""
        return cls(np.diag(beliefs.sigma**2), math.inf, math.nan)

    @property
    def quantile(self) -> float:
        """The two-sided 95 % quantile of Student's distribution."""
        return float(special.stdtrit(self.degrees, 0.5 + CONFIDENCE / 2))

    def half_widths(self, anchor: int | None = None) -> NDArray[np.float64]:
        """[bots]: of the 95 % intervals of the ratings less their mean: the prior alone says where the mean is.

        `anchor`: the number of the bot that is fixed in place of the mean.
        """
        bots = len(self.covariance)
        centre = np.eye(bots)
        if anchor is None:
            centre -= 1.0 / max(1, bots)
        else:
            centre[:, anchor] -= 1.0
        return self.quantile * np.sqrt(np.maximum(0.0, np.diag(centre @ self.covariance @ centre)))

    def separable(self, mu: NDArray[np.float64]) -> NDArray[np.bool_]:
        """[bots, bots]: whether the 95 % interval of the two bots' difference leaves out 0."""
        variances = np.diag(self.covariance)
        spread = np.sqrt(np.maximum(0.0, variances[:, None] + variances[None, :] - 2 * self.covariance))
        return np.abs(mu[:, None] - mu[None, :]) > np.where(spread > 0.0, self.quantile * spread, np.inf)


def bars_by(model: str, rows: PoolRows, beliefs: Beliefs, settings: RatingSettings) -> ErrorBars:
    """Error bars of the ratings of a pool by any model."""
    return error_bars(rows, beliefs, settings) if MODELS[model].has_error_bars else ErrorBars.of_sigma(beliefs)


def error_bars(rows: PoolRows, beliefs: Beliefs, settings: RatingSettings) -> ErrorBars:
    """Error bars of the ratings of a pool; below two deals those of the beliefs."""
    bots = len(beliefs.mu)
    deals = len(np.unique(rows.deals))
    if deals < 2:
        return ErrorBars.of_sigma(beliefs)
    order = np.argsort(rows.deals, kind="stable")
    slopes = np.zeros((bots, bots))
    by_deal, by_match = np.zeros((bots, bots)), np.zeros((bots, bots))
    _add_scores(
        beliefs.mu, order, rows.deals, rows.starts, rows.bots, rows.units, rows.places, settings.beta, settings.margin,
        rows.names_winners_only, slopes, by_deal, by_match, new_workspace(),
    )  # fmt: skip
    prior = np.eye(bots) * settings.sigma**-2
    bread = np.linalg.inv(slopes + prior)
    over_deals = by_deal * (deals / (deals - 1))
    covariance = bread @ (over_deals + prior) @ bread
    shared, independent = (float(np.trace(bread @ products @ bread)) for products in (over_deals, by_match))
    return ErrorBars(covariance, deals - 1, independent / shared if shared > 0.0 else math.nan)


def joint_bars(pools: Sequence[tuple[Sequence[Bot], ErrorBars]]) -> tuple[list[Bot], ErrorBars]:
    """The bots that all pools have, and the error bars of their mean ratings: deals of different pools are independent."""
    everywhere = [bot for bot in pools[0][0] if all(bot in bots for bots, _ in pools)] if pools else []
    places = [[list(bots).index(bot) for bot in everywhere] for bots, _ in pools]
    covariance = sum(
        (bars.covariance[np.ix_(chosen, chosen)] for (_, bars), chosen in zip(pools, places)),
        start=np.zeros((len(everywhere), len(everywhere))),
    ) / max(1, len(pools)) ** 2  # fmt: skip
    return everywhere, ErrorBars(covariance, min((bars.degrees for _, bars in pools), default=math.inf), math.nan)


@jit
def play_again(
    mu: Reals, bots: Bots, units: Small, places: Small, beta: float, margin: float, winners_only: bool, work: Workspace
) -> int:
    """Work out the scores of a match between bots of known skills `mu`, to be read from `work`; returns how many teams it has.

    `bots`, `units`, `places`: by seat.
    """
    means, variances = np.zeros(MAX_SEATS), np.full(MAX_SEATS, beta * beta)
    for seat in range(len(bots)):
        means[seat] = mu[bots[seat]]
    teams, pairs = form(units, places, margin, winners_only, work)
    believe(means, variances, len(bots), teams, work)
    converge(teams, pairs, work)
    return teams


@jit
def _add_scores(
    mu: Reals, order: Starts, deals: Bots, starts: Starts, bots: Bots, units: Small, places: Small, beta: float, margin: float,
    winners_only: bool, slopes: Workspace, by_deal: Workspace, by_match: Workspace, work: Workspace,
) -> None:  # fmt: skip
    """Add up -slope, and the products of scores: of whole deals (`order` sorts the matches by deal), and of single matches."""
    scores = np.zeros(len(mu))
    last = -1
    for match in order:
        if deals[match] != last:
            _add_product(scores, by_deal)
            scores[:] = 0.0
            last = deals[match]
        start, end = starts[match], starts[match + 1]
        seats = end - start
        teams = play_again(mu, bots[start:end], units[start:end], places[start:end], beta, margin, winners_only, work)
        for seat in range(seats):
            one, team = bots[start + seat], int(work[TEAM, seat])
            own = score(team, teams, work)
            scores[one] += own
            for mate in range(seats):
                other, second = bots[start + mate], int(work[TEAM, mate])
                by_match[one, other] += own * score(second, teams, work)
                slopes[one, other] += curvature(team, second, work)
    _add_product(scores, by_deal)


@jit
def _add_product(scores: Reals, total: Workspace) -> None:
    for one in range(len(scores)):
        if scores[one] != 0.0:
            for other in range(len(scores)):
                total[one, other] += scores[one] * scores[other]
