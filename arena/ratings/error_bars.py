"""How sure ratings are: covariances over deals, all matches with the same cards being one observation.

A bot's rating solves "sum of all matches' scores + prior = 0", a score being the slope of the match's log likelihood. Matches
that share a deal share its luck, so what is independent are the sums over deals: the covariance is the sandwich
J^-1 (M + P) J^-1 with J = -slope of that equation, M = sum over deals of score score^T, P = precision of the prior, that counts
as one more observation (Huber 1967; White 1980; clusters: Liang and Zeger 1986).

The ratings are fitted to the scores, which so are too small: by deals / (deals - 1) if all bots play all deals, and of a bot
with one deal hardly anything is left, however many deals there are. What is missing of M is, to first order, the sum over
deals of K (J^-1 + J^-1 P J^-1) K, if a deal's scores vary as its information K says, times one dispersion for the pool. It is
added (as Morel, Bokossa and Neerchal 2003 add one amount for all), so a bot's error goes from what the model believes to what
its deals show. Quantiles are Student's with deals - 1 degrees of freedom; the errors of bots whose own deals tell of less are
widened (Satterthwaite 1946).

A bootstrap over deals would give the same for hundreds of times the work, and fail for the bots with one deal; this costs two
passes over the rows, and one solution of as many equations as bots.

The same holds for shares and means over deals, whose intervals are here too, and for ranks: how likely each bot is the best,
the second best, .. follows from all error bars together, not bot by bot.

Known luck can be taken out of numbers that are observed deal by deal, without bias and without looking ahead.

From the number y of a deal its luck x is taken off, times a coefficient: y - b x. As x has mean 0 whatever came before, so has
b x for every b that follows from earlier deals alone, and the mean of the numbers stays what it was. Only their spread shrinks,
by the share that x explains, once b is near cov(x, y) / var(x).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import special

from arena.engine.jit import jit
from arena.ratings.comparisons import SMALLEST_DIFFERENCE, TEAM, believe, converge, curvature, form, new_workspace, score
from arena.ratings.factor_graph import MAX_SEATS, Bots, Flags, Reals, Small, Starts, Workspace
from arena.ratings.patterns import Patterns, patterns_of
from arena.ratings.rows import Beliefs, Bot, PoolRows
from arena.ratings.settings import RatingSettings


def half_width(values: NDArray[np.floating], deals: NDArray[np.integer]) -> float:
    """Half the width of the 95 % interval of the mean of `values`, which belong to `deals`; nan below two deals."""
    sums = np.bincount(deals, values - values.mean(dtype=np.float64))
    played = int(np.sum(np.bincount(deals) > 0))
    if played < 2:
        return math.nan
    spread = np.sqrt(np.sum(sums**2) * played / (played - 1)) / len(values)
    return float(special.stdtrit(played - 1, 0.5 + CONFIDENCE / 2) * spread)


def share_interval(shares: NDArray[np.floating]) -> tuple[float, float]:
    """The 95 % interval of the mean of `shares`, each between 0 and 1 and from a deal of its own.

    Two deals that were never played are counted as well, one won and one lost, so that a few equal results do not look
    certain (A. Agresti and B. Caffo, "Simple and effective confidence intervals", 2000).
    """
    all_shares = np.concatenate([shares, [0.0, 1.0]])
    mean = float(all_shares.mean())
    width = half_width(all_shares, np.arange(len(all_shares)))
    return max(0.0, mean - width), min(1.0, mean + width)


Numbers = NDArray[np.float64]

FIRST_COEFFICIENT = 0.75
"""The coefficient of the first deal: luck is estimated on the scale of y, and estimates rather promise too much."""
PRIOR_DEALS = 8.0
"""How many deals of typical luck the first coefficient counts as."""


def coefficients(numbers: Numbers, luck: Numbers) -> Numbers:
    """[deals]: the coefficient of each deal, from 0 to 1, from earlier deals alone.

    `numbers`, `luck`: [deals], or [deals, bots] for one coefficient of all bots, nan where a bot did not play.
    """
    y, x = (np.reshape(np.asarray(given, np.float64), (len(given), -1)) for given in (numbers, luck))
    known = ~np.isnan(y) & ~np.isnan(x)
    y, x = np.where(known, y, 0.0), np.where(known, x, 0.0)
    played = _before(known.astype(np.float64))
    mean = _before(y) / np.maximum(1.0, played)  # of earlier deals: each y is held against it
    products = _before(x * (y - mean)).sum(axis=1)
    squares = _before(x * x).sum(axis=1)
    prior = PRIOR_DEALS * squares / np.maximum(1.0, np.arange(len(y)))
    found = np.full(len(y), FIRST_COEFFICIENT)
    np.divide(products + FIRST_COEFFICIENT * prior, squares + prior, out=found, where=squares > 0.0)
    result: Numbers = np.clip(found, 0.0, 1.0)
    return result


def without_luck(numbers: Numbers, luck: Numbers) -> Numbers:
    """The numbers less their luck, each with its coefficient; shapes as in `coefficients`."""
    found = coefficients(numbers, luck)
    result: Numbers = numbers - (found if numbers.ndim == 1 else found[:, None]) * luck
    return result


def _before(values: Numbers) -> Numbers:
    """The sums over all earlier deals."""
    sums: Numbers = np.zeros_like(values)
    np.cumsum(values[:-1], axis=0, out=sums[1:])
    return sums


CONFIDENCE = 0.95
LEAST_SHARE = 1e-6  # of a variance, that is left over deals: what is below it comes of rounding, and no ratio is made of it
LEAST_DEGREES = 2.0  # of freedom of a bot's own deals: fewer make intervals too wide, as simulated (tests/lab/coverage.py)
PLAIN_BOTS = 1.0  # that many bots are taken to have had matches independent of each other, beside those that the deals tell of


@dataclass(frozen=True)
class ErrorBars:
    """Covariance of the ratings of one pool."""

    covariance: NDArray[np.float64]
    """[bots, bots], squared TrueSkill points, over deals."""
    degrees: float
    """The degrees of freedom of Student's distribution: deals - 1; infinite if there are no deals to compare."""
    saved: float
    """Variance had every match its own deal / variance over these deals, mean of all bots; nan below two deals, and where all
    deals end alike, so that nothing of the variance is left.

    Above 1 where the rotations of a deal cancel its luck; tables that share a deal work against it.
    """

    @classmethod
    def of_sigma(cls, beliefs: Beliefs) -> "ErrorBars":
        """Return what the beliefs alone say of how sure they are."""
        return cls(np.diag(beliefs.sigma**2), math.inf, math.nan)

    @property
    def quantile(self) -> float:
        """The two-sided 95 % quantile of Student's distribution."""
        return float(special.stdtrit(self.degrees, 0.5 + CONFIDENCE / 2))

    def half_widths(
        self, anchor: int | None = None, has_played: NDArray[np.bool_] | None = None
    ) -> NDArray[np.float64]:  # fmt: skip
        """[bots]: of the 95 % intervals of the ratings less their mean: the prior alone says where the mean is.

        `anchor`: the number of the bot that is fixed in place of the mean; `has_played` [bots]: whose mean it is (all), as
        nobody is less sure of a bot because another one will come.
        """
        bots = len(self.covariance)
        centre = np.eye(bots)
        if anchor is None and has_played is not None and has_played.any():
            centre[:, has_played] -= 1.0 / has_played.sum()
        elif anchor is None:
            centre -= 1.0 / max(1, bots)
        else:
            centre[:, anchor] -= 1.0
        return self.quantile * np.sqrt(np.maximum(0.0, np.diag(centre @ self.covariance @ centre.T)))

    def separable(self, mu: NDArray[np.float64]) -> NDArray[np.bool_]:
        """[bots, bots]: whether the 95 % interval of the two bots' difference leaves out 0: one look at one pair."""
        return self.chances(mu) < 1.0 - CONFIDENCE

    def separable_at_once(self, mu: NDArray[np.float64]) -> NDArray[np.bool_]:
        """[bots, bots]: which pairs are separable if all are looked at: with 95 % all of these are rightly so.

        To draw the largest difference from the covariance (not as `at_once` does) makes brackets at most 8 % narrower, for many
        times the work and numbers that a stream decides.
        """
        apart, pairs = np.zeros((len(mu), len(mu)), np.bool_), np.triu_indices(len(mu), 1)
        apart[pairs] = at_once(self.chances(mu)[pairs])
        return apart | apart.T

    def chances(self, mu: NDArray[np.float64]) -> NDArray[np.float64]:
        """[bots, bots]: how likely two equal bots would differ by as much as these; 1 where nothing says how unsure that is."""
        errors = self._of_differences()
        ratio = np.divide(np.abs(mu[:, None] - mu[None, :]), errors, out=np.zeros_like(errors), where=errors > 0.0)
        return np.asarray(2.0 * special.stdtr(self.degrees, -ratio), np.float64)

    def _of_differences(self) -> NDArray[np.float64]:
        """[bots, bots]: the standard error of two bots' difference."""
        variances = np.diag(self.covariance)
        return np.sqrt(np.maximum(0.0, variances[:, None] + variances[None, :] - 2 * self.covariance))


