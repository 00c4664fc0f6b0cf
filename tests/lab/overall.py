"""Rankings, measured on made-up fields whose skills are known: what `python -m lab overall` prints.

A bot's skill in a game is drawn from a normal distribution whose spread is the game's own: where luck decides much it is small.
Two bots meet on deals that favour one seat, each deal in both seatings, as in a tournament. What a ranking says is then held
against the skills: does every game count alike, and do the intervals hold the true value as often as they say?
"""

import math
from collections.abc import Callable, Iterator, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from arena.engine import rng
from arena.ratings.beliefs import believe
from arena.ratings.models import BATCH_MODEL, MODEL
from arena.ratings.order import in_order
from arena.ratings.overall import PoolSkills, combine
from arena.ratings.rows import PoolRows
from arena.ratings.settings import MEAN_RANK, STANDARDIZED, RatingSettings
from arena.ratings.standings import Rated, rated_pool

RUNS = 200
ORDERS = 20
LUCK = 2.0  # standard deviation of what a deal gives a seat, in TrueSkill points
MEAN_OF_MUS = "mean of mus"
_KEY = b"arena bench overall"

Say = Callable[[str], None]


class FieldCase(msgspec.Struct, frozen=True):
    """A made-up tournament of several games."""

    name: str
    bots: int
    deals: int
    """Deals of each game; on each every bot plays one other in both seatings."""
    spreads: tuple[float, ...] = (6.0, 3.0, 2.0)
    """The standard deviation of the skills in each game, in TrueSkill points."""
    dominant: float = 0.0
    """How many standard deviations the first bot is better than the others in every game."""


CASES = (
    FieldCase("a field of 8", 8, 60),
    FieldCase("a field of 16", 16, 40),
    FieldCase("one dominant bot", 8, 60, dominant=3.0),
    FieldCase("a game of luck", 8, 60, (6.0, 3.0, 0.0)),
    FieldCase("4 bots", 4, 60),
    FieldCase("2 bots", 2, 60),
)


class OverallCost(msgspec.Struct, frozen=True, kw_only=True):
    """What one rule makes of one kind of field."""

    field: str
    rule: str
    runs: int
    correlations: tuple[float, ...]
    """The mean correlation of the overall numbers with the skills in each game, the widest spread first; without the dominant
    bot where there is one."""
    to_true: float
    """The mean correlation of the overall numbers with what they would be if all skills were known."""
    covered: float | None
    """The share of the 95 % intervals that hold the true value; None: there is none on the scale of this rule."""
    half_width: float | None
    """The mean half width of the intervals, in points of the overall scale."""


class OrderCost(msgspec.Struct, frozen=True, kw_only=True):
    """What the order of the matches does to one pool."""

    matches: int
    """The matches of a bot."""
    runs: int
    largest: float
    """The largest shift of an online mu over 20 orders, in all runs; TrueSkill points."""
    mean_largest: float
    """The mean over the runs of the largest shift of each."""
    swapped: float
    """The share of runs in which an online rank is another one in at least one order."""
    largest_batch: float
    """The largest shift of a mu of `trueskill-batch`."""
    covered_online: float
    """The share of the bots whose true value is in the interval around the online mu as it is."""
    covered_batch: float
    """The same around the mu of `trueskill-batch`, the mean of the field being 25."""
    covered_as_drawn: float
    """The share of the bots whose skill as it was drawn is in the interval around the online mu: the mean of the field, which
    no match can tell, is left where the draw has it."""
    covered_ranks: float
    """The share of the bots whose true rank is one of those in brackets, by `trueskill-batch`."""
    level: float
    """The standard deviation over the runs of the mean of all online mus: how far the level of the field drifts."""


def overall_costs(cases: Sequence[FieldCase] = CASES, runs: int = RUNS, say: Say = lambda _: None) -> list[OverallCost]:
    """Every rule on every kind of field."""
    found: list[OverallCost] = []
    for case in cases:
        say(f"{case.name}: {runs} tournaments of {len(case.spreads)} games ...")
        found += _case(case, runs)
    return found


