"""The factor graph of one TrueSkill match, compiled: skill -> performance -> team -> differences of neighbours in rank.

Herbrich, Minka and Graepel, "TrueSkill: A Bayesian Skill Rating System" (2006), with the message schedule of the `trueskill`
package, so that the numbers are the package's (with exact normal functions). A message is a Gaussian as precision and
precision times mean.

Here is also the standard normal distribution cut off: means and variances, exact in the tails.

TrueSkill needs them for "beat by more than the draw margin" (`above`) and "within the draw margin" (`between`); in the words
of Herbrich, Minka and Graepel (2006): mean = V, variance = 1 - W, of `above` for a win and of `between` for a draw.

Textbook formulas divide densities by differences of tail probabilities: both underflow beyond some 38 standard deviations, and
1 - W loses its digits long before. Here tails go through the scaled complementary error function, and short or far
intervals through Gauss-Legendre quadrature, so that no two large numbers are subtracted.
"""

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

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
def normal_above(low: float) -> tuple[float, float]:
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
def normal_between(low: float, high: float) -> tuple[float, float]:
    """Mean and variance of a standard normal variable between `low` and `high`."""
    if low + high < 0.0:  # mirrored, so that the far end is `high`
        mean, variance = _between(-high, -low)
        return -mean, variance
    return _between(low, high)


@jit
def mills_ratio(x: float) -> float:
    """Tail probability above x divided by the density at x."""
    if x > _TAIL:
        return 1.0 / normal_above(x)[0]
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
        return normal_above(low)
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


Reals: TypeAlias = NDArray[np.float64]
Bots: TypeAlias = NDArray[np.int32]
Starts: TypeAlias = NDArray[np.int64]
Small: TypeAlias = NDArray[np.int8]
Flags: TypeAlias = NDArray[np.bool_]
Workspace: TypeAlias = NDArray[np.float64]

MAX_SEATS = 64
MAX_SWEEPS = 10  # as in the package
SMALLEST_CHANGE = 1e-4  # as in the package

# Rows of the workspace, by seat, team or pair of neighbours in rank.
_SKILL, _VARIANCE = 0, 1  # seat: mean and variance of its performance
_PRECISION, _SHIFT = 2, 3  # team: belief about its performance before the match; shift = precision times mean
_UP_PRECISION, _UP_SHIFT = 4, 5  # pair: message to the better team
_DOWN_PRECISION, _DOWN_SHIFT = 6, 7  # pair: message to the worse team
_CUT_PRECISION, _CUT_SHIFT = 8, 9  # pair: message of "beat" or "tied with" to the difference
_MARGIN = 10  # pair: the draw margin
_TEAM, _SIZE, _PLACE, _ORDER = 11, 12, 13, 14  # seat: its team; team: seats, place; rank: team
_ROWS = 15


def new_workspace() -> Workspace:
    """Scratch memory for `update`; one per thread."""
    return np.zeros((_ROWS, MAX_SEATS))


@jit
def update(
    mu: Reals, sigma: Reals, bots: Bots, units: Small, places: Small, beta: float, tau: float, margin: float, work: Workspace
) -> None:
    """Take one match into the beliefs `mu` and `sigma` (by bot), in place.

    `bots`, `units`, `places`: by seat, in the order that the package is given them; at most MAX_SEATS. `margin`: the draw
    margin of one seat a side, divided by the root of 2: Phi^-1((draw probability + 1) / 2) * beta.
    """
    seats = len(bots)
    for seat in range(seats):
        deviation = sigma[bots[seat]]
        work[_SKILL, seat] = mu[bots[seat]]
        work[_VARIANCE, seat] = deviation * deviation + tau * tau + beta * beta
    teams = _form_teams(units, places, work)
    if teams < 2:
        return
    _set_priors(seats, teams, margin, work)
    _exchange(teams, work)
    for seat in range(seats):
        bot = bots[seat]
        precision, shift = _message_to_seat(seat, seats, teams, work)
        own = work[_VARIANCE, seat] - beta * beta  # of the skill
        spread = 1.0 + precision * beta * beta  # performance -> skill: the noise widens the message
        total = 1.0 / own + precision / spread
        sigma[bot] = math.sqrt(1.0 / total)
        mu[bot] = (work[_SKILL, seat] / own + shift / spread) / total


@jit
def fold(
    mu: Reals,
    sigma: Reals,
    starts: Starts,
    bots: Bots,
    units: Small,
    places: Small,
    beta: float,
    tau: float,
    margin: float,
    work: Workspace,
) -> None:
    """`update` for one match after the other; match m has the seats starts[m] .. starts[m + 1] - 1."""
    for match in range(len(starts) - 1):
        first, last = starts[match], starts[match + 1]
        update(mu, sigma, bots[first:last], units[first:last], places[first:last], beta, tau, margin, work)


@jit
def _form_teams(units: Small, places: Small, work: Workspace) -> int:
    """Number the teams as they appear, count their seats, and sort them by place, ties as they appear."""
    teams = 0
    for seat in range(len(units)):
        team = teams
        for other in range(seat):
            if units[other] == units[seat]:
                team = int(work[_TEAM, other])
        if team == teams:
            work[_SIZE, team] = 0.0
            work[_PLACE, team] = places[seat]
            teams += 1
        work[_TEAM, seat] = team
        work[_SIZE, team] += 1.0
    for team in range(teams):
        rank = team
        while rank > 0 and work[_PLACE, int(work[_ORDER, rank - 1])] > work[_PLACE, team]:
            work[_ORDER, rank] = work[_ORDER, rank - 1]
            rank -= 1
        work[_ORDER, rank] = team
    return teams


