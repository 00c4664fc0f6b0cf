"""Ratings of matches that arrive in any order, as if they had been played in the order of the plan.

So a live board has the numbers that `arena leaderboard` would print for the same matches. What is there without a gap is
taken in for good; what lies beyond a gap waits, and is added for each look.
"""

from collections.abc import Iterable, Mapping

from arena.ratings.rows import Bot
from arena.ratings.running import RunningRatings
from arena.ratings.settings import RatingSettings
from arena.records import Outcome, Rating

MOST_WAITING = 20_000
"""Matches that wait beyond a gap. With more than that the gap is taken to be for ever, as where a retired bot plays no more."""


class OrderedRatings:
    """Headline ratings of some matches of a plan."""

    def __init__(self, settings: RatingSettings, field: Mapping[str, Iterable[Bot]]) -> None:
        """`field`: who takes part, by pool."""
        self._taken = RunningRatings(settings, field)
        self._waiting: dict[int, Outcome] = {}
        self._next = 0

    def add(self, found: Iterable[Outcome]) -> None:
        """Add matches, each once."""
        for outcome in found:
            self._waiting[outcome.index] = outcome
            while (following := self._waiting.pop(self._next, None)) is not None:
                self._taken.add(following)
                self._next += 1
            if len(self._waiting) > MOST_WAITING:
                self._next = min(self._waiting)

    def ratings(self) -> list[Rating]:
        """The ratings of all matches that were added: pool by pool, best first, then overall."""
        if not self._waiting:
            return self._taken.ratings()
        seen = self._taken.copy()
        for index in sorted(self._waiting):
            seen.add(self._waiting[index])
        return seen.ratings()
