"""Is a mean above or below a bound, and how sure is that, at any time: tests by betting, on independent numbers from -1 to 1.

To test "the mean is at most m", bet on the next number x being above: wealth is multiplied by 1 + c (x - m) / (1 + m), with c
from 0 to 1 the share of it at stake. If the mean is at most m, no bet gains on average, so wealth is a nonnegative
supermartingale and ever reaches 1 / p with probability p at most (J. Ville 1939): however often one looks, and whenever one
stops. All m that wealth of 1 / p has not refuted are a lower confidence sequence. Several stakes c share the wealth at the
start; the best one soon holds nearly all of it. Source: I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random
variables by betting", JRSS B 86 (2024), sections 4 and 5 (betting with capital shared by several stakes: "diversified Kelly
betting").

Nothing is assumed of the numbers but their range: not that they are normal, nor that their variance is known. For the pairs
of games of chess engines, of which a number has five values, this does what fishtest's test of pentanomials does, without
that test's approximations.

Where the luck of the numbers is known (arena/ratings/error_bars.py), each number comes with what is left of it without
its luck: of the same mean, whatever came before, but less spread, and at most MOST_TAKEN away from it. What bets can lose grows
with that, so each stake takes off as much of the luck as leaves it a part of its wealth at worst: the small ones, which decide
about small differences, all of it, the largest ones little or none. Luck times any number has mean 0, so the wealth of each is
a supermartingale all the same, and so is the mean of them.

A mean that is looked at until it is surely beyond the bound lies too far beyond it when that comes. For a sum S that wanders
about with variance v a number and stops at a height, the mean S / n is too far by v / S on average (D. Siegmund, "Estimation
following sequential tests", Biometrika 65 (1978)). Looking now and then only, it stops a little above the height; and v is not
known. The factor DRAWN and the two numbers added to v are from simulation (`estimates` of tests/lab/formats.py).
"""

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from arena.records import LUCK_LIMIT

LARGEST_STAKE = 0.95
MOST_TAKEN = 2.0 * LUCK_LIMIT
"""How far apart a number and the same without its luck can lie: luck is the difference of the bounded luck of two seats."""
BISECTIONS = 40
DRAWN = 1.5
"""How many times v / S the estimate after a stop is drawn towards the bound."""
FARTHEST = 1e6  # times as many numbers as there are: no end in sight

Numbers = NDArray[np.float64]
"""[n]: numbers from -1 to 1; or [n, 2]: the same, and what is left of each without its luck, at most MOST_TAKEN from it."""


class Verdict(StrEnum):
    """What is sure of a mean."""

    ABOVE = "above"
    """The mean is above the bound."""
    BELOW = "below"
    """The mean is below the bound."""
    NEAR = "near"
    """The mean is closer to the bound than the difference that matters."""
    OPEN = "open"
    """Nothing is certain yet."""


