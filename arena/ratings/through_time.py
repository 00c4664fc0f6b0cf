"""TrueSkill through time over the versions of a bot: versions 1, 2 and 3 are one player at three times, with a drift between.

The matches are those of `trueskill-batch`, all at once and in no order; only what is believed before them differs. There every
version is a stranger; here the first version of a bot is, and each later one is as good as the one before but for a normal step
(Dangauthier et al., "TrueSkill Through Time" (2007); G. Landfried wrote the package `trueskillthroughtime`). So
what one version has shown counts for the next one, and little play of a new version is enough to say whether it is better.

Several versions of one bot may sit at one table, as if each were a player of its own whose belief the others inform.
"""

from collections.abc import Iterable

import msgspec
import numpy as np
from numpy.typing import NDArray

from arena.ratings.comparisons import SMALLEST_DIFFERENCE, new_workspace
from arena.ratings.draws import Ties
from arena.ratings.error_bars import ErrorBars
from arena.ratings.error_bars import error_bars as error_bars_of_slopes
from arena.ratings.factor_graph import MAX_SEATS
from arena.ratings.patterns import Patterns, patterns_of, sorted_bots, sorted_numbers
from arena.ratings.rows import Beliefs, Bot, PoolRows
from arena.ratings.settings import RatingSettings
from arena.ratings.standings import Rated
from arena.ratings.trueskill_batch import (
    DAMPING,
    LONGEST_STEP,
    SMALLEST_CHANGE,
    UNDAMPED,
    anchor_of,
    sweep,
)

DRIFT = 0.5  # betas from a version to the next: 95 % of steps are within one performance's noise
NEWTON_SWEEPS = 200
MAX_SWEEPS = 4000
Reals = NDArray[np.float64]


class Better(msgspec.Struct, frozen=True):
    """How likely a version of a bot is better than an earlier one, in one pool."""

    version: int
    than: int
    """The earlier version."""
    chance: float


def rate(rows: PoolRows, settings: RatingSettings) -> Beliefs:
    """The beliefs about all bots of a pool after all its matches: expectation propagation, run until nothing changes."""
    patterns = patterns_of(rows)
    sweeps = _Sweeps(patterns, prior_precision(patterns.bots_by_number, settings), settings)
    mu, sigma = sweeps.found()
    order, margin = sorted_numbers(sorted_bots(rows)), sweeps.margin
    mu, sigma = mu[order], sigma[order]
    number = anchor_of(rows.bots_by_number, settings)
    if number is not None and settings.anchor is not None:
        return Beliefs(mu - mu[number] + settings.anchor.mu, sigma, margin)  # exactly there
    return Beliefs(mu + settings.mu - (mu.mean() if len(mu) else 0.0), sigma, margin)


def error_bars(rows: PoolRows, beliefs: Beliefs, settings: RatingSettings) -> ErrorBars:
    """Error bars over deals, as those of `trueskill-batch`, with the prior of versions."""
    order, bots = sorted_numbers(sorted_bots(rows)), tuple(sorted(rows.bots_by_number))
    return error_bars_of_slopes(rows, beliefs, settings, prior_precision(bots, settings)[np.ix_(order, order)])


def earlier_versions(rows: PoolRows, bot: Bot) -> list[int]:
    """The earlier versions of a bot that have played in a pool, the newest first; none if it has not played itself."""
    played = {rows.bots_by_number[number] for number in np.unique(rows.bots).tolist()}
    return sorted((version for name, version in played if bot in played and name == bot[0] and version < bot[1]), reverse=True)


def better_than(rated: Rated, bot: Bot, earlier: Iterable[int]) -> tuple[Better, ...]:
    """How likely a version is better than each of these of the same bot; nothing where no numbers came out.

    `rated`: by this model.
    """
    if rated.has_failed:
        return ()
    mu, chances, one = rated.beliefs.mu, rated.bars.chances(rated.beliefs.mu) / 2, rated.bots.index(bot)
    found = []
    for version in earlier:
        other = rated.bots.index((bot[0], version))
        chance = float(chances[one, other])
        found.append(Better(bot[1], version, 1.0 - chance if mu[one] > mu[other] else chance))
    return tuple(found)


