"""Weng and Lin's Plackett-Luce, as the package `openskill` has it: beliefs that every match updates, in plan order.

The package itself is called, with the numbers of the settings, so there is no other arithmetic here. It knows no matches that
name one loser: their winners share a place. Nor has it a draw margin. (R. C. Weng and C.-J. Lin, "A Bayesian approximation
method for online ranking", 2011)
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np
from openskill.models import PlackettLuce

from arena.ratings.rows import Beliefs, Bot, Collector, PoolRows
from arena.ratings.settings import RatingSettings
from arena.records import MatchRecord, Outcome


def rate(rows: PoolRows, settings: RatingSettings) -> Beliefs:
    """The beliefs about all bots of a pool after all its matches."""
    return next(along(rows, settings, (rows.matches,)))


def along(rows: PoolRows, settings: RatingSettings, ends: Iterable[int]) -> Iterator[Beliefs]:
    """The beliefs after each number of matches of `ends`, as it was played."""
    known, begin = _Known(len(rows.bots_by_number), settings), 0
    for end in ends:
        known.take_in(rows, begin, end)
        begin = end
        yield known.beliefs()


class Running:
    """The beliefs about the bots of a pool after any number of matches; a few numbers a bot, however many there were."""

    def __init__(self, bots: tuple[Bot, ...], settings: RatingSettings) -> None:
        self._bots, self._known = bots, _Known(len(bots), settings)

    def add(self, record: MatchRecord | Outcome) -> None:
        """Add the next match."""
        match = Collector(self._bots)
        match.add(record)
        rows = match.rows()
        self._known.take_in(rows, 0, rows.matches)

    def beliefs(self) -> Beliefs:
        """The beliefs after all matches that were added, in the order in which the bots were given."""
        return self._known.beliefs()


class _Known:
    """The package's ratings of the bots of a pool."""

    def __init__(self, bots: int, settings: RatingSettings) -> None:
        self._model = PlackettLuce(mu=settings.mu, sigma=settings.sigma, beta=settings.beta, tau=settings.tau)
        self._ratings = [self._model.rating() for _ in range(bots)]

    def take_in(self, rows: PoolRows, begin: int, end: int) -> None:
        """Let the matches from `begin` to before `end` update the ratings."""
        starts = rows.starts[begin : end + 1].tolist()
        for start, stop in pairwise(starts):
            teams: dict[int, list[int]] = {}
            places: dict[int, float] = {}
            for bot, unit, place in zip(*(part[start:stop].tolist() for part in (rows.bots, rows.units, rows.places))):
                teams.setdefault(unit, []).append(bot)
                places[unit] = min(place, places.get(unit, place))
            if len(teams) < 2:
                continue
            found = self._model.rate(
                [[self._ratings[bot] for bot in team] for team in teams.values()], ranks=list(places.values())
            )
            for team, ratings in zip(teams.values(), found):
                for bot, rating in zip(team, ratings):
                    self._ratings[bot] = rating

    def beliefs(self) -> Beliefs:
        """What the ratings say now."""
        return Beliefs(np.array([one.mu for one in self._ratings]), np.array([one.sigma for one in self._ratings]))