def order_costs(deals: Sequence[int] = (15, 30, 60), bots: int = 8, runs: int = RUNS // 4) -> list[OrderCost]:
    """Pools of some sizes, in 20 orders each."""
    return [_orders(number, bots, runs) for number in deals]


def _case(case: FieldCase, runs: int) -> Iterator[OverallCost]:
    rules = (STANDARDIZED, MEAN_RANK, MEAN_OF_MUS)
    correlations: dict[str, list[list[float]]] = {rule: [] for rule in rules}
    held: dict[str, list[NDArray[np.bool_]]] = {rule: [] for rule in rules}
    widths: dict[str, list[float]] = {rule: [] for rule in rules}
    to_true: dict[str, list[float]] = {rule: [] for rule in rules}
    first = 1 if case.dominant else 0
    for run in range(runs):
        stream = np.random.default_rng(rng.derive(_KEY, case.name, run))
        skills = [25.0 + spread * _drawn(case, stream) for spread in case.spreads]
        pools = [_pool(f"game_{number}", own, case.deals, stream) for number, own in enumerate(skills)]
        for rule in rules:
            if rule == MEAN_OF_MUS:
                numbers = np.mean([pool.mu for pool in pools], axis=0)
            else:
                combined = combine(pools, RatingSettings(overall=rule), {})
                numbers, half = combined.mu, combined.bars.quantile * combined.sigma
                held[rule].append(np.abs(numbers - _truth(rule, skills)) <= half)
                widths[rule].append(float(half.mean()))
            to_true[rule].append(float(np.corrcoef(numbers, _truth(STANDARDIZED, skills))[0, 1]))
            if case.bots - first > 2:
                told = [own[first:] for own, spread in zip(skills, case.spreads) if spread]
                correlations[rule].append([float(np.corrcoef(numbers[first:], own)[0, 1]) for own in told])
    for rule in rules:
        mean = np.mean(correlations[rule], axis=0) if correlations[rule] else np.full(0, math.nan)
        yield OverallCost(
            field=case.name, rule=rule, runs=runs, correlations=tuple(map(float, mean)),
            to_true=float(np.mean(to_true[rule])),
            covered=float(np.mean(held[rule])) if held[rule] else None,
            half_width=float(np.mean(widths[rule])) if widths[rule] else None,
        )  # fmt: skip


def _drawn(case: FieldCase, stream: np.random.Generator) -> NDArray[np.float64]:
    skills = stream.standard_normal(case.bots)
    skills[0] += case.dominant
    return skills


def _truth(rule: str, skills: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """What the overall numbers would be if all skills were known."""
    total = np.zeros(len(skills[0]))
    for own in skills:
        if own.std() == 0.0:
            continue  # nobody is better
        if rule == STANDARDIZED:
            total += (own - own.mean()) / own.std(ddof=1)
        else:
            above = (own[:, None] > own[None, :]).sum(axis=1)
            total += (above - (len(own) - 1) / 2) / math.sqrt((len(own) ** 2 - 1) / 12)
    return np.asarray(25.0 + 25.0 / 3 * total / len(skills), np.float64)


def _pool(name: str, skill: NDArray[np.float64], deals: int, stream: np.random.Generator) -> PoolSkills:
    return rated_pool(BATCH_MODEL, name, made_up(skill, deals, stream), RatingSettings()).skills


def made_up(skill: NDArray[np.float64], deals: int, stream: np.random.Generator) -> PoolRows:
    """Matches of two seats by the model itself: on every deal the bots are paired anew, and each pair plays it twice."""
    bots, settings = len(skill), RatingSettings()
    pairs = bots // 2
    seated = np.array([stream.permutation(bots)[: 2 * pairs] for _ in range(deals)]).reshape(deals, pairs, 1, 2)
    players = np.concatenate([seated, seated[..., ::-1]], axis=2).reshape(-1, 2)  # both seatings of a pair are neighbours
    cards = np.repeat(stream.normal(0.0, LUCK, (deals, 2)), 2 * pairs, axis=0)
    shown = skill[players] + cards + stream.normal(0.0, settings.beta, players.shape)
    places = 1 + (shown < shown[:, ::-1])
    matches = len(players)
    return PoolRows(
        tuple((f"bot_{number:02}", 1) for number in range(bots)), np.arange(matches + 1, dtype=np.int64) * 2,
        np.repeat(np.arange(deals, dtype=np.int32), 2 * pairs), players.reshape(-1).astype(np.int32),
        np.tile(np.array([0, 1], np.int8), matches), places.reshape(-1).astype(np.int8),
        np.zeros(2 * matches, np.float32), np.zeros(2 * matches, np.bool_),
    )  # fmt: skip


def _orders(deals: int, bots: int, runs: int) -> OrderCost:
    settings = RatingSettings()
    shifts, batch_shifts, swapped = np.zeros(runs), np.zeros(runs), np.zeros(runs, np.bool_)
    held: dict[str, list[NDArray[np.bool_]]] = {MODEL: [], BATCH_MODEL: []}
    as_drawn: list[NDArray[np.bool_]] = []
    ranks_held: list[bool] = []
    levels: list[float] = []
    for run in range(runs):
        stream = np.random.default_rng(rng.derive(_KEY, "orders", deals, bots, run))
        skill = 25.0 + 4.0 * stream.standard_normal(bots)
        truth = skill - skill.mean() + 25.0
        rows = made_up(skill, deals, stream)
        planned = {model: rated_pool(model, "game", rows, settings) for model in held}
        for model, rated in planned.items():
            half = rated.bars.half_widths()
            held[model].append(np.abs(rated.beliefs.mu - truth) <= half)
            if model == MODEL:
                as_drawn.append(np.abs(rated.beliefs.mu - skill) <= half)
                levels.append(float(rated.beliefs.mu.mean()))
        ranks_held += _in_brackets(planned[BATCH_MODEL], skill)
        for _ in range(ORDERS):
            other = in_order(rows, stream.permutation(rows.matches))
            online, batch = (believe(model, other, settings) for model in (MODEL, BATCH_MODEL))
            before = planned[MODEL].beliefs
            shifts[run] = max(shifts[run], float(np.abs(online.mu - before.mu).max()))
            batch_shifts[run] = max(batch_shifts[run], float(np.abs(batch.mu - planned[BATCH_MODEL].beliefs.mu).max()))
            ranks = [np.argsort(-(one.mu - 3 * one.sigma), kind="stable") for one in (online, before)]
            swapped[run] |= bool(np.any(ranks[0] != ranks[1]))
    return OrderCost(
        matches=2 * deals, runs=runs, largest=float(shifts.max()), mean_largest=float(shifts.mean()),
        swapped=float(swapped.mean()), largest_batch=float(batch_shifts.max()), covered_online=float(np.mean(held[MODEL])),
        covered_batch=float(np.mean(held[BATCH_MODEL])), covered_as_drawn=float(np.mean(as_drawn)),
        covered_ranks=float(np.mean(ranks_held)), level=float(np.std(levels)),
    )  # fmt: skip


def _in_brackets(rated: Rated, skill: NDArray[np.float64]) -> list[bool]:
    """For each bot whether its true rank is one of those that the intervals allow."""
    true = {bot: 1 + int(np.sum(skill > own)) for bot, own in zip(rated.bots, skill)}
    return [(one.rank_low or 0) <= true[one.bot, one.bot_version] <= (one.rank_high or 0) for one in rated.ratings()]
