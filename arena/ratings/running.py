"""The headline ratings of a tournament that is being played: a few numbers a bot, however many matches there were.

Their bounds are those of the beliefs, as a look in between; the board's, over deals (error_bars.py), need all rows.
"""

import math
from collections.abc import Iterable, Mapping

import numpy as np

from arena.ratings.error_bars import ErrorBars
from arena.ratings.factor_graph import fold, new_workspace
from arena.ratings.rows import Beliefs, Bot, Collector
from arena.ratings.settings import MODEL, RatingSettings
from arena.ratings.standings import Rated, count_rows, overall
from arena.records import MatchRecord, Outcome, Rating

KEPT = 4096  # matches of a pool that wait to be taken in together


class RunningRatings:
    """Ratings of matches added in plan order: the `trueskill` numbers that the board of those matches would have."""

    def __init__(self, settings: RatingSettings, field: Mapping[str, Iterable[Bot]]) -> None:
        """`field`: who takes part, by pool."""
        self._settings = settings
        self._pools = {pool: _RunningPool(tuple(dict.fromkeys(bots)), settings) for pool, bots in field.items()}

    def add(self, record: MatchRecord | Outcome) -> None:
        """Add the next match. It counts for nothing if it is void, or if it is measured and those are not rated."""
        if record.pool in self._pools and not record.is_void and (self._settings.measured or not record.is_measured):
            self._pools[record.pool].add(record)

    def copy(self) -> "RunningRatings":
        """The same ratings, to which other matches can be added."""
        other = RunningRatings(self._settings, {})
        other._pools = {pool: running.copy() for pool, running in self._pools.items()}
        return other

    def ratings(self) -> list[Rating]:
        """The ratings pool by pool, best first, then those of the overall pool."""
        rated = [running.rated(pool) for pool, running in self._pools.items()]
        return [rating for pool in rated for rating in pool.ratings()] + overall(MODEL, rated)


class _RunningPool:
    def __init__(self, bots: tuple[Bot, ...], settings: RatingSettings) -> None:
        self._bots, self._settings = bots, settings
        self._mu, self._sigma = np.full(len(bots), settings.mu), np.full(len(bots), settings.sigma)
        self._counts = np.zeros((4, len(bots)))
        self._waiting, self._number = Collector(bots), 0
        self._work = new_workspace()

    def add(self, record: MatchRecord | Outcome) -> None:
        self._waiting.add(record)
        self._number += 1
        if self._number >= KEPT:
            self._take_in()

    def copy(self) -> "_RunningPool":
        self._take_in()
        other = _RunningPool(self._bots, self._settings)
        other._mu, other._sigma, other._counts = self._mu.copy(), self._sigma.copy(), self._counts.copy()
        return other

    def rated(self, pool: str) -> Rated:
        self._take_in()
        bars = ErrorBars(np.diag(self._sigma**2), math.inf, math.nan)
        return Rated(MODEL, pool, self._bots, Beliefs(self._mu.copy(), self._sigma.copy()), bars, self._counts.copy())

    def _take_in(self) -> None:
        rows, settings = self._waiting.rows(), self._settings
        fold(
            self._mu, self._sigma, rows.starts, rows.bots, rows.units, rows.places, settings.beta, settings.tau,
            settings.margin, self._work,
        )  # fmt: skip
        self._counts += count_rows(rows)
        self._waiting, self._number = Collector(self._bots), 0
