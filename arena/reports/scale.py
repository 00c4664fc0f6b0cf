"""The scale of the intervals that tables draw; `scaleOf` in server/static/board.js computes the same for boards that move."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

STEPS = (1, 2, 5, 10, 20, 50, 100)
MOST_TICKS = 6


class HasInterval(Protocol):
    """A row with an interval of mu."""

    @property
    def low(self) -> float:
        """The lower end."""

    @property
    def high(self) -> float:
        """The upper end."""


@dataclass(frozen=True)
class Scale:
    """A straight line from ratings to places on a drawing."""

    low: float
    high: float
    ticks: tuple[int, ...]
    """Round numbers to mark."""

    def percent(self, value: float) -> str:
        """The place of a value, in percent of the width.

        >>> Scale(10, 30, (10, 20, 30)).percent(15)
        '25.00%'
        """
        return f"{100 * (value - self.low) / (self.high - self.low):.2f}%"


def scale_of(rows: Sequence[HasInterval]) -> Scale:
    """The scale on which all rows have room.

    >>> from collections import namedtuple
    >>> row = namedtuple("row", "low high")
    >>> scale_of([row(12.5, 31.0), row(18.0, 22.0)]).ticks
    (10, 15, 20, 25, 30, 35)
    """
    low = min((row.low for row in rows), default=0.0)
    high = max((row.high for row in rows), default=1.0)
    step = next((step for step in STEPS if (high - low) / step < MOST_TICKS - 1), STEPS[-1])
    first, last = math.floor(low / step), max(math.ceil(high / step), math.floor(low / step) + 1)
    return Scale(first * step, last * step, tuple(number * step for number in range(first, last + 1)))
