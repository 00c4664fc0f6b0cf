"""The ratings of a tournament that is being played: a few numbers a bot and a result, however many matches there were.

Their bounds are those of the beliefs, as a look in between; the board's, over deals (error_bars.py), need all rows.
"""

import math
from collections.abc import Iterable, Mapping

import numpy as np

from arena.ratings.error_bars import ErrorBars
from arena.ratings.factor_graph import fold, new_workspace
from arena.ratings.models import MODELS
from arena.ratings.rows import Beliefs, Bot, Collector
from arena.ratings.running_batch import RunningBatch
from arena.ratings.settings import BATCH_MODEL, MODEL, RatingSettings
from arena.ratings.standings import ALIKE, Rated, count_rows, overall
from arena.ratings.trueskill_batch import anchor_of
from arena.records import MatchRecord, Outcome, Rating

KEPT = 4096  # matches of a pool that wait to be taken in together


class RunningRatings:
    """Ratings of matches added in plan order: the numbers that the board of those matches would have.

    Only the model `trueskill` asks for that order.
    """

    def __init__(
        self, settings: RatingSettings, field: Mapping[str, Iterable[Bot]], *, models: Iterable[str] = MODELS,
        weights: Mapping[str, float] = ALIKE,
    ) -> None:  # fmt: skip
        """`field`: who takes part, by pool; `weights`: of the pools in the overall ranking."""
        self._settings, self._weights, self._models = settings, weights, tuple(models)
        self._pools = {pool: _RunningPool(tuple(dict.fromkeys(bots)), settings, self._models) for pool, bots in field.items()}

    def add(self, record: MatchRecord | Outcome) -> None:
        """Add the next match. It counts for nothing if it is void, or if it is measured and those are not rated."""
        if record.pool in self._pools and not record.is_void and (self._settings.measured or not record.is_measured):
            self._pools[record.pool].add(record)

    def copy(self) -> "RunningRatings":
        """The same ratings of the model `trueskill` alone, to which other matches can be added."""
        other = RunningRatings(self._settings, {}, models=(MODEL,), weights=self._weights)
        other._pools = {pool: running.copy() for pool, running in self._pools.items()}
        return other

    def ratings(self) -> list[Rating]:
        """The ratings by model and pool, best first, then the model's overall pool."""
        found: list[Rating] = []
        for model in self._models:
            rated = [running.rated(model, pool) for pool, running in self._pools.items()]
            found += [rating for pool in rated for rating in pool.ratings()]
            found += overall(model, rated, self._settings, self._weights)
        return found


class _RunningPool:
    def __init__(self, bots: tuple[Bot, ...], settings: RatingSettings, models: tuple[str, ...]) -> None:
        self._bots, self._settings = bots, settings
        self._mu, self._sigma = np.full(len(bots), settings.mu), np.full(len(bots), settings.sigma)
        self._counts = np.zeros((4, len(bots)))
        self._waiting, self._number = Collector(bots), 0
        self._work = new_workspace()
        self._batch = RunningBatch(bots, settings) if BATCH_MODEL in models else None

    def add(self, record: MatchRecord | Outcome) -> None:
        self._waiting.add(record)
        if self._batch is not None:
            self._batch.add(record)
        self._number += 1
        if self._number >= KEPT:
            self._take_in()

    def copy(self) -> "_RunningPool":
        self._take_in()
        other = _RunningPool(self._bots, self._settings, (MODEL,))
        other._mu, other._sigma, other._counts = self._mu.copy(), self._sigma.copy(), self._counts.copy()
        return other

    def rated(self, model: str, pool: str) -> Rated:
        self._take_in()
        if model == BATCH_MODEL and self._batch is not None:
            beliefs, anchor = self._batch.beliefs(), anchor_of(self._bots, self._settings)
        else:
            beliefs, anchor = Beliefs(self._mu.copy(), self._sigma.copy()), None
        bars = ErrorBars(np.diag(beliefs.sigma**2), math.inf, math.nan)
        return Rated(model, pool, self._bots, beliefs, bars, self._counts.copy(), anchor).checked(self._settings)

    def _take_in(self) -> None:
        rows, settings = self._waiting.rows(), self._settings
        fold(
            self._mu, self._sigma, rows.starts, rows.bots, rows.units, rows.places, settings.beta, settings.tau,
            settings.margin, self._work,
        )  # fmt: skip
        self._counts += count_rows(rows)
        self._waiting, self._number = Collector(self._bots), 0
