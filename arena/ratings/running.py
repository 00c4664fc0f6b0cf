"""The ratings of a tournament that is being played, whose matches are taken in one by one.

Their bounds are those of the beliefs, as a look in between; the board's, over deals (error_bars.py), need all rows.

The order-free model takes in quickly what came since the last look: matches are kept as patterns (trueskill_batch.py) with
counts, and a look goes on from the beliefs and messages of the look before, so a few sweeps over the patterns are enough,
however many matches there were.
"""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy

import numpy as np

from arena.ratings.beliefs import running
from arena.ratings.error_bars import ErrorBars
from arena.ratings.losers import names_loser
from arena.ratings.models import STORED, is_order_free
from arena.ratings.patterns import Patterns
from arena.ratings.rows import Beliefs, Bot
from arena.ratings.settings import RatingSettings
from arena.ratings.standings import ALIKE, Rated, draws_by, overall
from arena.ratings.trueskill_batch import State, anchor_of, solve
from arena.records import MatchRecord, Outcome, Rating

SMALLEST_CHANGE = 1e-7  # of a mean, in standard deviations of a performance: more digits than anything shows

_Pattern = tuple[bool, tuple[tuple[int, int, int], ...]]
"""Whether the match names one loser; place, team and bot of each seat, in this order."""


class Running:
    """The beliefs of the model `trueskill-batch` about the bots of a pool, after any number of matches."""

    def __init__(self, bots: Sequence[Bot], settings: RatingSettings) -> None:
        self._bots, self._settings = tuple(sorted(bots)), settings
        self._numbers = {bot: number for number, bot in enumerate(self._bots)}
        self._places = [self._numbers[bot] for bot in bots]
        self._known: dict[_Pattern, int] = {}
        self._counts, self._starts = array("d"), array("q", [0])
        self._seats, self._units, self._ranks = array("i"), array("b"), array("b")  # bot, team, place by seat of a pattern
        self._losers = array("b")  # whether a pattern names one loser
        self._state = State.new(self._arrays(), settings)
        self._is_new = False

    def add(self, record: MatchRecord | Outcome) -> None:
        """Add a match, in any order."""
        pattern = self._pattern(record)
        number = self._known.setdefault(pattern, len(self._known))
        if number == len(self._counts):
            self._keep(pattern)
        self._counts[number] += 1.0
        self._is_new = True

    def beliefs(self) -> Beliefs:
        """The beliefs after all matches that were added, in the order in which the bots were given."""
        if self._is_new:
            self._solve()
            self._is_new = False
        found = self._state.beliefs(self._bots, self._settings)
        return Beliefs(found.mu[self._places], found.sigma[self._places], found.margin)

    def _solve(self) -> None:
        missing = np.zeros(len(self._seats) - len(self._state.said_pull))
        self._state.said_precision = np.concatenate([self._state.said_precision, missing])
        self._state.said_pull = np.concatenate([self._state.said_pull, missing])
        solve(self._arrays(), np.array(self._counts), self._state, self._settings, smallest_change=SMALLEST_CHANGE)

    def _pattern(self, record: MatchRecord | Outcome) -> _Pattern:
        """The result of a match without the order of its seats; a team is named by the first of its bots."""
        seats = [(seat.place, seat.unit, self._numbers[seat.bot, seat.bot_version]) for seat in record.seats]
        team: dict[int, int] = {}
        for _, unit, number in seats:
            team[unit] = min(number, team.get(unit, number))
        return names_loser(record), tuple(sorted((place, team[unit], number) for place, unit, number in seats))

    def _keep(self, pattern: _Pattern) -> None:
        """Remember a result that has not been there before."""
        names_one, seats = pattern
        units = {team: unit for unit, team in enumerate(dict.fromkeys(team for _, team, _ in seats))}
        for place, team, bot in seats:
            self._seats.append(bot)
            self._units.append(units[team])
            self._ranks.append(place)
        self._starts.append(len(self._seats))
        self._counts.append(0.0)
        self._losers.append(names_one)

    def _arrays(self) -> Patterns:
        return Patterns(
            self._bots, np.array(self._starts, np.int64), np.array(self._seats, np.int32), np.array(self._units, np.int8),
            np.array(self._ranks, np.int8), np.zeros(0, np.int64), np.array(self._losers, np.bool_),
        )  # fmt: skip


class RunningRatings:
    """Ratings of matches added in plan order: the numbers that the board of those matches would have.

    Only models that are not order-free ask for that order.
    """

    def __init__(
        self, settings: RatingSettings, field: Mapping[str, Iterable[Bot]], *, models: Iterable[str] = STORED,
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
        return Rated(
            model, pool, self._bots, beliefs, bars, counts, self._settings.ranks_by(model), anchor,
            draw_probability=draws_by(model, beliefs, self._settings),
        ).checked(self._settings)  # fmt: skip
