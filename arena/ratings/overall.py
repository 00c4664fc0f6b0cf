"""One ranking over several pools: what each bot's skill in a pool is worth on a scale that all pools share.

Points of different pools cannot be added: where skill decides much, the points spread wide, and the widest pool would decide
alone. So each pool is first brought to a scale of its own:

- `standardized`: how many standard deviations a bot is above the field's mean. Mean and spread are those of the true skills:
  the variance of the estimates less that part of it which their errors explain (the method of moments). Numbers are shrunk by
  the share of the variance that is left, so a pool counts as far as skill decides it, and one of luck hardly (James and Stein
  1961; of tests: T. Kelley's regressed scores, 1947). Their errors are not: they say how unsure the share itself is.
- `mean-rank`: the rank that a bot is expected to have, all skills being known as well as they are (N. Laird and T. Louis,
  "Empirical Bayes ranking methods", 1989), in standard deviations of a field's ranks.
- `mean-mu`: the points as they are, as boards had it before there was a choice.

The field is the bots that are ranked: those with matches in every pool. Numbers of pools become one mean, games first, then the
pools of each game, and are shown as 25 + 25/3 z, the scale on which TrueSkill believes in a bot that has not played.

Errors are those over deals (error_bars.py), carried along; the mean and the spread of the field err as well. Pools have no
deals in common.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from arena.ratings.error_bars import ErrorBars, joint_bars
from arena.ratings.rows import Bot
from arena.ratings.settings import LEAST_FIELD, MEAN_MU, MEAN_RANK, RatingSettings

MIDDLE, UNIT = 25.0, 25.0 / 3  # of the scale: z = 0, and one standard deviation more
_LEAST_VARIANCE = 1e-40  # squared points: far below all that settings allow
_ROOT_2_PI = math.sqrt(2.0 * math.pi)


@dataclass(frozen=True)
class PoolSkills:
    """What is known of the bots of one pool; arrays by bot."""

    pool: str
    bots: Sequence[Bot]
    mu: NDArray[np.float64]
    bars: ErrorBars
    matches: NDArray[np.float64]

    def has_played(self) -> NDArray[np.bool_]:
        """Return whether a bot has a match here."""
        played: NDArray[np.bool_] = self.matches > 0
        return played


@dataclass(frozen=True)
class Combined:
    """The bots over all pools."""

    bots: list[Bot]
    """The bots that are ranked: with matches in every pool that counts."""
    mu: NDArray[np.float64]
    """[bots]: on the scale 25 + 25/3 z."""
    bars: ErrorBars
    others: dict[Bot, tuple[float, float]]
    """Bots without a rank: the number of each by the pools that it has played, and its standard deviation."""

    @property
    def sigma(self) -> NDArray[np.float64]:
        """[bots]: the standard error over deals."""
        return np.sqrt(np.diag(self.bars.covariance))


def pool_weights(pools: Iterable[tuple[str, str]], settings: RatingSettings) -> dict[str, float]:
    """Return how much each pool counts: games first, then the pools of each game.

    `pools`: with the game of each, perhaps repeated.
    """
    games: dict[str, set[str]] = {}
    for pool, game in pools:
        games.setdefault(pool, set()).add(game)
    game_of = {pool: " ".join(sorted(found)) for pool, found in games.items()}  # a pool of several games is one of its own
    if settings.overall_rule == MEAN_MU:
        return dict.fromkeys(game_of, 1.0)
    own = {pool: settings.weights.pools.get(pool, 1.0) for pool in game_of}
    found: dict[str, float] = {}
    for pool, game in game_of.items():
        whole = math.fsum(own[other] for other, its in game_of.items() if its == game)
        found[pool] = settings.weights.games.get(game, 1.0) * own[pool] / whole if whole else 0.0
    return found


def combine(pools: Sequence[PoolSkills], settings: RatingSettings, weights: Mapping[str, float]) -> Combined:
    """Make one ranking of some pools. `weights`: by pool; those without one count 1.

    A pool that has no matches, or the weight 0, is not counted.
    """
    counted = [pool for pool in pools if weights.get(pool.pool, 1.0) > 0 and pool.has_played().any()]
    share = {pool.pool: weights.get(pool.pool, 1.0) for pool in counted}
    played = {pool.pool: {bot for bot, has in zip(pool.bots, pool.has_played()) if has} for pool in counted}
    everywhere = [bot for bot in counted[0].bots if all(bot in played[pool.pool] for pool in counted)] if counted else []
    scaled = [_scaled(pool, everywhere, settings) for pool in counted]
    total = math.fsum(share.values())
    mu, covariance = np.zeros(len(everywhere)), np.zeros((len(everywhere), len(everywhere)))
    parts: list[tuple[float, float]] = []
    for one in scaled:
        weight, chosen = share[one.pool] / total, [one.bots.index(bot) for bot in everywhere]
        own = weight**2 * one.covariance[np.ix_(chosen, chosen)]
        mu, covariance = mu + weight * one.points[chosen], covariance + own
        parts.append((float(np.trace(own)), one.degrees))
    others = {bot: _partial(bot, scaled, share, played) for pool in pools for bot in pool.bots if bot not in everywhere}
    bars = ErrorBars(covariance * UNIT**2, _degrees(parts), math.nan)
    return Combined(everywhere, MIDDLE + UNIT * mu, bars, others)


def joined(
    pools: Sequence[PoolSkills], settings: RatingSettings, weights: Mapping[str, float]
) -> tuple[list[Bot], NDArray[np.float64], ErrorBars]:  # fmt: skip
    """The bots with an overall rank, their numbers, and how surely these differ, by the rule of the settings.

    Of one pool alone, that pool's own numbers.
    """
    if len(pools) == 1:
        return list(pools[0].bots), pools[0].mu, pools[0].bars
    if settings.overall_rule != MEAN_MU:
        found = combine(pools, settings, weights)
        return found.bots, found.mu, found.bars
    bots, bars = joint_bars([(pool.bots, pool.bars) for pool in pools])
    places = [[list(pool.bots).index(bot) for bot in bots] for pool in pools]
    means = sum((pool.mu[of] for pool, of in zip(pools, places)), start=np.zeros(len(bots))) / max(1, len(pools))
    return bots, means, bars


@dataclass(frozen=True)
class _Scaled:
    """One pool on the scale that all share; arrays by bot."""

    pool: str
    bots: Sequence[Bot]
    points: NDArray[np.float64]
    covariance: NDArray[np.float64]
    degrees: float


def _scaled(pool: PoolSkills, everywhere: Sequence[Bot], settings: RatingSettings) -> _Scaled:
    """The pool with the ranked bots as its field; with all that have played if too few are ranked."""
    field = [list(pool.bots).index(bot) for bot in everywhere]
    if len(field) < 2:
        field = np.flatnonzero(pool.has_played()).tolist()
    scale = _ranks if settings.overall_rule == MEAN_RANK else _standardized
    points, covariance = scale(pool.mu, pool.bars.covariance, np.array(field))
    return _Scaled(pool.pool, list(pool.bots), points, covariance, pool.bars.degrees)


def _standardized(
    mu: NDArray[np.float64], covariance: NDArray[np.float64], field: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Standard deviations above the field's mean [bots], shrunk, and the covariance of what they were before."""
    bots, count = len(mu), len(field)
    if count < 2:
        return np.zeros(bots), np.zeros((bots, bots))
    from_mean = np.eye(bots)
    from_mean[:, field] -= 1.0 / count
    distances = from_mean @ mu
    observed = float(np.sum(distances[field] ** 2)) / (count - 1)
    errors = (from_mean @ covariance @ from_mean.T)[np.ix_(field, field)]
    of_errors = float(np.trace(errors)) / (count - 1)
    variance = max(observed - of_errors, of_errors, _LEAST_VARIANCE)
    points = distances / math.sqrt(variance)
    slopes, of_scale = from_mean.copy(), 0.0  # in the skills; the relative variance of the spread that they do not show
    if observed - of_errors > of_errors and count >= LEAST_FIELD:  # the spread errs with the skills that it is made of
        of_scale = float(np.sum(errors**2)) / (2 * (count - 1) ** 2 * variance**2)
        shares = np.zeros(bots)
        shares[field] = distances[field] / math.sqrt(observed) / (count - 1)
        slopes -= np.outer(distances / math.sqrt(observed), shares)
    slopes /= math.sqrt(variance)
    skill = max(0.0, observed - of_errors) / max(observed, _LEAST_VARIANCE)
    return skill * points, slopes @ covariance @ slopes.T + of_scale * np.outer(points, points)


