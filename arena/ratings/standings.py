"""The rating of a bot from the matches so far: pools, models, counts, ranks and their bounds. Pure: no files, no clock.

The models are in models.py. `trueskill-batch` takes all matches at once, so no order matters; it is the headline unless the
settings say otherwise. `trueskill` folds the matches in plan order, with the numbers of the `trueskill` package (teams are its
rating groups, places its ranks; seat order is the order given, which matters within a tie).

Sigma is the width of a belief that takes every match for an independent draw; `low` and `high` are the 95 % interval over
deals (error_bars.py), of mu less the mean of the field or less the anchor, since nothing else says where that is. Boards rank
by `low` unless the settings say otherwise: one number, which knows that deals are shared (docs/ratings.md has what was tried).
"""

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from arena.ratings.beliefs import bars_by, believe
from arena.ratings.error_bars import ErrorBars, joint_bars
from arena.ratings.luck_correction import without_luck
from arena.ratings.models import MODEL, is_order_free, model_of
from arena.ratings.overall import Combined, PoolSkills, combine
from arena.ratings.pairs import head_to_head
from arena.ratings.rows import Beliefs, Bot, Collector, PoolRows
from arena.ratings.settings import LOW, MEAN_MU, MU, OVERALL, THREE_SIGMA, RatingSettings, drawn, headline_first
from arena.ratings.trueskill_batch import anchor_of
from arena.records import LuckWorth, MatchRecord, Rating

DEALS_TO_COMPARE = 40  # the variance over fewer deals is known to no better than a fifth
SAME = 1e-6  # sigmas: what differs by less comes of the order in which numbers are added
RATING_SIGMAS = 3.0  # of `three-sigma`: what the bot has shown, not what it may be

ALIKE: Mapping[str, float] = MappingProxyType({})
"""The weights where every pool counts the same."""

Field = Mapping[str, Iterable[Bot]]
"""The bots that take part, by pool, in the order in which to list them."""


@dataclass(frozen=True)
class Savings:
    """What was saved in the pools of enough deals to tell; by pool."""

    rotations: dict[str, float]
    """`ErrorBars.saved` by the first model, where matches share deals."""
    luck: dict[str, LuckWorth]
    """How certain the order-free ratings are without luck, where it is known."""


class Standings:
    """Ratings of a growing sequence of matches."""

    def __init__(
        self, settings: RatingSettings, field: Field | None = None, *, without: Collection[str] = (),
        weights: Mapping[str, float] = ALIKE,
    ) -> None:  # fmt: skip
        """`field`: bots to list even if they never play, and the order of the pools.

        `without`: names of bots, whose matches count for nothing; `weights`: of the pools in the overall ranking.
        """
        self._settings, self._weights = settings, weights
        self._without = without
        self._pools = defaultdict(Collector)
        for pool, bots in (field or {}).items():
            self._pools[pool] = Collector(bot for bot in bots if bot[0] not in without)
        self._last = -1

    def add(self, record: MatchRecord) -> None:
        """Add the next match. It counts for nothing if it is void, or if it is measured and those are not rated.

        Raises ValueError out of plan order.
        """
        if record.index <= self._last:
            raise ValueError(f"match {record.index} after match {self._last}: not in plan order")
        self._last = record.index
        if any(seat.bot in self._without for seat in record.seats):
            return
        if not record.is_void and (self._settings.measured or not record.is_measured):
            self._pools[record.pool].add(record)

    def ratings(self, models: Iterable[str] | None = None) -> list[Rating]:
        """The ratings by model and pool, best first, then the model's overall pool. Empty without matches and field.

        `models`: by default the headline's alone.
        """
        models = (self._settings.headline_model,) if models is None else models
        return rate(self.pools(), self._settings, models, self._weights)

    def pools(self) -> dict[str, PoolRows]:
        """The matches added so far as arrays, by pool; a copy."""
        return {pool: collector.rows() for pool, collector in self._pools.items()}


def rate(
    pools: Mapping[str, PoolRows], settings: RatingSettings, models: Iterable[str] | None = None,
    weights: Mapping[str, float] = ALIKE,
) -> list[Rating]:  # fmt: skip
    """The ratings of all bots of all pools, and overall: a pure function of the rows."""
    return rate_and_compare(pools, settings, models, weights)[0]