def prior_precision(bots: tuple[Bot, ...], settings: RatingSettings) -> Reals:
    """[bots, bots]: the precision of the belief before the first match. `bots`: sorted by name and version."""
    found = np.zeros((len(bots), len(bots)))
    for number, (name, version) in enumerate(bots):
        if number and bots[number - 1][0] == name:
            step = 1.0 / ((version - bots[number - 1][1]) * (DRIFT * settings.beta) ** 2)
            pair = np.array([number - 1, number])
            found[np.ix_(pair, pair)] += step * np.array([[1.0, -1.0], [-1.0, 1.0]])
        else:
            found[number, number] += settings.sigma**-2
    return found


class _Sweeps:
    """The messages of all matches, as in trueskill_batch.py; a match hears of each bot what is believed of it alone."""

    def __init__(self, patterns: Patterns, prior: Reals, settings: RatingSettings) -> None:
        self._patterns, self._prior, self._settings = patterns, prior, settings
        self._counts = np.repeat(patterns.counts, np.diff(patterns.starts))
        self._mu = np.full(len(prior), settings.mu)
        self._said_precision, self._said_pull = np.zeros(len(patterns.bots)), np.zeros(len(patterns.bots))
        self._ties = Ties(patterns, patterns.counts, settings.beta) if settings.draw_probability is None else None
        self.margin = settings.margin if self._ties is None else self._ties.margin_of_equals()

    def found(self) -> tuple[Reals, Reals]:
        """[bots]: means and standard deviations of the beliefs."""
        sigma = self._sigma()
        for number in range(MAX_SWEEPS):
            wider = self._widen()
            step = self._step(1.0 if number < UNDAMPED else DAMPING, is_newton=number < NEWTON_SWEEPS, sigma=sigma)
            before, sigma = sigma, self._sigma()
            self._mu = self._mu + step
            change = np.array([wider, *step, *(sigma - before)])
            if float(np.abs(change).max(initial=0.0)) <= SMALLEST_CHANGE * self._settings.beta:
                break
        return self._mu, sigma

    def _widen(self) -> float:
        """Move the draw margin towards what the ties of the pool say, if it goes by them; returns how far it moved."""
        if self._ties is None or not self._ties.tied[0]:
            return 0.0
        before, self.margin = self.margin, self._ties.next_margin(self._mu, self.margin)
        return self.margin - before

    def _sigma(self) -> Reals:
        return np.sqrt(np.diag(np.linalg.inv(self._precision())))

    def _precision(self) -> Reals:
        """[bots, bots]: the prior and all messages."""
        told = self._counts * self._said_precision
        heard = np.bincount(self._patterns.bots, told, minlength=len(self._prior))
        return np.asarray(self._prior + np.diag(heard), np.float64)

    def _step(self, share: float, *, is_newton: bool, sigma: Reals) -> Reals:
        """Let every match speak on what all others say; returns how far the means then move."""
        patterns, settings = self._patterns, self._settings
        heard, pull, slopes = np.zeros(len(self._mu)), self._prior @ (settings.mu - self._mu), self._prior.copy()
        sweep(
            self._mu, sigma**-2, self._said_precision, self._said_pull, patterns.counts, patterns.starts, patterns.bots,
            patterns.units, patterns.places, patterns.losers, settings.beta, self.margin, share,
            SMALLEST_DIFFERENCE, heard, pull, slopes, np.zeros(MAX_SEATS), np.zeros(MAX_SEATS), new_workspace(),
        )  # fmt: skip
        if is_newton:
            step = np.linalg.solve(slopes, pull)
            longest = float(np.abs(step).max(initial=0.0))
            return np.asarray(step * min(1.0, LONGEST_STEP * settings.beta / max(longest, 1e-300)), np.float64)
        pulled = np.bincount(patterns.bots, self._counts * self._said_pull, minlength=len(self._mu))
        step = np.linalg.solve(self._precision(), self._prior @ (settings.mu - self._mu) + pulled)
        self._said_pull -= self._said_precision * step[patterns.bots]  # messages stay where they are
        return np.asarray(step, np.float64)
