"""Rows -> TrueSkill ratings, one match after the other in plan order. Pure: no files, no clock.

The numbers are those of the `trueskill` package (its default backend) for the matches of a pool in plan order; teams
are its rating groups, places its ranks, and seat order is the order given, which matters within a tie.

What the intervals are not: sigma is the width of a belief that takes every match for an independent draw, so it is no
frequentist error bar. Matches that share a deal are not independent; error bars over deals come later.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import trueskill

from arena.records import MatchRecord, Rating

MODEL = "trueskill"
OVERALL = "overall"
RATING_SIGMAS = 3.0  # rating = mu - 3 sigma: what the bot has shown, not what it may be
INTERVAL_SIGMAS = 1.96  # two-sided 95 %

Bot = tuple[str, int]
"""Name and version."""
Field = Mapping[str, Iterable[Bot]]
"""Who takes part, by pool, in the order to list them."""


class RatingSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Parameters of the model, in TrueSkill points."""

    mu: float = 25.0
    """Mean of the belief about a bot that never played."""
    sigma: float = 25.0 / 3
    """Its standard deviation."""
    beta: float = 25.0 / 6
    """Standard deviation of a bot's performance in one match."""
    tau: float = 0.0
    """Standard deviation of the drift of a bot's skill per match; bots do not change."""
    draw_probability: float = 0.1
    """Of two equal bots in one match."""
    measured: bool = False
    """Whether matches count in which thinking time became ticks of the game (Nertz with measured latency)."""


class Fold:
    """Ratings of a growing row of matches."""

    def __init__(self, settings: RatingSettings, field: Field | None = None) -> None:
        """`field`: bots to list even if they never play, and the order of the pools."""
        self._environment = trueskill.TrueSkill(
            mu=settings.mu, sigma=settings.sigma, beta=settings.beta, tau=settings.tau,
            draw_probability=settings.draw_probability,
        )  # fmt: skip
        self._counts_measured = settings.measured
        self._pools: dict[str, dict[Bot, _Standing]] = {}
        self._last = -1
        for pool, bots in (field or {}).items():
            standings = self._pools.setdefault(pool, {})
            for bot in bots:
                standings[bot] = self._newcomer()

    def add(self, record: MatchRecord) -> None:
        """Take in the next match; one that is void, or measured and not to be rated, counts for nothing.

        Raises ValueError out of plan order.
        """
        if record.index <= self._last:
            raise ValueError(f"match {record.index} after match {self._last}: not in plan order")
        self._last = record.index
        if record.is_void or (record.is_measured and not self._counts_measured):
            return
        standings = self._pools.setdefault(record.pool, {})
        seated = []
        for seat in record.seats:
            bot = (seat.bot, seat.bot_version)
            standing = standings.get(bot) or standings.setdefault(bot, self._newcomer())
            standing.matches += 1
            standing.wins += seat.place == 1
            standing.places += seat.place
            standing.faults += seat.ending.blame == "bot"
            seated.append(standing)
        self._update(record, seated)

    def ratings(self) -> list[Rating]:
        """Per pool, best first, then the overall pool. Empty without matches and field."""
        result: list[Rating] = []
        for pool, standings in self._pools.items():
            result += _ranked([_rating(pool, bot, standing) for bot, standing in standings.items()])
        return result + overall(result, len(self._pools))

    def _newcomer(self) -> "_Standing":
        return _Standing(self._environment.create_rating())

    def _update(self, record: MatchRecord, seated: Sequence["_Standing"]) -> None:
        units: dict[int, list[_Standing]] = {}
        places: dict[int, int] = {}
        for seat, standing in zip(record.seats, seated):
            units.setdefault(seat.unit, []).append(standing)
            places.setdefault(seat.unit, seat.place)
        if len(units) < 2:
            return
        groups = [tuple(standing.belief for standing in unit) for unit in units.values()]
        try:
            updated = self._environment.rate(groups, ranks=list(places.values()))
        except FloatingPointError:  # beliefs too far apart for the package (some 60 betas): they stay as they are
            return
        for unit, beliefs in zip(units.values(), updated):
            for standing, belief in zip(unit, beliefs):
                standing.belief = belief


def overall(ratings: Iterable[Rating], pools: int) -> list[Rating]:
    """The overall pool out of all ratings of `pools` pools, each counting the same; no rank for who lacks a pool."""
    by_bot: dict[Bot, list[Rating]] = {}
    for rating in ratings:
        by_bot.setdefault((rating.bot, rating.bot_version), []).append(rating)
    means = [_mean(bot, parts) for bot, parts in by_bot.items()]
    complete = _ranked([mean for mean in means if len(by_bot[mean.bot, mean.bot_version]) == pools])
    partial = [mean for mean in means if len(by_bot[mean.bot, mean.bot_version]) < pools]
    return complete + sorted(partial, key=_order)


def is_separable(one: Rating, other: Rating) -> bool:
    """Whether the two beliefs differ by more than 95 % intervals allow."""
    return abs(one.mu - other.mu) > INTERVAL_SIGMAS * math.hypot(one.sigma, other.sigma)


@dataclass
class _Standing:
    """One bot in one pool so far."""

    belief: Any
    """The package's Rating."""
    matches: int = 0
    wins: int = 0
    places: int = 0
    """Sum."""
    faults: int = 0


def _rating(pool: str, bot: Bot, standing: _Standing) -> Rating:
    return _unranked(
        pool, bot, standing.belief.mu, standing.belief.sigma, matches=standing.matches, wins=standing.wins,
        mean_place=standing.places / max(1, standing.matches), faults=standing.faults,
    )  # fmt: skip


def _mean(bot: Bot, parts: Sequence[Rating]) -> Rating:
    matches = sum(part.matches for part in parts)
    return _unranked(
        OVERALL, bot, math.fsum(part.mu for part in parts) / len(parts),
        math.sqrt(math.fsum(part.sigma**2 for part in parts)) / len(parts), matches=matches,
        wins=sum(part.wins for part in parts), faults=sum(part.faults for part in parts),
        mean_place=math.fsum(part.mean_place * part.matches for part in parts) / max(1, matches),
    )  # fmt: skip


def _unranked(pool: str, bot: Bot, mu: float, sigma: float, **counts: Any) -> Rating:
    return Rating(
        model=MODEL, pool=pool, bot=bot[0], bot_version=bot[1], mu=mu, sigma=sigma, rating=mu - RATING_SIGMAS * sigma,
        low=mu - INTERVAL_SIGMAS * sigma, high=mu + INTERVAL_SIGMAS * sigma, rank=None, rank_low=None, rank_high=None,
        **counts,
    )  # fmt: skip


def _ranked(ratings: list[Rating]) -> list[Rating]:
    """The ratings of one pool, best first, with rank and its bounds.

    A bot is surely below another that is separable from it and has the higher mu. Ranks go by `rating`, which a wide
    sigma lowers; so that the bounds always hold the rank, they are widened to it.
    """
    result = []
    for one in ratings:
        rank = 1 + sum(other.rating > one.rating for other in ratings)
        apart = [other.mu > one.mu for other in ratings if is_separable(one, other)]
        best, worst = 1 + sum(apart), len(ratings) - apart.count(False)
        result.append(
            msgspec.structs.replace(one, rank=rank, rank_low=min(rank, best), rank_high=max(rank, worst))
        )  # fmt: skip
    return sorted(result, key=_order)


def _order(rating: Rating) -> tuple[float, str, int]:
    return -rating.rating, rating.bot, rating.bot_version
