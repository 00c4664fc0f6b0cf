"""The ratings of a tournament that is being played, whose matches are taken in one by one.

Their bounds are those of the beliefs, as a look in between; the board's, over deals (error_bars.py), need all rows.
"""

from collections.abc import Iterable, Mapping
from copy import deepcopy

import numpy as np

from arena.ratings.beliefs import running
from arena.ratings.error_bars import ErrorBars
from arena.ratings.models import MODELS, is_order_free
from arena.ratings.rows import Bot
from arena.ratings.settings import RatingSettings
from arena.ratings.standings import ALIKE, Rated, overall
from arena.ratings.trueskill_batch import anchor_of
from arena.records import MatchRecord, Outcome, Rating


class RunningRatings:
    """Ratings of matches added in plan order: the numbers that the board of those matches would have.

    Only models that are not order-free ask for that order.
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
        """The same ratings, to which other matches can be added."""
        other = RunningRatings(self._settings, {}, models=self._models, weights=self._weights)
        other._pools = deepcopy(self._pools)
        return other

    def ratings(self) -> list[Rating]:
        """The ratings by model and pool, best first, then the model's overall pool."""
        found: list[Rating] = []
        for model in self._models:
            rated = [known.rated(model, pool) for pool, known in self._pools.items()]
            found += [rating for pool in rated for rating in pool.ratings()]
            found += overall(model, rated, self._settings, self._weights)
        return found


class _RunningPool:
    def __init__(self, bots: tuple[Bot, ...], settings: RatingSettings, models: tuple[str, ...]) -> None:
        self._bots, self._settings = bots, settings
        self._numbers = {bot: number for number, bot in enumerate(bots)}
        self._counts = [[0, 0, 0, 0] for _ in bots]  # matches, wins, sum of places, faults
        self._by_model = {model: running(model, bots, settings) for model in models}

    def add(self, record: MatchRecord | Outcome) -> None:
        for seat in record.seats:
            counts = self._counts[self._numbers[seat.bot, seat.bot_version]]
            counts[0] += 1
            counts[1] += seat.place == 1
            counts[2] += seat.place
            counts[3] += seat.ending.blame == "bot"
        for known in self._by_model.values():
            known.add(record)

    def rated(self, model: str, pool: str) -> Rated:
        beliefs = self._by_model[model].beliefs()
        anchor = anchor_of(self._bots, self._settings) if is_order_free(model) else None
        counts, bars = np.array(self._counts, np.float64).reshape(-1, 4).T, ErrorBars.of_sigma(beliefs)
        return Rated(model, pool, self._bots, beliefs, bars, counts, anchor).checked(self._settings)
