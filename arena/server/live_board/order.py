"""Ratings of matches that arrive in any order, as if they had been played in the order of the plan.

So a live board has the numbers that `arena leaderboard` would print for the same matches. The model that knows no order takes
in what comes. For one that goes by it, what is there without a gap is taken in for good; what lies beyond a gap waits, and is
added for each look.
"""

from collections.abc import Iterable, Mapping

from arena.ratings.models import MODEL, is_order_free
from arena.ratings.rows import Bot
from arena.ratings.running import RunningRatings
from arena.ratings.settings import RatingSettings
from arena.ratings.standings import ALIKE
from arena.records import Outcome, Rating

MOST_WAITING = 20_000
"""Matches that wait beyond a gap. With more than that the gap is taken to be for ever, as where a retired bot plays no more."""


class OrderedRatings:
    """Ratings of some matches of a plan."""

    def __init__(
        self, settings: RatingSettings, field: Mapping[str, Iterable[Bot]], weights: Mapping[str, float] = ALIKE
    ) -> None:  # fmt: skip
        """`field`: who takes part, by pool; `weights`: of the pools in the overall ranking."""
        headline = settings.headline_model
        ordered, free = (MODEL, headline) if is_order_free(headline) else (headline, None)
        known = {pool: tuple(bots) for pool, bots in field.items()}
        self._taken = RunningRatings(settings, known, models=(ordered,), weights=weights)
        self._orderless = RunningRatings(settings, known, models=(free,), weights=weights) if free else None
        self._waiting: dict[int, Outcome] = {}
        self._next = 0

    def add(self, found: Iterable[Outcome]) -> None:
        """Add matches, each once."""
        for outcome in found:
            if self._orderless is not None:
                self._orderless.add(outcome)
            self._waiting[outcome.index] = outcome
            while (following := self._waiting.pop(self._next, None)) is not None:
                self._taken.add(following)
                self._next += 1
            if len(self._waiting) > MOST_WAITING:
                self._next = min(self._waiting)

    def ratings(self) -> list[Rating]:
        """The ratings of all matches that were added, by model: pool by pool, best first, then overall."""
        orderless = [] if self._orderless is None else self._orderless.ratings()
        if not self._waiting:
            return orderless + self._taken.ratings()
        seen = self._taken.copy()
        for index in sorted(self._waiting):
            seen.add(self._waiting[index])
        return orderless + seen.ratings()