def rate_and_compare(
    pools: Mapping[str, PoolRows], settings: RatingSettings, models: Iterable[str] | None = None,
    weights: Mapping[str, float] = ALIKE,
) -> tuple[list[Rating], Savings]:  # fmt: skip
    """The ratings, and what rotations and luck taken out saved.

    `models`: by default all, that of the headline first; `weights`: see overall.py.
    """
    result: list[Rating] = []
    saved, worth = dict[str, float](), dict[str, LuckWorth]()
    for model in headline_first(settings) if models is None else models:
        rated = [rated_pool(model, pool, rows, settings) for pool, rows in pools.items()]
        for pool in rated:
            result += pool.ratings()
            deals = len(np.unique(pools[pool.pool].deals))
            if math.isfinite(pool.bars.saved) and DEALS_TO_COMPARE <= deals < pools[pool.pool].matches:
                saved.setdefault(pool.pool, pool.bars.saved)
            if math.isfinite(pool.luck_worth) and deals >= DEALS_TO_COMPARE:
                worth[pool.pool] = LuckWorth(deals, round(deals * pool.luck_worth))
        result += overall(model, rated, settings, weights)
    return result, Savings(saved, worth)


def warm() -> None:
    """Compile all models that the cache lacks."""
    rows = PoolRows(
        (("one", 1), ("other", 1)), np.array([0, 2, 4]), np.array([0, 1], np.int32), np.array([0, 1, 0, 1], np.int32),
        np.array([0, 1, 0, 1], np.int8), np.array([1, 2, 1, 1], np.int8), np.zeros(4, np.float32), np.zeros(4, np.bool_),
    )  # fmt: skip
    rate({"pool": rows}, RatingSettings())


@dataclass(frozen=True)
class Rated:
    """One pool rated by one model; arrays have an element per bot."""

    model: str
    pool: str
    bots: tuple[Bot, ...]
    beliefs: Beliefs
    bars: ErrorBars
    counts: NDArray[np.float64]
    """[4, bots]: each bot's matches, wins, sum of places, and faults."""
    ranks_by: str
    """The number by which its bots are ranked, as `RatingSettings.ranks_by` says."""
    anchor: int | None = None
    """The number of the bot whose rating is fixed; None: the mean of the field is."""
    luck_worth: float = math.nan
    """How many times as many deals would be as certain had no luck been taken out; nan: none was."""
    bounds: Sequence[str] = ()
    """`Rating.bound` of each bot; empty: of none."""
    draw_probability: float | None = None
    """How often two equal bots tie, by the model; None: it does not go by ties."""
    has_failed: bool = False
    """Whether no numbers came out: then the beliefs are those before the first match, and nobody has a rank."""

    @classmethod
    def failed(
        cls, model: str, pool: str, bots: tuple[Bot, ...], counts: NDArray[np.float64], settings: RatingSettings
    ) -> "Rated":  # fmt: skip
        """A pool whose rating gave no numbers."""
        beliefs = Beliefs(np.full(len(bots), settings.mu), np.full(len(bots), settings.sigma))
        by = settings.ranks_by(model)
        return cls(model, pool, bots, beliefs, ErrorBars.of_sigma(beliefs), counts, by, has_failed=True)

    def checked(self, settings: RatingSettings) -> "Rated":
        """Itself, or `failed` if one of its numbers is none."""
        numbers = (self.beliefs.mu, self.beliefs.sigma, self.bars.covariance)
        if all(np.isfinite(part).all() for part in numbers):
            return self
        return self.failed(self.model, self.pool, self.bots, self.counts, settings)

    @property
    def skills(self) -> PoolSkills:
        """What the overall ranking needs of the pool."""
        return PoolSkills(self.pool, self.bots, self.beliefs.mu, self.bars, self.counts[0])

    def ratings(self) -> list[Rating]:
        """The ratings with ranks, best first."""
        if self.has_failed:
            return sorted(self.unranked(), key=_order)
        return _ranked(self.unranked(), self.bars.separable_at_once(self.beliefs.mu))

    def unranked(self) -> list[Rating]:
        """The ratings without ranks, in the order of the bots."""
        widths = self.bars.half_widths(self.anchor, self.counts[0] > 0)
        return [self._rating(number, float(width)) for number, width in enumerate(widths)]

    def _rating(self, number: int, half_width: float) -> Rating:
        matches, wins, places, faults = self.counts[:, number]
        mu, sigma = float(self.beliefs.mu[number]), float(self.beliefs.sigma[number])
        return _unranked(
            self.model, self.pool, self.bots[number], mu, sigma, half_width, self.ranks_by, matches=int(matches),
            wins=int(wins), mean_place=float(places) / max(1.0, float(matches)), faults=int(faults),
            bound=self.bounds[number] if self.bounds else "", draw_probability=self.draw_probability,
        )  # fmt: skip


