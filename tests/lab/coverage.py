"""Intervals of pools in which bots have played very unequally: do they hold as often as they say? `python -m lab ratings`.

Skills are drawn, and every match is played by the model itself, with a deal that favours seats: newcomers of a ladder, visitors
of a lasting board, leavers, copies. Each pool is rated as a board is, and its intervals are held against the skills.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from arena.engine import rng
from arena.ratings.models import BATCH_MODEL
from arena.ratings.rows import Bot, PoolRows
from arena.ratings.settings import RatingSettings
from arena.ratings.standings import rated_pool
from arena.records import Rating

RUNS = 300
LUCK = 2.0  # standard deviation of what a deal gives a seat, in TrueSkill points
SPREAD = 3.0  # standard deviation of the skills
_KEY = b"arena lab ratings"

Say = Callable[[str], None]
Tables = list[tuple[int, ...]]


class Field(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of made-up pool."""

    name: str
    deals: tuple[int, ...]
    """How many deals each bot plays; who plays fewer than the first one plays them against those who play as many as that."""
    seats: int = 2
    copies: int = 0
    """How many bots, the last ones, are as skilled as the first."""


class Coverage(msgspec.Struct, frozen=True, kw_only=True):
    """How often the numbers of one kind of pool hold."""

    field: str
    runs: int
    intervals: float
    """The share of the 95 % intervals that hold the skill, the mean of the field being known."""
    pairs: float
    """The share of the pairs the interval of whose difference holds it."""
    newcomers: float | None
    """The same among pairs with a bot that played less than the first; None: there is none."""
    newcomers_intervals: float | None
    equal: float | None
    """The share of the pairs of equally skilled bots that are called separable; None: there is none."""
    brackets: float
    """The share of the bots whose true rank is in brackets; of equals all the ranks that they share."""
    all_brackets: float
    """The share of the pools in which all are."""
    ranks: float
    """How many ranks are in brackets, the mean of all bots."""
    half_width: float
    """The mean half width of the intervals of the bots that played most, in TrueSkill points."""


def fields() -> tuple[Field, ...]:
    """The kinds of pools that are tried."""
    robins = [Field(name=f"round robin, {seats} seats", deals=(60,) * 6, seats=seats) for seats in (2, 3, 4, 5)]
    newcomers = [
        Field(name=f"newcomer of {deals} deals, {seats} seats", deals=(60,) * 5 + (deals,), seats=seats, copies=1)
        for seats in (2, 4)
        for deals in (1, 2, 3, 4, 8, 20)
    ]
    return (
        *robins,
        Field(name="round robin, few deals", deals=(6,) * 6),
        *newcomers,
        Field(name="lasting board with visitors", deals=(80,) * 6 + (1, 2, 2, 3, 4, 6, 10), copies=1),
        Field(name="leavers", deals=(60,) * 5 + (3, 6, 10), copies=1),
        Field(name="ten copies", deals=(60,) * 10, copies=9),
        Field(name="forty bots", deals=(30,) * 30 + (4,) * 10),
    )


def coverages(runs: int = RUNS, only: str = "", say: Say = lambda _: None) -> Iterator[Coverage]:
    """All kinds of pools whose names contain `only`."""
    for field in fields():
        if only in field.name:
            say(f"{field.name} ...")
            yield _covered(field, runs)


def _covered(field: Field, runs: int) -> Coverage:
    bots = len(field.deals)
    pairs = [np.array(pair) for pair in np.triu_indices(bots, 1)]
    is_new = np.array(field.deals) < field.deals[0]
    with_new = is_new[pairs[0]] | is_new[pairs[1]]
    held: dict[str, list[NDArray[np.bool_]]] = {key: [] for key in ("intervals", "new", "pairs", "with new", "equal", "ranks")}
    widths, wide = [], []
    for run in range(runs):
        stream = np.random.default_rng(rng.derive(_KEY, field.name, run))
        skill = SPREAD * stream.standard_normal(bots)
        skill[bots - field.copies :] = skill[0]
        rated = rated_pool(BATCH_MODEL, "game", made_up(field, skill, stream), RatingSettings())
        mu, half = rated.beliefs.mu, rated.bars.half_widths()
        inside = np.abs(mu - mu.mean() - skill + skill.mean()) <= half
        held["intervals"].append(inside)
        held["new"].append(inside[is_new])
        widths.append(float(half[~is_new].mean()))
        apart = (skill[:, None] - skill[None, :])[pairs[0], pairs[1]]
        off = ~rated.bars.separable(mu - skill)[pairs[0], pairs[1]]
        held["pairs"].append(off)
        held["with new"].append(off[with_new])
        held["equal"].append(~off[apart == 0.0])
        ratings = rated.ratings()
        held["ranks"].append(_in_brackets(ratings, dict(zip(rated.bots, skill.tolist()))))
        wide.append(np.mean([1 + (one.rank_high or 0) - (one.rank_low or 0) for one in ratings]))
    shares = {key: float(np.mean(np.concatenate(found))) if found[0].size else None for key, found in held.items()}
    return Coverage(
        field=field.name, runs=runs, intervals=shares["intervals"] or 0.0, pairs=shares["pairs"] or 0.0,
        newcomers=shares["with new"], newcomers_intervals=shares["new"], equal=shares["equal"], brackets=shares["ranks"] or 0.0,
        all_brackets=float(np.mean([found.all() for found in held["ranks"]])), ranks=float(np.mean(wide)),
        half_width=float(np.mean(widths)),
    )  # fmt: skip


