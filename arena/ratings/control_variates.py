"""Taking known luck out of numbers that are observed deal by deal, without bias and without looking ahead.

From the number y of a deal its luck x is taken off, times a coefficient: y - b x. As x has mean 0 whatever came before, so has
b x for every b that follows from earlier deals alone, and the mean of the numbers stays what it was. Only their spread shrinks,
by the share that x explains, once b is near cov(x, y) / var(x).
"""

import numpy as np
from numpy.typing import NDArray

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
