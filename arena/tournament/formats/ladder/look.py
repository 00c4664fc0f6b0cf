"""What the rows of a pool say of the bots of a ladder: who is settled, and against whom a match tells most."""

import itertools
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import numpy as np
from msgspec import UNSET
from numpy.typing import NDArray

from arena.ratings.beliefs import bars_by, believe
from arena.ratings.error_bars import CONFIDENCE, at_once
from arena.ratings.luck_correction import without_luck
from arena.ratings.rows import Bot, PoolRows
from arena.ratings.settings import RatingSettings
from arena.tournament.formats.ladder.state import Leg

LEAST_DEALS = 12  # of a bot, before it counts as separable: over fewer, the spread of its results is hardly known
DIGITS = 6  # of what is compared: the last digits of another machine's arithmetic decide nothing


def look_at(
    rows: PoolRows, field: Collection[Bot], leg: Leg, settings: RatingSettings, owners: Mapping[Bot, str] = MappingProxyType({})
) -> "Look":
    """Return what a pool's rows say of those of `field`. `owners`: of all bots that have one."""
    beliefs = believe(leg.rating_model, rows, settings)
    bars = bars_by(leg.rating_model, rows, beliefs, settings)
    if leg.luck is not UNSET and rows.luck is not None:
        corrected = without_luck(rows, beliefs, bars, settings)
        beliefs, bars = corrected.beliefs, corrected.bars
    wanted = set(field)
    chosen = [number for number, bot in enumerate(rows.bots_by_number) if bot in wanted]
    matches = rows.per_bot(np.ones(len(rows.bots)))
    return Look(
        tuple(rows.bots_by_number[number] for number in chosen), beliefs.mu[chosen], beliefs.sigma[chosen],
        matches[chosen], _deals(rows)[chosen], _marking_deals(rows, leg, owners)[chosen],
        bars.chances(beliefs.mu)[np.ix_(chosen, chosen)], leg, settings.beta**2,
    )  # fmt: skip


