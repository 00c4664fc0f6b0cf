"""Token buckets: how many requests an address may make, and how many messages a socket may send.

The package `limits` has windows only, and its storage starts a thread whenever something in it expires; a bucket is what both
uses here need, and is two numbers.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass

MOST_BUCKETS = 10_000
"""Buckets that are kept; the one that was used longest ago makes room, as full ones may."""


@dataclass(frozen=True)
class Rate:
    """How much a bucket lets through."""

    a_second: float
    """Tokens that flow in per second."""
    burst: int
    """Tokens that it holds at most."""


class Buckets:
    """A bucket for each key, such as an address."""

    def __init__(self, rate: Rate, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._clock = rate, clock
        self._known: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()  # tokens, and when they were counted

    def take(self, key: Hashable, count: float = 1.0) -> bool:
        """Take a token, or so many; False if there are not as many, or the bucket is not full where it can never hold them."""
        is_there = self.left(key) >= min(count, self._rate.burst)
        self.charge(key, count if is_there else 0.0)
        return is_there

    def left(self, key: Hashable) -> float:
        """The tokens that are there; below 0 after more was charged."""
        now = self._clock()
        tokens, before = self._known.get(key, (float(self._rate.burst), now))
        return min(float(self._rate.burst), tokens + (now - before) * self._rate.a_second)

    def charge(self, key: Hashable, count: float) -> None:
        """Take tokens that were used already, whether they are there or not."""
        self._known[key] = (self.left(key) - count, self._clock())
        self._known.move_to_end(key)
        if len(self._known) > MOST_BUCKETS:
            self._known.popitem(last=False)
