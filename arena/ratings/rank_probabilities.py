"""How likely each bot is the best, the second best, ..: from all error bars together, not bot by bot."""

import numpy as np
from numpy.typing import NDArray

from arena.ratings.error_bars import ErrorBars

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
