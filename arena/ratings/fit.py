"""Does the model fit the matches of a pool? What it predicts of each pair of bots, beside what was observed.

A pair is compared in every match that both played against each other. Predicted is the share of these in which the first bot
finishes before the second, were all as skilled as their ratings say; ties are halves. What the results differ from that is
weighed by the variance of independent matches, times one factor for the whole pool that says how much the matches of a deal
agree, and less what the fit of the skills took. The statistic is the sum of the squares; its tail is that of a scaled
chi-square with the mean and variance that the deals show (J. N. K. Rao and A. J. Scott, "On chi-squared tests for multiway
contingency tables", 1984).

A *cycle* is three bots each of which surely beats the next: no number for each bot can say that.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy import special

from arena.ratings.beliefs import believe
from arena.ratings.error_bars import at_once
from arena.ratings.models import BATCH_MODEL, model_of
from arena.ratings.rows import Beliefs, Bot, PoolRows
from arena.ratings.settings import RatingSettings

Numbers = NDArray[np.float64]

MOST_BOTS = 30  # those that played most: every pair is a row of the table, and of the covariance
LEAST_DEALS = 12  # of a pair: the spread over fewer is hardly known
WARNING = 0.01  # chance below which a board warns: one of a hundred boards does without reason
_NODES = 24  # of the integral over the loser's performance: five digits
_LEAST_VARIANCE = 1e-3  # of a match between bots of whom one all but surely wins


class PairFit(msgspec.Struct, frozen=True):
    """What was predicted of a pair, and what was observed."""

    bot: Bot
    other: Bot
    meetings: int
    deals: int
    predicted: float
    """The share of the meetings in which `bot` should have finished before `other`."""
    observed: float
    chance: float
    """How likely a model that fits would be off by as much in this pair."""


class Fit(msgspec.Struct, frozen=True):
    """How well the ratings of a pool tell the results of pairs."""

    pairs: tuple[PairFit, ...]
    """The pairs with enough deals, the least likely first."""
    chance: float
    """How likely a model that fits would be off by as much, over all pairs."""
    cycles: tuple[tuple[Bot, Bot, Bot], ...]
    """Each surely beats the next one, and the last one the first."""

    @property
    def is_doubtful(self) -> bool:
        """Whether the model does not fit."""
        return self.chance < WARNING or bool(self.cycles)

    def expected_of(self, bot: Bot) -> dict[Bot, float]:
        """The share of its meetings with each other bot in which a bot should have finished first, where that is known."""
        as_first = {pair.other: pair.predicted for pair in self.pairs if pair.bot == bot}
        return as_first | {pair.bot: 1.0 - pair.predicted for pair in self.pairs if pair.other == bot}


def fit_of(rows: PoolRows, settings: RatingSettings) -> Fit | None:
    """Return how TrueSkill of all matches at once fits those of a pool, with their luck: nothing else is a fit to results.

    None where it meets any shares, as with two bots, where no pair is known well enough (over 12 deals; only the 30 bots that
    played most are looked at), and where the headline is of another family.
    """
    model = model_of(settings.headline_model)
    if not model.has_error_bars or model.error_bars is not None or not rows.matches:
        return None
    meetings = _meetings(rows, believe(BATCH_MODEL, rows, settings), settings)
    if meetings is None or len(meetings.pairs) <= meetings.bots - 1:
        return None
    sums, independent = meetings.by_deal(), _sums(meetings.pair, meetings.variance, len(meetings.pairs))
    independent = independent * float((sums**2).sum() / independent.sum())  # so much more or less do matches of a deal say
    left = meetings.left_by_the_fit(independent)
    scaled = sums / np.sqrt(independent) @ left  # [deals, pairs]
    off, covariance = scaled.sum(axis=0), scaled.T @ scaled
    degrees = np.maximum(1, (sums != 0.0).sum(axis=0) - 1)
    told = (degrees + 1) / (degrees + 1 + LEAST_DEALS)  # of the spread between deals; the rest is that of independent matches
    errors = np.sqrt(np.maximum(_LEAST_VARIANCE, told * np.diag(covariance) + (1.0 - told) * np.diag(left)))
    found = _pairs(meetings, off / errors, degrees, rows.bots_by_number)
    beaten = 2.0 * special.stdtr(degrees, -np.abs(meetings.observed - 0.5) * meetings.counts / np.sqrt(independent))
    chance = _tail(float(off @ off), covariance, float((scaled**2).sum(axis=1) @ (scaled**2).sum(axis=1)))
    return Fit(
        tuple(sorted(found, key=lambda pair: (pair.chance, pair.bot, pair.other))), chance, _cycles(found, at_once(beaten))
    )


def _pairs(meetings: "_Meetings", ratios: Numbers, degrees: NDArray[np.int64], bots: tuple[Bot, ...]) -> list[PairFit]:
    """`ratios` [pairs]: by how many standard errors each pair is off."""
    chances = 2.0 * special.stdtr(degrees, -np.abs(ratios))
    return [
        PairFit(
            bots[one], bots[other], int(meetings.counts[row]), int(degrees[row]) + 1, float(meetings.predicted[row]),
            float(meetings.observed[row]), float(chances[row]),
        )
        for row, (one, other) in enumerate(meetings.pairs)
    ]  # fmt: skip


def _tail(statistic: float, covariance: Numbers, own: float) -> float:
    """Return how likely a sum of squares is as large. `own`: what deals say of their own squares, which is no correlation."""
    mean = float(np.trace(covariance))
    squares = max(float(np.sum(covariance**2)) - own, mean**2 / len(covariance))
    degrees = mean**2 / squares
    return float(special.chdtrc(degrees, statistic * degrees / mean))


@dataclass(frozen=True)
class _Meetings:
    """Both bots of a match beside each other; arrays have an element per meeting."""

    bots: int
    """How many bots the pairs are made of."""
    pairs: tuple[tuple[int, int], ...]
    """The bots of each pair, by their numbers in the pool."""
    pair: NDArray[np.int64]
    deal: NDArray[np.int64]
    result: Numbers
    """1: the first bot of the pair finished before the other, 0: behind it, a half: at the same place."""
    expected: Numbers
    variance: Numbers
    """The variance of the result, were all matches independent; the slope of what is expected is all but proportional to it."""

    @property
    def counts(self) -> Numbers:
        """[pairs]: the meetings of each pair."""
        return _sums(self.pair, np.ones(len(self.pair)), len(self.pairs))

    @property
    def observed(self) -> Numbers:
        """[pairs]: the share of the meetings in which the first bot finished before the other."""
        return _sums(self.pair, self.result, len(self.pairs)) / self.counts

    @property
    def predicted(self) -> Numbers:
        """[pairs]: the share in which it should have."""
        return _sums(self.pair, self.expected, len(self.pairs)) / self.counts

    def by_deal(self) -> Numbers:
        """[deals, pairs]: by how much the results of a deal are off, added up."""
        deals, places = np.unique(self.deal, return_inverse=True)
        off = _sums(places * len(self.pairs) + self.pair, self.result - self.expected, len(deals) * len(self.pairs))
        return off.reshape(len(deals), len(self.pairs))

    def left_by_the_fit(self, variances: Numbers) -> Numbers:
        """[pairs, pairs]: what is left of residuals, in standard errors, when skills are fitted to them."""
        numbers = {bot: place for place, bot in enumerate(sorted({bot for pair in self.pairs for bot in pair}))}
        slopes = np.zeros((len(self.pairs), len(numbers)))
        for row, (one, other) in enumerate(self.pairs):
            slopes[row, numbers[one]], slopes[row, numbers[other]] = variances[row] ** 0.5, -(variances[row] ** 0.5)
        return np.eye(len(self.pairs)) - slopes @ np.linalg.pinv(slopes)


def _meetings(rows: PoolRows, beliefs: Beliefs, settings: RatingSettings) -> _Meetings | None:
    """The meetings of the bots that played most, of pairs with enough deals."""
    played = np.bincount(rows.bots, minlength=len(rows.bots_by_number))
    chosen = np.flatnonzero(played > 0)
    chosen = np.sort(chosen[np.argsort(-played[chosen], kind="stable")][:MOST_BOTS])
    parts = list(_by_distance(rows, beliefs, settings))
    if not parts:
        return None
    one, other, deal, result, expected, variance = (np.concatenate(columns) for columns in zip(*parts))
    turned, low, high = one > other, np.minimum(one, other), np.maximum(one, other)
    result, expected = (np.where(turned, 1.0 - part, part) for part in (result, expected))
    kept = np.isin(low, chosen) & np.isin(high, chosen) & (low != high)
    codes, pair = np.unique(low[kept] * len(played) + high[kept], return_inverse=True)
    deals = np.unique(np.stack([pair, deal[kept]]), axis=1)[0]
    enough = np.flatnonzero(np.bincount(deals, minlength=len(codes)) >= LEAST_DEALS)
    if not len(enough):
        return None
    wanted = np.isin(pair, enough)
    pairs = tuple((int(code // len(played)), int(code % len(played))) for code in codes[enough])
    result, expected, variance, deal = (part[kept][wanted] for part in (result, expected, variance, deal))
    bots = len({bot for both in pairs for bot in both})
    return _Meetings(bots, pairs, np.searchsorted(enough, pair[wanted]), deal, result, expected, variance)


_Columns = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], Numbers, Numbers, Numbers]


def _by_distance(rows: PoolRows, beliefs: Beliefs, settings: RatingSettings) -> Iterator[_Columns]:
    """Both bots, the deal, the result of the first, what is expected and its variance: of seats that are so far apart."""
    match = np.repeat(np.arange(rows.matches), np.diff(rows.starts))
    shown, spread, worst = _teams(rows, match, beliefs, settings)
    draw = settings.margin_of(beliefs) / settings.beta
    for distance in range(1, int(np.diff(rows.starts).max(initial=1))):
        one = np.flatnonzero(match[:-distance] == match[distance:])
        other = one + distance
        tied, names_loser = rows.places[one] == rows.places[other], rows.names_loser[match[one]]
        compared = (rows.units[one] != rows.units[other]) & ~(tied & names_loser)
        one, other, tied, names_loser = one[compared], other[compared], tied[compared], names_loser[compared]
        result = np.where(tied, 0.5, (rows.places[one] < rows.places[other]).astype(np.float64))
        apart = (shown[one] - shown[other]) / np.hypot(spread[one], spread[other])
        sure, at_least_tied = special.ndtr(apart - draw), special.ndtr(apart + draw)
        expected = (sure + at_least_tied) / 2
        variance = expected * (1.0 - expected) - (at_least_tied - sure) / 4
        among_losers = worst[other] / np.maximum(1e-300, worst[one] + worst[other])
        expected = np.where(names_loser, among_losers, expected)
        variance = np.where(names_loser, expected * (1.0 - expected), variance)
        yield (
            rows.bots[one].astype(np.int64), rows.bots[other].astype(np.int64), rows.deals[match[one]].astype(np.int64), result,
            expected, np.maximum(_LEAST_VARIANCE, variance),
        )  # fmt: skip


def _teams(
    rows: PoolRows, match: NDArray[np.int64], beliefs: Beliefs, settings: RatingSettings
) -> tuple[Numbers, Numbers, Numbers]:  # fmt: skip
    """[rows]: the skill of the row's team, the noise of what it shows, and the chance that it shows least of its match."""
    _, team = np.unique(match * 256 + rows.units, return_inverse=True)
    shown = _sums(team, beliefs.mu[rows.bots])[team]
    spread = settings.beta * np.sqrt(_sums(team, np.ones(len(team))))[team]
    worst = np.zeros(len(rows.bots))
    sizes = np.diff(rows.starts)
    for seats in np.unique(sizes[rows.names_loser]).tolist():
        own = rows.starts[:-1][rows.names_loser & (sizes == seats)][:, None] + np.arange(seats)  # [matches, seats]: rows
        worst[own] = _shows_least(shown[own], spread[own])
    return shown, spread, worst