@jit
def _set_priors(seats: int, teams: int, margin: float, work: Workspace) -> None:
    """What is believed of the teams' performances, by rank, and no messages yet."""
    for rank in range(teams):
        mean = variance = 0.0
        for seat in range(seats):
            if work[_TEAM, seat] == work[_ORDER, rank]:
                mean += work[_SKILL, seat]
                variance += work[_VARIANCE, seat]
        work[_PRECISION, rank] = 1.0 / variance
        work[_SHIFT, rank] = mean / variance
        for row in range(_UP_PRECISION, _MARGIN):
            work[row, rank] = 0.0
    for pair in range(teams - 1):
        size = work[_SIZE, int(work[_ORDER, pair])] + work[_SIZE, int(work[_ORDER, pair + 1])]
        work[_MARGIN, pair] = margin * math.sqrt(size)


@jit
def _exchange(teams: int, work: Workspace) -> None:
    """Send messages down and up the chain of pairs until little changes."""
    pairs = teams - 1
    for _ in range(MAX_SWEEPS):
        change = 0.0
        if pairs == 1:
            change = _cut(0, pairs, work)
        for pair in range(pairs - 1):
            change = max(change, _cut(pair, pairs, work))
            _tell_worse(pair, work)
        for pair in range(pairs - 1, 0, -1):
            change = max(change, _cut(pair, pairs, work))
            _tell_better(pair, pairs, work)
        if change <= SMALLEST_CHANGE:
            break
    _tell_better(0, pairs, work)
    _tell_worse(pairs - 1, work)


@jit
def _better(pair: int, work: Workspace) -> tuple[float, float]:
    """Belief about the better team of a pair without the pair's own message."""
    if pair == 0:
        return work[_PRECISION, 0], work[_SHIFT, 0]
    return (
        work[_PRECISION, pair] + work[_DOWN_PRECISION, pair - 1],
        work[_SHIFT, pair] + work[_DOWN_SHIFT, pair - 1],
    )


@jit
def _worse(pair: int, pairs: int, work: Workspace) -> tuple[float, float]:
    """Belief about the worse team of a pair without the pair's own message."""
    if pair == pairs - 1:
        return work[_PRECISION, pair + 1], work[_SHIFT, pair + 1]
    return (
        work[_PRECISION, pair + 1] + work[_UP_PRECISION, pair + 1],
        work[_SHIFT, pair + 1] + work[_UP_SHIFT, pair + 1],
    )


@jit
def _cut(pair: int, pairs: int, work: Workspace) -> float:
    """Cut the difference of a pair off at the draw margin; returns the change, measured as the package does."""
    better_precision, better_shift = _better(pair, work)
    worse_precision, worse_shift = _worse(pair, pairs, work)
    variance = 1.0 / better_precision + 1.0 / worse_precision
    mean = better_shift / better_precision - worse_shift / worse_precision
    deviation = math.sqrt(variance)
    margin = work[_MARGIN, pair] / deviation
    middle = mean / deviation
    if work[_PLACE, int(work[_ORDER, pair])] == work[_PLACE, int(work[_ORDER, pair + 1])]:
        moved, left = normal_between(-margin - middle, margin - middle)
    else:
        moved, left = normal_above(margin - middle)
    precision = 1.0 / (variance * left)
    shift = (mean + deviation * moved) * precision
    cut_precision = max(0.0, (1.0 - left) * precision)
    cut_shift = shift - mean / variance
    before_precision = 1.0 / variance + work[_CUT_PRECISION, pair]
    before_shift = mean / variance + work[_CUT_SHIFT, pair]
    work[_CUT_PRECISION, pair] = cut_precision
    work[_CUT_SHIFT, pair] = cut_shift
    return float(max(abs(shift - before_shift), math.sqrt(abs(precision - before_precision))))


@jit
def _tell_worse(pair: int, work: Workspace) -> None:
    """Worse = better - difference."""
    precision, shift = _better(pair, work)
    cut_precision, cut_shift = work[_CUT_PRECISION, pair], work[_CUT_SHIFT, pair]
    work[_DOWN_PRECISION, pair] = precision * cut_precision / (precision + cut_precision)
    work[_DOWN_SHIFT, pair] = (shift * cut_precision - cut_shift * precision) / (precision + cut_precision)


@jit
def _tell_better(pair: int, pairs: int, work: Workspace) -> None:
    """Better = worse + difference."""
    precision, shift = _worse(pair, pairs, work)
    cut_precision, cut_shift = work[_CUT_PRECISION, pair], work[_CUT_SHIFT, pair]
    work[_UP_PRECISION, pair] = precision * cut_precision / (precision + cut_precision)
    work[_UP_SHIFT, pair] = (shift * cut_precision + cut_shift * precision) / (precision + cut_precision)


@jit
def _message_to_seat(seat: int, seats: int, teams: int, work: Workspace) -> tuple[float, float]:
    """Return what the match says of one seat's performance: of its team's, less its team mates'."""
    rank = 0
    while work[_ORDER, rank] != work[_TEAM, seat]:
        rank += 1
    precision = shift = 0.0
    if rank > 0:
        precision += work[_DOWN_PRECISION, rank - 1]
        shift += work[_DOWN_SHIFT, rank - 1]
    if rank < teams - 1:
        precision += work[_UP_PRECISION, rank]
        shift += work[_UP_SHIFT, rank]
    mean = variance = 0.0
    for mate in range(seats):
        if mate != seat and work[_TEAM, mate] == work[_TEAM, seat]:
            mean += work[_SKILL, mate]
            variance += work[_VARIANCE, mate]
    spread = 1.0 + precision * variance
    return precision / spread, (shift - mean * precision) / spread