def rated_pool(model: str, pool: str, rows: PoolRows, settings: RatingSettings) -> Rated:
    """One pool, rated by one model. One that can goes without the luck of the rows, where that is known.

    A rating that fails fails alone: the matches stay what they are, and the board says why there is no rating.
    """
    try:
        with np.errstate(all="ignore"):
            rated = _rated(model, pool, rows, settings)
    except (ArithmeticError, np.linalg.LinAlgError):
        return Rated.failed(model, pool, rows.bots_by_number, count_rows(rows), settings)
    return rated.checked(settings)


def _rated(model: str, pool: str, rows: PoolRows, settings: RatingSettings) -> Rated:
    beliefs = believe(model, rows, settings)
    anchor = anchor_of(rows.bots_by_number, settings) if is_order_free(model) else None
    bars, worth = bars_by(model, rows, beliefs, settings), math.nan
    if rows.luck is not None and model_of(model).takes_luck_out:
        corrected = without_luck(rows, beliefs, bars, settings, anchor)
        beliefs, bars, worth = corrected.beliefs, corrected.bars, corrected.worth
    counts = count_rows(rows)
    bounds = _bounds(rows, counts, anchor)
    return Rated(
        model, pool, rows.bots_by_number, beliefs, bars, counts, settings.ranks_by(model), anchor, worth, bounds,
        draws_by(model, beliefs, settings),
    )  # fmt: skip


def draws_by(model: str, beliefs: Beliefs, settings: RatingSettings) -> float | None:
    """How often two equal bots tie, by a model; None: it does not go by ties."""
    if beliefs.margin is not None:
        return drawn(beliefs.margin, settings.beta)
    return settings.equal_draws if model == MODEL else None


def _bounds(rows: PoolRows, counts: NDArray[np.float64], anchor: int | None) -> list[str]:
    """[bots]: `Rating.bound`: of a bot without a win, or without a loss, only the prior says that it is no farther away.

    `anchor`: the number of the bot that stays where it is.
    """
    found, played = [""] * len(rows.bots_by_number), counts[0] > 0
    last = rows.per_bot(rows.places == np.repeat(rows.last_places, np.diff(rows.starts)))
    if np.any(played & ((counts[1] == counts[0]) | (last == counts[0]))):  # else nobody can have won or lost all
        pairs = head_to_head(rows)
        better, met = pairs.better.sum(axis=1), pairs.meetings.sum(axis=1)
        for number, (won, of) in enumerate(zip(better, met)):
            if of and won in (0, of) and number != anchor:
                found[number] = "least" if won else "most"
    return found


def count_rows(rows: PoolRows) -> NDArray[np.float64]:
    """[4, bots]: each bot's matches, wins, sum of places, and faults."""
    counts = [np.ones(len(rows.bots)), rows.places == 1, rows.places, rows.faults]
    return np.array([rows.per_bot(values) for values in counts])


def overall(
    model: str, rated: Sequence[Rated], settings: RatingSettings, weights: Mapping[str, float] = ALIKE
) -> list[Rating]:  # fmt: skip
    """One ranking over all pools, best first; no rank for a bot that lacks a pool. With one pool it is that of the pool."""
    if len(rated) == 1:
        return [msgspec.structs.replace(rating, pool=OVERALL) for rating in rated[0].ratings()]
    by_bot: dict[Bot, list[Rating]] = {}
    for pool in rated:
        for bot, rating in zip(pool.bots, pool.unranked()):
            by_bot.setdefault(bot, []).append(rating)
    if settings.overall_rule == MEAN_MU:
        everywhere, bars = joint_bars([(pool.bots, pool.bars) for pool in rated])
        means = {bot: _mean(model, bot, parts, settings.ranks_by(model)) for bot, parts in by_bot.items()}
    else:
        found = combine([pool.skills for pool in rated], settings, weights)
        everywhere, bars = found.bots, found.bars
        means = dict(_combined(model, by_bot, found, settings.ranks_by(model)))
    apart = bars.separable_at_once(np.array([means[bot].mu for bot in everywhere]))
    complete = _ranked([means[bot] for bot in everywhere], apart)
    ranked = set(everywhere)
    return complete + sorted((mean for bot, mean in means.items() if bot not in ranked), key=_order)


