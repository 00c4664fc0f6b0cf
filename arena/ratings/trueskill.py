"""TrueSkill over the matches in plan order: every match updates the beliefs that the matches before it left."""

from collections.abc import Iterable, Iterator

import numpy as np

from arena.ratings.factor_graph import fold, new_workspace
from arena.ratings.rows import Beliefs, Bot, Collector, PoolRows
from arena.ratings.settings import RatingSettings
from arena.records import MatchRecord, Outcome

KEPT = 4096  # matches of a running pool that wait to be taken in together


def rate(rows: PoolRows, settings: RatingSettings) -> Beliefs:
    """The beliefs about all bots of a pool after all its matches."""
    return next(along(rows, settings, (rows.matches,)))


def along(rows: PoolRows, settings: RatingSettings, ends: Iterable[int]) -> Iterator[Beliefs]:
    """The beliefs after each number of matches of `ends`, as it was played."""
    bots, begin, work = len(rows.bots_by_number), 0, new_workspace()
    mu, sigma = np.full(bots, settings.mu), np.full(bots, settings.sigma)
    for end in ends:
        starts = rows.starts[begin : end + 1]
        fold(mu, sigma, starts, rows.bots, rows.units, rows.places, settings.beta, settings.tau, settings.margin, work)
        begin = end
        yield Beliefs(mu.copy(), sigma.copy())


class Running:
    """The beliefs about the bots of a pool after any number of matches; a few numbers a bot, however many there were."""

    def __init__(self, bots: tuple[Bot, ...], settings: RatingSettings) -> None:
        self._bots, self._settings, self._work = bots, settings, new_workspace()
        self._mu, self._sigma = np.full(len(bots), settings.mu), np.full(len(bots), settings.sigma)
        self._waiting = Collector(bots)

    def add(self, record: MatchRecord | Outcome) -> None:
        """Add the next match."""
        self._waiting.add(record)
        if len(self._waiting) >= KEPT:
            self._take_in()

    def beliefs(self) -> Beliefs:
        """The beliefs after all matches that were added, in the order in which the bots were given."""
        self._take_in()
        return Beliefs(self._mu.copy(), self._sigma.copy())

    def _take_in(self) -> None:
        rows, settings = self._waiting.rows(), self._settings
        fold(
            self._mu, self._sigma, rows.starts, rows.bots, rows.units, rows.places, settings.beta, settings.tau,
            settings.margin, self._work,
        )  # fmt: skip
        self._waiting = Collector(self._bots)