def _sums(at: NDArray[np.int64], values: Numbers, size: int = 0) -> Numbers:
    """The sums of the values at each place."""
    return np.asarray(np.bincount(at, values, size), np.float64)


def _shows_least(shown: Numbers, spread: Numbers) -> Numbers:
    """[matches, seats]: the chance of each seat to show less than all others, by a sum over its own performance."""
    points, weights = np.polynomial.hermite_e.hermegauss(_NODES)
    found = np.zeros_like(shown)
    for point, weight in zip(points.tolist(), (weights / weights.sum()).tolist()):
        performance = shown + spread * point
        for seat in range(shown.shape[1]):
            above = special.ndtr((shown - performance[:, seat : seat + 1]) / spread)
            above[:, seat] = 1.0
            found[:, seat] += weight * above.prod(axis=1)
    return found


def _cycles(pairs: Sequence[PairFit], is_sure: NDArray[np.bool_]) -> tuple[tuple[Bot, Bot, Bot], ...]:
    """Return all threes of bots that surely beat each other in turn; the first by name begins. `is_sure`: by pair."""
    beaten: dict[Bot, set[Bot]] = {}
    for pair, sure in zip(pairs, is_sure.tolist()):
        if sure:
            better, worse = (pair.bot, pair.other) if pair.observed > 0.5 else (pair.other, pair.bot)
            beaten.setdefault(better, set()).add(worse)
    found = {
        (first, second, third)
        for first, seconds in beaten.items()
        for second in seconds
        for third in beaten.get(second, set())
        if first in beaten.get(third, set()) and first == min(first, second, third)
    }
    return tuple(sorted(found))