def _in_brackets(ratings: Sequence[Rating], skill: Mapping[Bot, float]) -> NDArray[np.bool_]:
    """For each bot whether its true rank is in brackets, with all those that it shares with its equals."""
    held = []
    for one in ratings:
        own = skill[one.bot, one.bot_version]
        best = 1 + sum(other > own for other in skill.values())
        worst = sum(other >= own for other in skill.values())
        held.append((one.rank_low or 0) <= best and worst <= (one.rank_high or 0))
    return np.array(held)


def made_up(field: Field, skill: NDArray[np.float64], stream: np.random.Generator) -> PoolRows:
    """Matches of the model: each deal is played at some tables, at each in all rotations."""
    everywhere = [bot for bot, deals in enumerate(field.deals) if deals == field.deals[0]]
    deals = [_robin(everywhere, field.seats, stream) for _ in range(field.deals[0])]
    for bot, own in enumerate(field.deals):
        if own < field.deals[0]:
            deals += [_visit(bot, everywhere, field.seats, stream) for _ in range(own)]
    settings = RatingSettings()
    rest = math.sqrt(settings.beta**2 - LUCK**2)  # cards and this together are the noise of the model
    numbers, places, of_deal = [], [], []
    for deal, tables in enumerate(deals):
        cards = stream.normal(0.0, LUCK, field.seats)
        for table in tables:
            for turn in range(field.seats):
                seated = np.roll(np.array(table), turn)
                shown = skill[seated] + cards + stream.normal(0.0, rest, field.seats)
                numbers.append(seated)
                places.append(_places(shown, settings.margin * math.sqrt(2.0)))
                of_deal.append(deal)
    rows = len(numbers) * field.seats
    return PoolRows(
        tuple((f"bot_{number:02}", 1) for number in range(len(skill))),
        np.arange(len(numbers) + 1, dtype=np.int64) * field.seats, np.array(of_deal, np.int32),
        np.concatenate(numbers).astype(np.int32), np.tile(np.arange(field.seats, dtype=np.int8), len(numbers)),
        np.concatenate(places).astype(np.int8), np.zeros(rows, np.float32), np.zeros(rows, np.bool_),
    )  # fmt: skip


def _robin(bots: Sequence[int], seats: int, stream: np.random.Generator) -> Tables:
    """Tables at which every bot sits once, as far as that goes; at tables of two, once against each of three others."""
    tables: Tables = []
    for _ in range(3 if seats == 2 else 1):
        mixed = stream.permutation(np.array(bots)).tolist()
        tables += [tuple(mixed[first : first + seats]) for first in range(0, len(mixed) - seats + 1, seats)]
    return tables


def _visit(bot: int, bots: Sequence[int], seats: int, stream: np.random.Generator) -> Tables:
    """Tables of one bot with others: with each of them at tables of two, else three."""
    if seats == 2:
        return [(bot, other) for other in bots]
    return [(bot, *stream.permutation(np.array(bots))[: seats - 1].tolist()) for _ in range(3)]


def _places(shown: NDArray[np.float64], margin: float) -> NDArray[np.int64]:
    """Places by what was shown; who is nearer to the one before than the margin shares its place."""
    order = np.argsort(-shown)
    begins = np.concatenate([[True], -np.diff(shown[order]) > margin])
    places = np.zeros(len(shown), np.int64)
    places[order] = 1 + np.maximum.accumulate(np.where(begins, np.arange(len(shown)), 0))
    return places
