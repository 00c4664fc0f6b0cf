"""What the rows of a pool say of the bots of a ladder: who is settled, and against whom a match tells most."""

import itertools
import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from msgspec import UNSET
from numpy.typing import NDArray

from arena.formats.ladder.format import Leg
from arena.ratings.error_bars import error_bars
from arena.ratings.models import believe
from arena.ratings.rows import Bot, PoolRows
from arena.ratings.settings import RatingSettings

LEAST_DEALS = 12  # of a bot, before it counts as separable: over fewer, the spread of its results is hardly known
DIGITS = 6  # of what is compared: the last digits of another machine's arithmetic decide nothing


def look_at(rows: PoolRows, field: Collection[Bot], leg: Leg, settings: RatingSettings) -> "Look":
    """What a pool's rows say of those of `field`."""
    beliefs = believe(leg.rating_model, rows, settings)
    apart = error_bars(rows, beliefs, settings).separable(beliefs.mu)
    wanted = set(field)
    chosen = [number for number, bot in enumerate(rows.bots_by_number) if bot in wanted]
    matches = rows.per_bot(np.ones(len(rows.bots)))
    return Look(
        tuple(rows.bots_by_number[number] for number in chosen), beliefs.mu[chosen], beliefs.sigma[chosen],
        matches[chosen], _deals(rows)[chosen], apart[np.ix_(chosen, chosen)], leg, settings.beta**2,
    )  # fmt: skip


@dataclass(frozen=True)
class Look:
    """What is known of those of a pool that take part; arrays by bot."""

    bots: tuple[Bot, ...]
    mu: NDArray[np.float64]
    sigma: NDArray[np.float64]
    matches: NDArray[np.float64]
    deals: NDArray[np.int64]
    separable: NDArray[np.bool_]
    """Whether two bots are separable: an array [bots, bots]."""
    leg: Leg
    luck: float
    """Variance of a bot's performance in one match."""

    def is_known(self) -> NDArray[np.bool_]:
        """Whether the sigma is not above the bound."""
        bound = -math.inf if self.leg.sigma is None else self.leg.sigma
        known: NDArray[np.bool_] = np.round(self.sigma, DIGITS) <= bound
        return known

    def is_apart(self) -> NDArray[np.bool_]:
        """Whether the bot is separable from both its neighbours."""
        apart = self.deals >= LEAST_DEALS
        order = self._best_first()
        for above, below in itertools.pairwise(order):
            if not self.separable[above, below]:
                apart[[above, below]] = False
        return apart

    def is_settled(self) -> NDArray[np.bool_]:
        """Whether no more matches are needed for this bot."""
        settled = self.is_known() | self.is_apart() if self.leg.separable else self.is_known()
        settled[[bot for bot, _ in self._marking()]] = False
        return settled

    def _marking(self) -> Iterator[tuple[int, int]]:
        """Bots that have played too little for a mark, with each threshold: whether they are separable is not asked here."""
        rules = self.leg.rules
        if rules is UNSET:
            return
        thresholds = [number for number, bot in enumerate(self.bots) if bot[0] in rules.thresholds]
        for bot in range(len(self.bots)):
            if bot not in thresholds and self.deals[bot] < rules.mark_deals:
                yield from ((bot, other) for other in thresholds)

    def only(self, kept: Sequence[int]) -> "Look":
        """What is known of some of the bots."""
        return Look(
            tuple(self.bots[bot] for bot in kept), self.mu[kept], self.sigma[kept], self.matches[kept], self.deals[kept],
            self.separable[np.ix_(kept, kept)], self.leg, self.luck,
        )  # fmt: skip

    def tables(
        self, able: Sequence[int], seats: int, owners: Sequence[str] | None = None, seated: Collection[int] = ()
    ) -> Iterator[list[int]]:  # fmt: skip
        """A table at least for each of `able` that is not settled, one by one.

        `owners`: by bot; two bots of one owner sit at no table of three or more. `seated`: those that have a table already.
        """
        settled, rivals = self.is_settled(), self._rivals()
        needy = [bot for bot in able if not settled[bot]]
        times = np.zeros(len(self.bots))
        times[list(seated)] += 1
        for first in sorted(needy, key=lambda bot: (self.matches[bot], -round(float(self.sigma[bot]), DIGITS), self.bots[bot])):
            if times[first]:
                continue
            table = self.filled([first], able, seats, owners, times, rivals)
            if len(table) == seats:
                times[table] += 1
                yield table

    def filled(
        self, table: list[int], able: Sequence[int], seats: int, owners: Sequence[str] | None = None,
        times: NDArray[np.float64] | None = None, rivals: Collection[frozenset[int]] = (),
    ) -> list[int]:  # fmt: skip
        """A table with those of `able` against whom a match tells most; it has empty seats left if too few may sit there."""
        times = np.zeros(len(self.bots)) if times is None else times
        table = list(table)
        while len(table) < seats:
            free = [bot for bot in able if bot not in table and (seats == 2 or not _is_kin(bot, table, owners))]
            if not free:
                break
            table.append(max(free, key=lambda bot: self._worth(bot, table, times, rivals)))
        return table

    @cached_property
    def _settled(self) -> NDArray[np.bool_]:
        return self.is_settled()

    def _rivals(self) -> set[frozenset[int]]:
        """Pairs that have played enough and are not separable yet: neighbours where that counts, bots and their thresholds."""
        order = self._best_first() if self.leg.separable else []
        return {
            frozenset(pair)
            for pair in (*itertools.pairwise(order), *self._marking())
            if not self.separable[pair] and min(self.deals[list(pair)]) >= LEAST_DEALS
        }

    def _worth(
        self, bot: int, table: Sequence[int], times: NDArray[np.float64], rivals: Collection[frozenset[int]]
    ) -> tuple[bool, float, float, Bot]:
        """What a match of this bot with those at the table tells; of equals who played less."""
        is_rival = any(frozenset((bot, other)) in rivals for other in table)
        told = math.fsum(self._told(bot, other, times) for other in table)
        return is_rival, round(told, DIGITS), -float(self.matches[bot]), self.bots[bot]

    def _told(self, one: int, other: int, times: NDArray[np.float64]) -> float:
        """How even a match is, times the share of its spread that is ignorance."""
        variances = {bot: float(self.sigma[bot]) ** 2 / (1.0 + float(times[bot])) for bot in (one, other)}
        spread = 2.0 * self.luck + sum(variances.values())
        ignorance = sum(variance for bot, variance in variances.items() if not self._settled[bot])
        return math.exp(-(float(self.mu[one] - self.mu[other]) ** 2) / (2.0 * spread)) * ignorance / spread

    def _best_first(self) -> list[int]:
        return sorted(range(len(self.bots)), key=lambda bot: (-round(float(self.mu[bot]), DIGITS), self.bots[bot]))


def _deals(rows: PoolRows) -> NDArray[np.int64]:
    """[bots]: on how many deals each has played."""
    seats = np.repeat(rows.deals, np.diff(rows.starts)).astype(np.int64)
    pairs = np.unique(seats * len(rows.bots_by_number) + rows.bots)
    return np.bincount(pairs % len(rows.bots_by_number), minlength=len(rows.bots_by_number)).astype(np.int64)


def _is_kin(bot: int, table: Sequence[int], owners: Sequence[str] | None) -> bool:
    """Whether somebody at the table has the same owner."""
    return owners is not None and owners[bot] != "" and any(owners[other] == owners[bot] for other in table)
