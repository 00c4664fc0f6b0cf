"""How sure Plackett-Luce strengths are: a bootstrap over deals, all matches with the same cards being one observation.

Every draw gives each deal a weight (exponential: Rubin 1981, so no bot is ever without its matches), and the most likely
strengths with those weights are reached by one step of Newton's from the most likely ones of all, with the slopes of the
weighted matches. As in error_bars.py the prior counts as one more observation, what the fit took from the scores of bots with
few deals is put back (both as normal noise, with the slopes of all matches), and quantiles are Student's with each bot's own
degrees of freedom.

The draws are the same for the same matches, in whatever order they were played.
"""

import numpy as np
from scipy import sparse

from arena.engine.rng import derive
from arena.ratings.choices import Likelihood, Reals
from arena.ratings.error_bars import LEAST_DEGREES, LEAST_SHARE, PLAIN_BOTS, ErrorBars, widening
from arena.ratings.patterns import sorted_bots, sorted_numbers
from arena.ratings.plackett_luce import POINTS_PER_LOGIT, Prior, in_one_order, most_likely
from arena.ratings.rows import Beliefs, PoolRows
from arena.ratings.settings import RatingSettings

DRAWS = 400  # the half of an interval is then known to 4 %
MOST_BLOCKS = 4_000  # of more deals, some are put together: that many observations tell all
MOST_NUMBERS = 5_000_000  # that are kept of all blocks
_TOGETHER = 50  # draws: matrices of all bots that are solved at once
_KEY = b"arena ratings plackett-luce"


def error_bars(rows: PoolRows, beliefs: Beliefs, settings: RatingSettings) -> ErrorBars:
    """Error bars of the strengths of a pool, in the points of the settings; below two deals those of the beliefs."""
    if len(np.unique(rows.deals)) < 2:
        return ErrorBars.of_sigma(beliefs)
    own = in_one_order(rows)
    likelihood = Likelihood.of(own)
    prior, bots = Prior(likelihood.bots), likelihood.bots
    order, scale, values = sorted_bots(rows), POINTS_PER_LOGIT * settings.beta, np.zeros(likelihood.parameters)
    values[:bots] = (beliefs.mu[order] - beliefs.mu.mean()) / scale
    told = _Told(own, likelihood, prior, most_likely(likelihood, prior, values))
    covariance = told.covariance(np.random.default_rng(derive(_KEY, "deals")))
    back = sorted_numbers(order)
    return ErrorBars(scale**2 * covariance[np.ix_(back, back)], told.deals - 1, told.saved)


class _Told:
    """What the deals of a pool tell of its bots, whose strengths are the most likely ones."""

    def __init__(self, rows: PoolRows, likelihood: Likelihood, prior: Prior, values: Reals) -> None:
        self._likelihood, self._values = likelihood, values
        self.deals = len(np.unique(rows.deals))
        self._blocks = min(self.deals, MOST_BLOCKS, max(2, MOST_NUMBERS // likelihood.parameters**2))
        self._block = np.unique(rows.deals, return_inverse=True)[1] % self._blocks
        self._prior = np.diag(prior.curvature(values))
        by_match = self._by_match(rows.matches)
        joined = sparse.csr_array((np.ones(rows.matches), (self._block, np.arange(rows.matches))))
        self._scores: Reals = (joined @ by_match).toarray()
        self._known = likelihood.information_by(values, self._block, self._blocks)
        self._information: Reals = self._known.sum(axis=0)
        self._bread = np.linalg.inv(self._information + self._prior).astype(np.float64)
        one, many = ((part @ self._bread)[:, : likelihood.bots] for part in (by_match, self._scores))
        independent, shared = float((one**2).sum()), float((many**2).sum()) * self._blocks / (self._blocks - 1)
        self.saved = independent / shared if shared > LEAST_SHARE * independent else float("nan")

    def covariance(self, stream: np.random.Generator) -> Reals:
        """[bots, bots]: of the strengths less the mean of the field; logits."""
        bots, bread = self._likelihood.bots, self._bread
        spread = bread + bread @ self._prior @ bread
        taken: Reals = sum((known @ spread @ known for known in self._known), start=np.zeros_like(bread))
        squares = (np.diagonal(self._known, axis1=1, axis2=2) ** 2).sum(axis=0)
        by_block = self._scores.T @ self._scores
        dispersion = float((bread * by_block).sum()) + PLAIN_BOTS
        dispersion /= float((bread * (self._information - taken)).sum()) + PLAIN_BOTS
        noise = _root(dispersion * taken + self._prior)
        found = np.concatenate([self._drawn(stream, noise, _TOGETHER) for _ in range(DRAWS // _TOGETHER)])
        known = np.diag(self._information)[:bots]
        from_field = np.eye(bots, len(bread))  # where that is, as in error_bars.py, those say of whom most is known
        from_field[:, :bots] -= known / max(float(known.sum()), 1e-300)
        apart = found @ from_field.T
        covariance = apart.T @ apart / len(apart) * self._blocks / (self._blocks - 1)
        to_errors = from_field @ bread
        parts = (dispersion * (self._information - taken), dispersion * taken)
        observed, assumed = (np.maximum(0.0, np.diag(to_errors @ part @ to_errors.T)) for part in parts)
        own = np.maximum(LEAST_DEGREES, known**2 / np.maximum(squares[:bots], 1e-300) - 1.0)
        scale = widening(observed, assumed, np.minimum(own, self.deals - 1.0), self.deals - 1)
        return np.asarray(covariance * np.outer(scale, scale), np.float64)

    def _drawn(self, stream: np.random.Generator, noise: Reals, draws: int) -> Reals:
        """[draws, parameters]: how far the most likely strengths move with other weights of the deals."""
        weights = stream.standard_exponential((draws, self._blocks))
        pull = (weights - 1.0) @ self._scores
        known = (weights @ self._known.reshape(self._blocks, -1)).reshape(draws, *self._prior.shape) + self._prior
        moved = np.linalg.solve(known, pull[:, :, None])[:, :, 0]
        return np.asarray(moved + stream.standard_normal((draws, len(noise))) @ noise @ self._bread, np.float64)

    def _by_match(self, matches: int) -> sparse.csr_array:
        """[matches, parameters]: the slopes of the log likelihood of each match."""
        likelihood, scores = self._likelihood, self._likelihood.scores(self._values)
        width = likelihood.features.shape[1]
        places = (np.repeat(likelihood.match_of, width), likelihood.features.ravel())
        found = sparse.csr_array((np.repeat(scores, width), places), shape=(matches, likelihood.parameters + 1))
        return found[:, : likelihood.parameters]


def _root(matrix: Reals) -> Reals:
    """A square root of a covariance: rows of independent numbers times it have that covariance."""
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray((vectors * np.sqrt(np.maximum(0.0, values))).T, np.float64)