@dataclass(frozen=True)
class BettingTest:
    """A sequential test of the mean of independent numbers from -1 to 1."""

    error: float
    """The probability that any verdict or interval is ever wrong is at most this: half of it on either side."""
    difference: float
    """The smallest distance from the bound that matters."""
    bound: float = 0.0
    """What the mean is held against."""

    @property
    def stakes(self) -> Numbers:
        """Shares of the wealth at stake, doubling: the best one is about d / (v + d^2), d above the bound, variance v."""
        doublings = max(0, math.ceil(math.log2(LARGEST_STAKE / self.difference)))
        return np.minimum(self.difference * np.exp2(np.arange(doublings + 1, dtype=np.float64)), LARGEST_STAKE)

    @property
    def needed(self) -> float:
        """Log of the wealth that refutes."""
        return math.log(2.0 / self.error)

    def wealth(self, numbers: Numbers, mean: float, times: float = 1.0) -> float:
        """Log of what betting against "the mean is at most `mean`" has made of 1, were all numbers there so many times."""
        stakes = self.stakes
        if numbers.ndim == 1:
            gains = np.log1p(np.outer(stakes, (numbers - mean) / (1.0 + mean))).sum(axis=1)
        else:
            parts = np.minimum(1.0, (LARGEST_STAKE / stakes - 1.0) / MOST_TAKEN)[:, None]
            left = (1.0 - parts) * numbers[:, 0] + parts * numbers[:, 1]  # [stakes, n]
            farthest = 1.0 + parts * MOST_TAKEN
            gains = np.log1p(stakes[:, None] * farthest * (left - mean) / (farthest + mean)).sum(axis=1)
        return float(np.logaddexp.reduce(times * gains)) - math.log(len(stakes))

    def interval(self, numbers: Numbers) -> tuple[float, float]:
        """The means that are not refuted: at all times together, the true one is among them but with probability `error`."""
        return self._lower(numbers), -self._lower(-numbers)

    def verdict(self, numbers: Numbers) -> Verdict:
        """Return what the interval says."""
        if self.wealth(numbers, self.bound) >= self.needed:
            return Verdict.ABOVE
        if self.wealth(-numbers, -self.bound) >= self.needed:
            return Verdict.BELOW
        both = (self.wealth(signed, bound - self.difference) for signed, bound in self._sides(numbers))
        return Verdict.NEAR if all(wealth >= self.needed for wealth in both) else Verdict.OPEN

    def estimate(self, numbers: Numbers) -> float:
        """The mean of numbers that were added until a verdict came: where it is beyond the bound, drawn back towards it.

        Raises ValueError without a number. The variance is that with two numbers more, the largest and the smallest there are.
        """
        if not len(numbers):
            raise ValueError("no numbers: their mean cannot be estimated")
        clean = numbers.reshape(len(numbers), -1)[:, -1]  # without luck, where that is known
        mean, count = float(clean.mean()), len(clean)
        if self.verdict(numbers) not in (Verdict.ABOVE, Verdict.BELOW) or mean == self.bound:
            return mean
        variance = float(np.append(clean, (1.0, -1.0)).var())
        beyond = abs(mean - self.bound)
        return self.bound + math.copysign(max(0.0, beyond - DRAWN * variance / (count * beyond)), mean - self.bound)

    def numbers_left(self, numbers: Numbers) -> int | None:
        """Return how many more numbers like these a verdict takes, about; None: no verdict is in sight."""
        found = [self._left(signed, bound) for signed, bound in self._sides(numbers)]
        found.append(max(self._left(signed, bound - self.difference) for signed, bound in self._sides(numbers)))
        least = min(found)
        return math.ceil(least) if math.isfinite(least) else None

    def _sides(self, numbers: Numbers) -> tuple[tuple[Numbers, float], tuple[Numbers, float]]:
        """The question from above and from below."""
        return (numbers, self.bound), (-numbers, -self.bound)

    def _left(self, numbers: Numbers, mean: float) -> float:
        """Numbers until "the mean is at most `mean`" is refuted, if they go on like these; infinite: never."""
        most = 1.0
        while len(numbers) and self.wealth(numbers, mean, most) < self.needed:
            most *= 2.0
            if most > FARTHEST:
                return math.inf
        low, high = most / 2.0, most
        for _ in range(BISECTIONS):
            middle = (low + high) / 2.0
            low, high = (low, middle) if self.wealth(numbers, mean, middle) >= self.needed else (middle, high)
        return max(0.0, high - 1.0) * len(numbers) if len(numbers) else math.inf

    def _lower(self, numbers: Numbers) -> float:
        """The largest mean that is refuted from below: wealth falls in the mean."""
        low, high = -1.0 + 1e-9, 1.0
        if not len(numbers) or self.wealth(numbers, low) < self.needed:
            return -1.0
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            low, high = (middle, high) if self.wealth(numbers, middle) >= self.needed else (low, middle)
        return low
