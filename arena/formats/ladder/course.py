"""`format: ladder`: a rating list that goes on; the next tables are chosen where they tell most.

A ladder is played in stages. Before each, from the rows of all earlier ones:

- A bot is *settled* in a pool when its sigma is not above the bound, or when it is separable from both its neighbours (after
  12 deals at least); which of the two counts is in the config. Every bot that is not settled gets a table at least, those
  with the fewest matches first, so nobody starves, and a newcomer among settled bots gets all of them.
- It meets a neighbour from whom it is not separable, if there is one and that counts. The other seats, and all against a
  newcomer, go to those against whom a match tells most: the quality of the match (R. Herbrich, T. Minka and T. Graepel,
  "TrueSkill", 2006, equation 4.1, its second factor: how even it is) times the share of its spread that is our ignorance of
  bots that are not settled, and not luck. Bots that are chosen twice in a stage count as better known the second time.
- A run ends when no sigma is above the bound, when all neighbours are separable, or when its matches are spent.

The 95 % intervals of the board are looked at again and again here, so that now and then two equal bots count as separable; the
rating list shows their true intervals and goes on with the next run. To claim "better", use `compare`.

A run that others follow is a *leg* of the ladder: with more bots, other bounds, or simply more matches.
"""

import itertools
import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import msgspec
import numpy as np
from numpy.typing import NDArray

from arena.engine import rng
from arena.formats.course import StagedCourse
from arena.formats.ladder.format import Ladder, Leg
from arena.formats.plan import Plan
from arena.formats.tables import Table, shuffled
from arena.ratings.error_bars import error_bars
from arena.ratings.models import believe
from arena.ratings.rows import Bot, Collector, PoolRows
from arena.ratings.settings import MODEL, RatingSettings
from arena.records import MatchRecord, Outcome
from arena.seeds import key_of_link

LEAST_DEALS = 12  # of a bot, before it counts as separable: over fewer, the spread of its results is hardly known
DIGITS = 6  # of what is compared: the last digits of another machine's arithmetic decide nothing
_KEY = b"arena ladder"  # public: who sits where at a table is no secret


class LadderCourse(StagedCourse):
    """The course of a ladder, leg by leg."""

    def __init__(self, plan: Plan, settings: RatingSettings) -> None:
        """`plan`: with its legs, and those of its stages that are decided already; the others are decided here."""
        super().__init__(plan)
        self._settings = settings
        self._rows = {pool: Collector(bots) for pool, bots in plan.pools().items()}
        self._skipped = frozenset(index for leg in self._ladder.legs for index in leg.skipped)
        self._leg: Leg
        self._played = 0
        self._left_in_leg = 0

    def stretches(self) -> Iterator[tuple[int, int]]:
        """Stage by stage, leg by leg."""
        legs = self._ladder.legs
        left_before = 0
        for self._leg, following in zip(legs, [*legs[1:], None]):
            left_before, self._left_in_leg = self._left_in_leg, self._leg.matches
            self.number = self._leg.first_stage
            for first, last in self.stages_until(None if following is None else following.first_stage):
                self._left_in_leg -= last - first
                yield first, last
        if len(legs) > 1 and legs[-1].first_stage == len(self._ladder.stages):
            self._drop_leg(left_before)

    def _drop_leg(self, left_before: int) -> None:
        """A leg without matches is none, if the one before had come to its end."""
        legs = self._ladder.legs
        self._left_in_leg = left_before
        tables, outcome = self._decided(legs[-2])
        if not tables:
            self.outcome = outcome
            key = key_of_link(self.plan.key, len(legs), len(legs) - 2)
            ladder = msgspec.structs.replace(self._ladder, legs=legs[:-1])
            self.plan = msgspec.structs.replace(self.plan, key=key, format=ladder)

    def is_wanted(self, index: int) -> bool:
        """Whether a match is played: all but those that a later leg did not want any more."""
        return index not in self._skipped

    def add(self, record: MatchRecord | Outcome) -> None:
        """Take in the next match."""
        super().add(record)
        self._played += 1
        if record.pool in self._rows and (self._settings.measured or not record.is_measured):
            self._rows[record.pool].add(record)

    def total(self) -> int | None:
        """The most matches that will have been played when this run ends."""
        return self._played + (0 if self.outcome else self._left_in_leg)

    def decide(self) -> tuple[list[tuple[int, Table]], str | None]:
        """The tables of the next stage; without any, why the leg is over."""
        return self._decided(self._leg)

    @property
    def _ladder(self) -> Ladder:
        assert isinstance(self.plan.format, Ladder)
        return self.plan.format

    def _decided(self, leg: Leg) -> tuple[list[tuple[int, Table]], str | None]:
        looks = {pool: self._look(pool, leg) for pool in self._rows}
        outcome = self._ending(leg, looks)
        if outcome is not None:
            return [], outcome
        chosen = self._chosen(leg, looks)
        if not chosen:
            return [], f"too few bots are left to play; not settled: {_open_text(looks)}"
        tables = self._within_budget(chosen)
        return tables, None if tables else f"its {leg.matches:,} matches are spent; not settled: {_open_text(looks)}"

    def _look(self, pool: str, leg: Leg) -> "Look":
        field = [self._bot(place) for place in leg.field if place not in self.retired]
        return look_at(self._rows[pool].rows(), field, leg, self._settings)

    def _ending(self, leg: Leg, looks: dict[str, "Look"]) -> str | None:
        if leg.sigma is not None and all(look.is_known().all() for look in looks.values()):
            return f"no sigma is above {leg.sigma:g}"
        if leg.separable and all(look.is_apart().all() for look in looks.values()):
            return "all neighbours are separable"
        if all(look.is_settled().all() for look in looks.values()):
            return f"every bot is separable from its neighbours, or its sigma is not above {leg.sigma:g}"
        return None

    def _chosen(self, leg: Leg, looks: dict[str, "Look"]) -> list[tuple[int, Table]]:
        """The tables of a stage, those of the neediest bots of each entry first."""
        chosen: list[list[tuple[int, Table]]] = []
        for place, entry in enumerate(self.plan.entries):
            look, field = looks[entry.pool], [bot for bot in leg.field if bot not in self.retired]
            able = [bot for bot in field if entry.game in self.plan.contestants[bot].games]
            seats = {look.bots.index(self._bot(bot)): bot for bot in able}
            tables = look.tables(list(seats), entry.seats) if len(able) >= entry.seats else []
            stage = len(self._ladder.stages)
            dice = [rng.derive(_KEY, stage, place, number) for number in range(len(tables))]
            chosen.append([(place, shuffled([seats[number] for number in t], d)) for t, d in zip(tables, dice)])
        return [table for number in range(max(map(len, chosen))) for of in chosen for table in of[number : number + 1]]

    def _within_budget(self, tables: Sequence[tuple[int, Table]]) -> list[tuple[int, Table]]:
        left, kept = self._left_in_leg, []
        for place, table in tables:
            left -= self.plan.matches_at(place)
            if left < 0:
                break
            kept.append((place, table))
        return kept

    def _bot(self, place: int) -> Bot:
        contestant = self.plan.contestants[place]
        return contestant.name, contestant.version