def at_once(chances: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which differences are surely there if all of these are looked at: with 95 % all of them are.

    Each is held to the error that those more certain than it leave (S. Holm, "A simple sequentially rejective multiple test
    procedure", 1979), however errors depend on each other.
    """
    order, found = np.argsort(chances, kind="stable"), np.zeros(len(chances), np.bool_)
    is_sure = chances[order] < (1.0 - CONFIDENCE) / np.arange(len(chances), 0, -1)
    found[order] = np.logical_and.accumulate(is_sure)
    return found


def error_bars(
    rows: PoolRows, beliefs: Beliefs, settings: RatingSettings, prior: NDArray[np.float64] | None = None
) -> ErrorBars:  # fmt: skip
    """Error bars of the ratings of a pool; below two deals those of the beliefs.

    `prior` [bots, bots]: the precision of what was believed before; None: of each bot, apart from the others, by the settings.
    """
    deals = len(np.unique(rows.deals))
    if deals < 2:
        return ErrorBars.of_sigma(beliefs)
    told = Told.by(rows, beliefs, settings)
    if prior is not None:
        told = replace(told, bread=np.linalg.inv(told.information + prior).astype(np.float64))
    by_deal, by_match = told.products(rows)
    covariance = told.covariance(rows, by_deal, settings, prior)
    bread = told.bread
    shared, independent = (float(np.trace(bread @ products @ bread)) for products in (by_deal * deals / (deals - 1), by_match))
    return ErrorBars(covariance, deals - 1, independent / shared if shared > LEAST_SHARE * independent else math.nan)


@dataclass(frozen=True)
class Told:
    """What the matches of a pool tell of its bots, who are as skilled as their ratings say."""

    margin: float
    """The draw margin of the beliefs."""
    order: NDArray[np.int64]
    """[matches]: the matches, deal by deal."""
    patterns: Patterns
    numbers: NDArray[np.int32]
    """[seats]: the number in the pool of the bot of each seat of a pattern."""
    scores: NDArray[np.float64]
    """[seats]: the score of the bot of each seat of a pattern."""
    curvatures: NDArray[np.float64]
    """[seats, most seats]: minus the slope of that score in the skills of the bots of all seats of the pattern."""
    information: NDArray[np.float64]
    """[bots, bots]: minus the slopes of the sum of all scores."""
    bread: NDArray[np.float64]
    """[bots, bots]: the inverse of that with the precision of the prior."""

    @classmethod
    def by(cls, rows: PoolRows, beliefs: Beliefs, settings: RatingSettings) -> "Told":
        """Work out every pattern once."""
        patterns, bots = patterns_of(rows), len(beliefs.mu)
        number = {bot: place for place, bot in enumerate(rows.bots_by_number)}
        numbers = np.array([number[bot] for bot in patterns.bots_by_number], np.int32)[patterns.bots]
        most = int(np.diff(patterns.starts).max(initial=1))
        scores, curvatures = np.zeros(len(numbers)), np.zeros((len(numbers), most))
        information = np.zeros((bots, bots))
        margin = settings.margin_of(beliefs)
        _work_out(
            beliefs.mu, patterns.starts, numbers, patterns.units, patterns.places, patterns.losers, patterns.counts,
            settings.beta, margin, scores, curvatures, information, new_workspace(),
        )  # fmt: skip
        bread = np.linalg.inv(information + np.eye(bots) * settings.sigma**-2).astype(np.float64)
        order = np.argsort(rows.deals, kind="stable")
        return cls(margin, order, patterns, numbers, scores, curvatures, information, bread)

    def products(self, rows: PoolRows) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """[bots, bots]: the products of scores, of whole deals and of single matches, added up."""
        by_deal, by_match = np.zeros_like(self.bread), np.zeros_like(self.bread)
        patterns = self.patterns
        _add_scores(
            self.order, rows.deals, patterns.of_match, patterns.starts, self.numbers, self.scores, patterns.counts, by_deal,
            by_match,
        )  # fmt: skip
        return by_deal, by_match

    def covariance(
        self, rows: PoolRows, by_deal: NDArray[np.float64], settings: RatingSettings, prior: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:  # fmt: skip
        """[bots, bots]: the sandwich for these products of the deals' scores, with what the fit took from them put back."""
        bread, deals = self.bread, len(np.unique(rows.deals))
        prior = np.eye(len(bread)) * settings.sigma**-2 if prior is None else prior
        taken, squares = np.zeros_like(bread), np.zeros(len(bread))
        patterns = self.patterns
        _add_taken(
            self.order, rows.deals, patterns.of_match, patterns.starts, self.numbers, self.curvatures,
            bread + bread @ prior @ bread, taken, squares,
        )  # fmt: skip
        dispersion = float(np.sum(bread * by_deal)) + PLAIN_BOTS
        dispersion /= float(np.sum(bread * (self.information - taken))) + PLAIN_BOTS
        known = np.diag(self.information)
        from_field = np.eye(len(bread)) - known / max(float(known.sum()), 1e-300)  # only the prior says where that is
        to_errors = from_field @ bread
        whole, likely, left_out = (
            to_errors @ part @ to_errors.T
            for part in (by_deal + dispersion * taken + prior, dispersion * (self.information - taken), dispersion * taken)
        )
        own = np.maximum(LEAST_DEGREES, known**2 / np.maximum(squares, 1e-300) - 1.0)  # so many more equal deals tell as much
        observed, assumed = (np.maximum(0.0, np.diag(part)) for part in (likely, left_out))  # what is 0 may be less by rounding
        scale = widening(observed, assumed, np.minimum(own, deals - 1.0), deals - 1)
        return np.asarray(whole * np.outer(scale, scale), np.float64)


def widening(
    observed: NDArray[np.float64], assumed: NDArray[np.float64], own: NDArray[np.float64], pool: int
) -> NDArray[np.float64]:  # fmt: skip
    """[bots]: how much wider Student's interval is than by the pool's degrees of freedom.

    `observed`, `assumed` [bots]: the part of a variance that a bot's own deals show, with the degrees `own` [bots], and the
    part that has those of the whole pool.
    """
    doubt = observed**2 / own + assumed**2 / pool
    degrees = np.divide((observed + assumed) ** 2, doubt, out=np.full_like(own, pool), where=doubt > 0.0)
    wide, plain = (special.stdtrit(given, 0.5 + CONFIDENCE / 2) for given in (np.minimum(degrees, pool), pool))
    return np.asarray(wide / plain, np.float64)


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
    mu: Reals, bots: Bots, units: Small, places: Small, beta: float, margin: float, names_loser: bool, work: Workspace
) -> int:
    """Work out the scores of a match between bots of known skills `mu`, to be read from `work`; returns how many teams it has.

    `bots`, `units`, `places`: by seat. `names_loser`: as in `form`.
    """
    means, variances = np.zeros(MAX_SEATS), np.full(MAX_SEATS, beta * beta)
    for seat in range(len(bots)):
        means[seat] = mu[bots[seat]]
    teams, pairs = form(units, places, margin, names_loser, work)
    believe(means, variances, len(bots), teams, work)
    converge(teams, pairs, SMALLEST_DIFFERENCE, work)
    return teams


@jit
def _work_out(
    mu: Reals, starts: Starts, bots: Bots, units: Small, places: Small, losers: Flags, counts: Reals, beta: float,
    margin: float, scores: Reals, curvatures: Workspace, information: Workspace, work: Workspace,
) -> None:  # fmt: skip
    """Write the scores and the curvatures of all patterns, and add up the curvatures of all matches."""
    for pattern in range(len(starts) - 1):
        start, end = starts[pattern], starts[pattern + 1]
        teams = play_again(mu, bots[start:end], units[start:end], places[start:end], beta, margin, losers[pattern], work)
        for seat in range(end - start):
            team = int(work[TEAM, seat])
            scores[start + seat] = score(team, teams, work)
            for mate in range(end - start):
                known = curvature(team, int(work[TEAM, mate]), work)
                curvatures[start + seat, mate] = known
                information[bots[start + seat], bots[start + mate]] += counts[pattern] * known


@jit
def _add_scores(
    order: Starts, deals: Bots, of_match: Starts, starts: Starts, bots: Bots, scores: Reals, counts: Reals, by_deal: Workspace,
    by_match: Workspace,
) -> None:  # fmt: skip
    """Add up the products of scores: of whole deals (`order` sorts the matches by deal), and of single matches."""
    for pattern in range(len(starts) - 1):
        for seat in range(starts[pattern], starts[pattern + 1]):
            for mate in range(starts[pattern], starts[pattern + 1]):
                by_match[bots[seat], bots[mate]] += counts[pattern] * scores[seat] * scores[mate]
    whole = np.zeros(len(by_deal))
    last = -1
    for match in order:
        if deals[match] != last:
            _add_product(whole, by_deal)
            whole[:] = 0.0
            last = deals[match]
        for seat in range(starts[of_match[match]], starts[of_match[match] + 1]):
            whole[bots[seat]] += scores[seat]
    _add_product(whole, by_deal)


@jit
def _add_product(scores: Reals, total: Workspace) -> None:
    for one in range(len(scores)):
        if scores[one] != 0.0:
            for other in range(len(scores)):
                total[one, other] += scores[one] * scores[other]


@jit
def _add_taken(
    order: Starts, deals: Bots, of_match: Starts, starts: Starts, bots: Bots, curvatures: Workspace, spread: Workspace,
    taken: Workspace, squares: Reals,
) -> None:  # fmt: skip
    """Add up K spread K over the deals, K being the curvature of one, and the squares of K's diagonal."""
    count = len(taken)
    known, half = np.zeros((count, count)), np.zeros((count, count))
    here, own, last = np.zeros(count, np.int64), 0, -1
    is_here = np.zeros(count, np.bool_)
    for match in order:
        if deals[match] != last:
            _end_taken(known, half, here, own, is_here, spread, taken, squares)
            own, last = 0, deals[match]
        start, end = starts[of_match[match]], starts[of_match[match] + 1]
        for seat in range(start, end):
            if not is_here[bots[seat]]:
                is_here[bots[seat]] = True
                here[own] = bots[seat]
                own += 1
            for mate in range(start, end):
                known[bots[seat], bots[mate]] += curvatures[seat, mate - start]
    _end_taken(known, half, here, own, is_here, spread, taken, squares)


@jit
def _end_taken(
    known: Workspace, half: Workspace, here: Starts, own: int, is_here: Flags, spread: Workspace, taken: Workspace,
    squares: Reals,
) -> None:  # fmt: skip
    """Add the product of one deal, between the `own` bots that played it, and forget the deal.

    Most bots did not meet in the deal, so most of `known` is 0.
    """
    for i in range(own):
        squares[here[i]] += known[here[i], here[i]] ** 2
        for j in range(own):
            half[j, i] = 0.0
        for k in range(own):
            share = known[here[i], here[k]]
            if share != 0.0:
                for j in range(own):
                    half[j, i] += share * spread[here[k], here[j]]
    for j in range(own):
        for k in range(own):
            share = known[here[k], here[j]]
            if share != 0.0:
                for i in range(own):
                    taken[here[j], here[i]] += half[k, i] * share  # symmetric
    for i in range(own):
        is_here[here[i]] = False
        for j in range(own):
            known[here[i], here[j]] = 0.0


SAMPLES = 10_000  # a probability of one half is then known to half a percentage point


def rank_probabilities(
    mu: NDArray[np.float64], bars: ErrorBars, rng: np.random.Generator, samples: int = SAMPLES
) -> NDArray[np.float64]:
    """[bots, ranks]: the probability of each rank; rows and columns add up to 1.

    Draws the true skills of all bots at once around `mu` [bots], with the covariance over deals (bots that met on the same
    deals err together) and Student's tails of `bars`, and counts the orders. A rank is that of mu, not of mu - 3 sigma.
    """
    bots = len(mu)
    if not bots:
        return np.zeros((0, 0))
    values, vectors = np.linalg.eigh(bars.covariance)
    root = vectors * np.sqrt(np.maximum(0.0, values))
    errors = rng.standard_normal((samples, bots)) @ root.T
    if np.isfinite(bars.degrees):
        errors /= np.sqrt(rng.chisquare(bars.degrees, samples) / bars.degrees)[:, None]
    order = np.argsort(-(mu + errors), axis=1)
    counts = np.zeros((bots, bots))
    for rank in range(bots):
        counts[:, rank] = np.bincount(order[:, rank], minlength=bots)
    return counts / samples