def _ranks(
    mu: NDArray[np.float64], covariance: NDArray[np.float64], field: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how far the expected rank is above the middle one, in standard deviations of ranks, and the covariance of that."""
    bots, count = len(mu), len(field)
    if count < 2:
        return np.zeros(bots), np.zeros((bots, bots))
    variances = np.diag(covariance)
    spread = np.sqrt(np.maximum(_LEAST_VARIANCE, variances[:, None] + variances[None, :] - 2 * covariance))
    better = special.ndtr((mu[:, None] - mu[None, :]) / spread)  # how surely the row's bot is above the column's
    density = np.exp(-0.5 * ((mu[:, None] - mu[None, :]) / spread) ** 2) / _ROOT_2_PI / spread
    rivals = np.zeros((bots, bots))
    rivals[:, field] = 1.0
    np.fill_diagonal(rivals, 0.0)
    unit = math.sqrt((count * count - 1) / 12)
    points = (np.sum(rivals * better, axis=1) - np.sum(rivals, axis=1) / 2) / unit
    density *= rivals
    slopes = (np.diag(density.sum(axis=1)) - density) / unit
    return points, slopes @ covariance @ slopes.T


def _degrees(parts: Sequence[tuple[float, float]]) -> float:
    """The degrees of freedom of a sum of estimated variances (Welch 1947; Satterthwaite 1946). `parts`: with those of each."""
    doubt = math.fsum(variance**2 / degrees for variance, degrees in parts if math.isfinite(degrees))
    return math.fsum(variance for variance, _ in parts) ** 2 / doubt if doubt > 0.0 else math.inf


def _partial(
    bot: Bot, scaled: Sequence[_Scaled], share: Mapping[str, float], played: Mapping[str, set[Bot]]
) -> tuple[float, float]:
    """A bot over the pools that it has played: its number and the standard deviation of that."""
    own = [(one, list(one.bots).index(bot)) for one in scaled if bot in played[one.pool]]
    if not own:
        return MIDDLE, UNIT
    total = math.fsum(share[one.pool] for one, _ in own)
    mean = math.fsum(share[one.pool] * float(one.points[number]) for one, number in own) / total
    variance = math.fsum(share[one.pool] ** 2 * float(one.covariance[number, number]) for one, number in own) / total**2
    return MIDDLE + UNIT * mean, UNIT * math.sqrt(variance)
