"""The standard normal distribution cut off: means and variances, exact in the tails.

TrueSkill needs them for "beat by more than the draw margin" (`above`) and "within the draw margin" (`between`); in the words
of Herbrich, Minka and Graepel (2006): mean = V, variance = 1 - W, of `above` for a win and of `between` for a draw.

Textbook formulas divide densities by differences of tail probabilities: both underflow beyond some 38 standard deviations, and
1 - W loses its digits long before. Here tails go through the scaled complementary error function, and short or far
intervals through Gauss-Legendre quadrature, so that no two large numbers are subtracted.
"""

import math

import numpy as np

from arena.engine.jit import jit

_ROOT_2 = math.sqrt(2.0)
_ROOT_2_PI = math.sqrt(2.0 * math.pi)
_ROOT_PI_2 = math.sqrt(math.pi / 2.0)
_TAIL = 4.0  # standard deviations from where on Laplace's continued fraction of the tail has all digits
_TERMS = 40  # of it
_OVERFLOW = -37.0
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(32)
_SHORT = 0.05  # length of an interval from which on differences of tail probabilities keep their digits near the middle
_NEAR = 5.0  # standard deviations up to which they do
_STEEP = 40.0  # fall of the log density along an interval from which on its far end no longer counts


@jit
def above(low: float) -> tuple[float, float]:
    """Mean and variance of a standard normal variable that is above `low`."""
    if low > _TAIL:
        second = low
        for term in range(_TERMS, 2, -1):
            second = low + term / second
        second = 2.0 / second
        first = 1.0 / (low + second)
        return low + first, first * (second - first)
    mean = 1.0 / _near_mills_ratio(low)
    return mean, 1.0 - mean * (mean - low)


@jit
def between(low: float, high: float) -> tuple[float, float]:
    """Mean and variance of a standard normal variable between `low` and `high`."""
    if low + high < 0.0:  # mirrored, so that the far end is `high`
        mean, variance = _between(-high, -low)
        return -mean, variance
    return _between(low, high)


@jit
def mills_ratio(x: float) -> float:
    """Tail probability above x divided by the density at x."""
    if x > _TAIL:
        return 1.0 / above(x)[0]
    return _near_mills_ratio(x)


@jit
def _near_mills_ratio(x: float) -> float:
    return _ROOT_PI_2 * math.exp(0.5 * x * x) * math.erfc(x / _ROOT_2) if x > _OVERFLOW else math.inf


@jit
def _between(low: float, high: float) -> tuple[float, float]:
    """`between` where the far end is `high`."""
    length = high - low
    fall = 0.5 * length * (low + high)
    if fall > _STEEP and low > 0.0:
        return above(low)
    if length < _SHORT or low > _NEAR:
        return _by_quadrature(low, length)
    tail = math.exp(-fall)  # density at the far end, that at the near end being 1
    mass = mills_ratio(low) - tail * mills_ratio(high) if low > -_NEAR else _mass(low, high)
    if low <= -_NEAR:
        at_low, at_high = math.exp(-0.5 * low * low) / _ROOT_2_PI, math.exp(-0.5 * high * high) / _ROOT_2_PI
        mean = (at_low - at_high) / mass
        return mean, 1.0 + (low * at_low - high * at_high) / mass - mean * mean
    mean = (1.0 - tail) / mass
    return mean, 1.0 + (low - high * tail) / mass - mean * mean


@jit
def _mass(low: float, high: float) -> float:
    return 0.5 * (math.erfc(low / _ROOT_2) - math.erfc(high / _ROOT_2))


@jit
def _by_quadrature(low: float, length: float) -> tuple[float, float]:
    """Moments about the near end; the density falls by at most exp(-_STEEP) along the interval."""
    half = 0.5 * length
    mass = first = 0.0
    for i in range(len(_NODES)):
        step = half * (1.0 + _NODES[i])
        density = _WEIGHTS[i] * math.exp(-step * (low + 0.5 * step))
        mass += density
        first += density * step
    mean = first / mass
    second = 0.0
    for i in range(len(_NODES)):
        step = half * (1.0 + _NODES[i])
        second += _WEIGHTS[i] * math.exp(-step * (low + 0.5 * step)) * (step - mean) * (step - mean)
    return low + mean, second / mass