@dataclass(frozen=True)
class Look:
    """What is known of those of a pool that take part; arrays by bot."""

    bots: tuple[Bot, ...]
    mu: NDArray[np.float64]
    sigma: NDArray[np.float64]
    matches: NDArray[np.float64]
    deals: NDArray[np.int64]
    marking_deals: NDArray[np.int64]
    """How many of the deals count towards those that a mark needs."""
    chances: NDArray[np.float64]
    """How likely two equal bots would differ by as much as these: an array [bots, bots]."""
    leg: Leg
    luck: float
    """Variance of a bot's performance in one match."""

    def is_known(self) -> NDArray[np.bool_]:
        """Return whether the sigma is not above the bound."""
        bound = -math.inf if self.leg.sigma is None else self.leg.sigma
        known: NDArray[np.bool_] = np.round(self.sigma, DIGITS) <= bound
        return known

    def is_apart(self) -> NDArray[np.bool_]:
        """Return whether the bot is separable from both its neighbours."""
        apart = self.deals >= LEAST_DEALS
        order = self._best_first()
        for pair in itertools.pairwise(order):
            if pair not in self._neighbours_apart:
                apart[list(pair)] = False
        return apart

    def are_separable(self, one: int, other: int) -> bool:
        """Return whether two bots are separable if nobody else is looked at."""
        return bool(self.chances[one, other] < 1.0 - CONFIDENCE)

    @cached_property
    def _neighbours_apart(self) -> frozenset[tuple[int, int]]:
        """The neighbours that are separable though all neighbours are looked at."""
        pairs = list(itertools.pairwise(self._best_first()))
        found = at_once(np.array([self.chances[pair] for pair in pairs], np.float64))
        return frozenset(pair for pair, is_apart in zip(pairs, found.tolist()) if is_apart)

    def is_settled(self) -> NDArray[np.bool_]:
        """Return whether no more matches are needed for this bot."""
        settled = self.is_known() | self.is_apart() if self.leg.separable else self.is_known()
        settled[list(self._unmarked)] = False
        return settled

    @cached_property
    def _thresholds(self) -> list[int]:
        rules = self.leg.rules
        return [] if rules is UNSET else [number for number, bot in enumerate(self.bots) if bot[0] in rules.thresholds]

    @cached_property
    def _unmarked(self) -> frozenset[int]:
        """Bots that have played too little for a mark: whether they are separable from a threshold is not asked here."""
        rules = self.leg.rules
        if rules is UNSET or not self._thresholds:
            return frozenset()
        few = np.flatnonzero(self.marking_deals < rules.mark_deals)
        return frozenset(map(int, few)) - frozenset(self._thresholds)

    def only(self, kept: Sequence[int]) -> "Look":
        """Return what is known of some of the bots."""
        return Look(
            tuple(self.bots[bot] for bot in kept), self.mu[kept], self.sigma[kept], self.matches[kept], self.deals[kept],
            self.marking_deals[kept], self.chances[np.ix_(kept, kept)], self.leg, self.luck,
        )  # fmt: skip

    def tables(
        self, able: Sequence[int], seats: int, owners: Sequence[str] | None = None, seated: Collection[int] = ()
    ) -> Iterator[list[int]]:  # fmt: skip
        """A table at least for each of `able` that is not settled, one by one.

        `owners`: by bot; two bots of one owner sit at no table of three or more, and at none of one that needs deals for its
        mark. `seated`: those that have a table already.
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
        may_be_kin = seats == 2 and not (self._counts_strangers and table[0] in self._unmarked)
        while len(table) < seats:
            free = [bot for bot in able if bot not in table and (may_be_kin or not _is_kin(bot, table, owners))]
            if not free:
                break
            table.append(max(free, key=lambda bot: self._worth(bot, table, times, rivals)))
        return table

    @property
    def _counts_strangers(self) -> bool:
        """Whether a mark needs deals that a bot plays without others of its owner."""
        return self.leg.rules is not UNSET and self.leg.rules.own_deals is False

    @cached_property
    def _settled(self) -> NDArray[np.bool_]:
        return self.is_settled()

    def _rivals(self) -> set[frozenset[int]]:
        """Pairs that have played enough and are not separable yet: neighbours where that counts, bots and their thresholds."""
        order = self._best_first() if self.leg.separable else []
        neighbours = [pair for pair in itertools.pairwise(order) if pair not in self._neighbours_apart]
        marking = [
            pair for pair in itertools.product(sorted(self._unmarked), self._thresholds) if not self.are_separable(*pair)
        ]
        return {frozenset(pair) for pair in (*neighbours, *marking) if min(self.deals[list(pair)]) >= LEAST_DEALS}

    def _worth(
        self, bot: int, table: Sequence[int], times: NDArray[np.float64], rivals: Collection[frozenset[int]]
    ) -> tuple[bool, float, float, Bot]:
        """Return what a match of this bot with those at the table tells; of equals who played less."""
        is_rival = any(frozenset((bot, other)) in rivals for other in table)
        told = math.fsum(self._told(bot, other, times) for other in table)
        return is_rival, round(told, DIGITS), -float(self.matches[bot]), self.bots[bot]

    def _told(self, one: int, other: int, times: NDArray[np.float64]) -> float:
        """Return how even a match is, times the share of its spread that is ignorance."""
        variances = {bot: float(self.sigma[bot]) ** 2 / (1.0 + float(times[bot])) for bot in (one, other)}
        spread = 2.0 * self.luck + sum(variances.values())
        ignorance = sum(variance for bot, variance in variances.items() if not self._settled[bot])
        return math.exp(-(float(self.mu[one] - self.mu[other]) ** 2) / (2.0 * spread)) * ignorance / spread

    def _best_first(self) -> list[int]:
        return sorted(range(len(self.bots)), key=lambda bot: (-round(float(self.mu[bot]), DIGITS), self.bots[bot]))


def _deals(rows: PoolRows, is_counted: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
    """[bots]: on how many deals each has played. `is_counted`: by match; without it all are."""
    sizes = np.diff(rows.starts)
    pairs = np.repeat(rows.deals, sizes).astype(np.int64) * len(rows.bots_by_number) + rows.bots
    pairs = np.unique(pairs if is_counted is None else pairs[np.repeat(is_counted, sizes)])
    return np.bincount(pairs % len(rows.bots_by_number), minlength=len(rows.bots_by_number)).astype(np.int64)


def _marking_deals(rows: PoolRows, leg: Leg, owners: Mapping[Bot, str]) -> NDArray[np.int64]:
    """[bots]: on how many deals each has played that count towards those that a mark needs."""
    if not owners or leg.rules is UNSET or leg.rules.own_deals is not False:
        return _deals(rows)
    return _deals(rows, is_counted=~_has_kin(rows, owners))


def _has_kin(rows: PoolRows, owners: Mapping[Bot, str]) -> NDArray[np.bool_]:
    """[matches]: whether two bots of one owner played."""
    known = {owner: number for number, owner in enumerate(sorted(set(owners.values())))}
    alone = itertools.count(len(known))
    by_bot = [known[owners[bot]] if owners.get(bot) else next(alone) for bot in rows.bots_by_number]
    match = np.repeat(np.arange(rows.matches), np.diff(rows.starts))
    together, times = np.unique(match * (len(known) + len(by_bot)) + np.array(by_bot, np.int64)[rows.bots], return_counts=True)
    found = np.zeros(rows.matches, np.bool_)
    found[together[times > 1] // (len(known) + len(by_bot))] = True
    return found


def _is_kin(bot: int, table: Sequence[int], owners: Sequence[str] | None) -> bool:
    """Return whether somebody at the table has the same owner."""
    return owners is not None and owners[bot] != "" and any(owners[other] == owners[bot] for other in table)