def _combined(
    model: str, by_bot: Mapping[Bot, Sequence[Rating]], found: Combined, by: str
) -> Iterator[tuple[Bot, Rating]]:  # fmt: skip
    """The overall rating of every bot, without ranks."""
    numbers = {bot: (float(mu), float(sigma)) for bot, mu, sigma in zip(found.bots, found.mu, found.sigma)}
    for bot, parts in by_bot.items():
        mu, sigma = numbers.get(bot) or found.others[bot]
        yield bot, _unranked(model, OVERALL, bot, mu, sigma, found.bars.quantile * sigma, by, **_sums(parts))


def _mean(model: str, bot: Bot, parts: Sequence[Rating], by: str) -> Rating:
    half_width = math.sqrt(math.fsum((part.high - part.mu) ** 2 for part in parts)) / len(parts)
    return _unranked(
        model, OVERALL, bot, math.fsum(part.mu for part in parts) / len(parts),
        math.sqrt(math.fsum(part.sigma**2 for part in parts)) / len(parts), half_width, by, **_sums(parts),
    )  # fmt: skip


def _sums(parts: Sequence[Rating]) -> dict[str, Any]:
    """The counts of one bot over several pools."""
    matches = sum(part.matches for part in parts)
    return {
        "matches": matches, "wins": sum(part.wins for part in parts), "faults": sum(part.faults for part in parts),
        "mean_place": math.fsum(part.mean_place * part.matches for part in parts) / max(1, matches),
    }  # fmt: skip


def _unranked(
    model: str, pool: str, bot: Bot, mu: float, sigma: float, half_width: float, by: str, **counts: Any
) -> Rating:  # fmt: skip
    """`by`: which number is the rating."""
    less = {LOW: half_width, MU: 0.0, THREE_SIGMA: RATING_SIGMAS * sigma}[by]
    return Rating(
        model=model, pool=pool, bot=bot[0], bot_version=bot[1], mu=mu, sigma=sigma, rating=mu - less,
        low=mu - half_width, high=mu + half_width, rank=None, rank_low=None, rank_high=None, **counts,
    )  # fmt: skip


def _ranked(ratings: list[Rating], apart: NDArray[np.bool_]) -> list[Rating]:
    """The ratings of one pool, best first, with rank and its bounds; `apart` [bots, bots]: which pairs are separable at once.

    A bot is surely below another that is separable from it and has the higher mu. Ranks go by `rating`, which little play
    lowers; so that the bounds always hold the rank, they are widened to it. Bots that are equal but for the last digits share
    one. Those that have not played are the last.
    """
    rating, mu, sigma, matches = (
        np.array([getattr(one, name) for one in ratings], np.float64) for name in ("rating", "mu", "sigma", "matches")
    )  # fmt: skip
    both_played = (matches[:, None] > 0) & (matches > 0)
    is_above = np.where(both_played, rating > (rating + SAME * sigma)[:, None], matches > matches[:, None])  # [one, other]
    surely_above, surely_below = apart & (mu > mu[:, None]), apart & (mu <= mu[:, None])
    rank, best = 1 + is_above.sum(axis=1), 1 + surely_above.sum(axis=1)
    lows, highs = np.minimum(rank, best), np.maximum(rank, len(ratings) - surely_below.sum(axis=1))
    result = [
        msgspec.structs.replace(one, rank=own, rank_low=low, rank_high=high)
        for one, own, low, high in zip(ratings, rank.tolist(), lows.tolist(), highs.tolist())
    ]
    return sorted(result, key=lambda rating: (rating.rank, rating.bot, rating.bot_version))


def _order(rating: Rating) -> tuple[float, str, int]:
    return -rating.rating, rating.bot, rating.bot_version