def look_at(rows: PoolRows, field: Collection[Bot], leg: Leg, settings: RatingSettings) -> "Look":
    """What a pool's rows say of those of `field`."""
    beliefs = believe(MODEL, rows, settings)
    apart = error_bars(rows, beliefs, settings).separable(beliefs.mu)
    chosen = [number for number, bot in enumerate(rows.bots_by_number) if bot in field]
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
        return self.is_known() | self.is_apart() if self.leg.separable else self.is_known()

    def tables(self, able: Sequence[int], seats: int) -> list[list[int]]:
        """A table at least for each of `able` that is not settled."""
        settled, rivals = self.is_settled(), self._rivals()
        needy = [bot for bot in able if not settled[bot]]
        times = np.zeros(len(self.bots))
        tables: list[list[int]] = []
        for first in sorted(needy, key=lambda bot: (self.matches[bot], -round(float(self.sigma[bot]), DIGITS), self.bots[bot])):
            if times[first]:
                continue
            table = [first]
            while len(table) < seats:
                table.append(
                    max((bot for bot in able if bot not in table), key=lambda bot: self._worth(bot, table, times, rivals))
                )
            times[table] += 1
            tables.append(table)
        return tables

    @cached_property
    def _settled(self) -> NDArray[np.bool_]:
        return self.is_settled()

    def _rivals(self) -> set[frozenset[int]]:
        """Neighbours that have played enough and are not separable yet, where that counts."""
        order = self._best_first() if self.leg.separable else []
        return {
            frozenset(pair)
            for pair in itertools.pairwise(order)
            if not self.separable[pair] and min(self.deals[list(pair)]) >= LEAST_DEALS
        }

    def _worth(
        self, bot: int, table: Sequence[int], times: NDArray[np.float64], rivals: set[frozenset[int]]
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


def _open_text(looks: dict[str, Look]) -> str:
    """The bots that are not settled, pool by pool, as text."""
    found = {
        pool: [bot[0] for bot, settled in zip(look.bots, look.is_settled()) if not settled] for pool, look in looks.items()
    }
    return "; ".join(f"{', '.join(names)} in {pool}" for pool, names in found.items() if names)
