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
from arena.ratings.fit import Fit, fit_of
from arena.ratings.models import BATCH_MODEL
from arena.ratings.rows import Bot, PoolRows
from arena.ratings.settings import DRAW_PROBABILITY, RatingSettings, draw_margin
from arena.ratings.standings import rated_pool
from arena.records import Rating

RUNS = 300
LUCK = 2.0  # standard deviation of what a deal gives a seat, in TrueSkill points
SPREAD = 3.0  # standard deviation of the skills
DEALS_OF_A_ROUND = 4  # of Swiss, and between two looks at a ladder
SETTINGS = RatingSettings()
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
    format: str = "robin"
    """`robin`, `swiss`, or `ladder`, where one bot after the other joins."""
    names_loser: bool = False
    """Whether a match names its worst alone."""
    ties: float = DRAW_PROBABILITY
    """The probability that two equal bots tie, as they do in games: by equal scores."""
    forfeits: float = 0.0
    """The share of the seats that forfeit by accident."""
    cycle: float = 0.0
    """By how many points each of the first three is better against the next of them."""


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
    slope: float | None
    """By how much mu rises with a point of skill; None: all are equal."""
    doubtful: float | None
    """The share of the pools that the model is said not to fit; None: of none that can be said."""
    cycles: float
    """The share of the pools in which a cycle is named."""


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
        Field(name="two hundred bots", deals=(16,) * 200),
        Field(name="three bots", deals=(60,) * 3),
        Field(name="swiss", deals=(32,) * 12, format="swiss"),
        Field(name="swiss, 4 seats", deals=(32,) * 16, seats=4, format="swiss"),
        Field(name="ladder with newcomers", deals=(0,) + (24,) * 9 + (4,) * 2, format="ladder", copies=1),
        Field(name="one loser, 3 seats", deals=(60,) * 6, seats=3, names_loser=True),
        Field(name="one loser and forfeits, 3 seats", deals=(60,) * 6, seats=3, names_loser=True, forfeits=0.01),
        Field(name="forfeits", deals=(60,) * 6, forfeits=0.01),
        Field(name="a cycle", deals=(150,) * 6, cycle=3.0),
    )


def fields_of_ties() -> tuple[Field, ...]:
    """Pools of more and fewer ties, 800 matches a bot."""
    sizes = ((2, 6, 134), (3, 6, 267), (4, 8, 200), (5, 5, 160))  # seats, bots, deals
    return tuple(
        Field(name=f"ties {ties:.0%}, {seats} seats", deals=(deals,) * bots, seats=seats, ties=ties)
        for ties in (0.0, 0.1, 0.3)
        for seats, bots, deals in sizes
    )


def coverages(
    runs: int = RUNS, only: str = "", say: Say = lambda _: None, model: str = BATCH_MODEL, settings: RatingSettings = SETTINGS
) -> Iterator[Coverage]:  # fmt: skip
    """All kinds of pools whose names contain `only`, rated by a model with these settings."""
    for field in fields() + fields_of_ties():
        if only in field.name:
            say(f"{field.name} ...")
            yield covered(field, runs, model, settings)


def covered(field: Field, runs: int, model: str = BATCH_MODEL, settings: RatingSettings = SETTINGS) -> Coverage:
    """Return how often the numbers of one kind of pool hold."""
    bots = len(field.deals)
    pairs = [np.array(pair) for pair in np.triu_indices(bots, 1)]
    is_new = np.array(field.deals) < max(field.deals)
    with_new = is_new[pairs[0]] | is_new[pairs[1]]
    held: dict[str, list[NDArray[np.bool_]]] = {key: [] for key in ("intervals", "new", "pairs", "with new", "equal", "ranks")}
    widths, wide, slopes = [], [], []
    fits: list[Fit] = []
    for run in range(runs):
        stream = np.random.default_rng(rng.derive(_KEY, field.name, run))
        skill = SPREAD * stream.standard_normal(bots)
        skill[bots - field.copies :] = skill[0]
        rows = made_up(field, skill, stream)
        rated = rated_pool(model, "game", rows, settings)
        if (fit := fit_of(rows, settings)) is not None:
            fits.append(fit)
        mu, half = rated.beliefs.mu, rated.bars.half_widths()
        from_mean = skill - skill.mean()
        if (spread := float(from_mean @ from_mean)) > 0.0:
            slopes.append(float(mu @ from_mean) / spread)
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
        half_width=float(np.mean(widths)), slope=float(np.mean(slopes)) if slopes else None,
        doubtful=float(np.mean([fit.is_doubtful for fit in fits])) if fits else None,
        cycles=float(np.mean([bool(fit.cycles) for fit in fits])) if fits else 0.0,
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


class Matches:
    """Matches of the model, played deal by deal; each table in all rotations."""

    def __init__(self, field: Field, skill: NDArray[np.float64], stream: np.random.Generator) -> None:
        self._field, self._skill, self._stream = field, skill, stream
        self._deals = 0
        self._numbers: list[NDArray[np.int64]] = []
        self._places: list[NDArray[np.int64]] = []
        self._of_deal: list[int] = []

    def play(self, tables: Tables) -> None:
        """Play one more deal at some tables."""
        field, stream = self._field, self._stream
        rest = math.sqrt(SETTINGS.beta**2 - LUCK**2)  # cards and this together are the noise of the model
        cards = stream.normal(0.0, LUCK, field.seats)
        for table in tables:
            for turn in range(field.seats):
                seated = np.roll(np.array(table), turn)
                shown = self._skill[seated] + cards + stream.normal(0.0, rest, field.seats)
                if field.cycle and field.seats == 2 and seated.max() < 3:
                    shown[0] += field.cycle if (seated[0] + 1) % 3 == seated[1] else -field.cycle
                self._numbers.append(seated)
                self._places.append(self._result(shown))
                self._of_deal.append(self._deals)
        self._deals += 1

    def _result(self, shown: NDArray[np.float64]) -> NDArray[np.int64]:
        """Places by what was shown, in whole scores; who forfeits is behind all others."""
        field = self._field
        gone = self._stream.random(len(shown)) < field.forfeits
        step = 2.0 * math.sqrt(2.0) * draw_margin(field.ties, SETTINGS.beta)  # who is nearer than half of it may tie
        scores = np.floor(shown / step) if step else shown
        if field.names_loser:
            scores = np.where((np.arange(len(shown)) == shown.argmin()) & ~gone.any(), -1.0, 0.0)
        return _places(np.where(gone, -1e6 * (1.0 + self._stream.random(len(shown))), scores))

    def rows(self) -> PoolRows:
        """All matches so far."""
        matches, seats = len(self._numbers), self._field.seats
        empty = [np.zeros(0, np.int64)]
        return PoolRows(
            tuple((f"bot_{number:03}", 1) for number in range(len(self._skill))),
            np.arange(matches + 1, dtype=np.int64) * seats, np.array(self._of_deal, np.int32),
            np.concatenate(self._numbers or empty).astype(np.int32), np.tile(np.arange(seats, dtype=np.int8), matches),
            np.concatenate(self._places or empty).astype(np.int8), np.zeros(matches * seats, np.float32),
            np.zeros(matches * seats, np.bool_), named_losers=np.full(matches, self._field.names_loser),
        )  # fmt: skip


def made_up(field: Field, skill: NDArray[np.float64], stream: np.random.Generator) -> PoolRows:
    """The matches of one pool."""
    matches = Matches(field, skill, stream)
    {"robin": _play_robin, "swiss": _play_swiss, "ladder": _play_ladder}[field.format](field, matches, stream)
    return matches.rows()


def _play_robin(field: Field, matches: Matches, stream: np.random.Generator) -> None:
    everywhere = [bot for bot, deals in enumerate(field.deals) if deals == field.deals[0]]
    for _ in range(field.deals[0]):
        matches.play(_robin(everywhere, field.seats, stream))
    for bot, own in enumerate(field.deals):
        if own < field.deals[0]:
            for _ in range(own):
                matches.play(_visit(bot, everywhere, field.seats, stream))


def _play_swiss(field: Field, matches: Matches, stream: np.random.Generator) -> None:
    """Rounds of deals that all tables share; next to each other sit those who have won as much so far."""
    for _ in range(0, field.deals[0], DEALS_OF_A_ROUND):
        wins = _wins(matches.rows(), len(field.deals))
        order = np.lexsort((stream.random(len(wins)), -wins)).tolist()
        tables = [tuple(order[first : first + field.seats]) for first in range(0, len(order) - field.seats + 1, field.seats)]
        for _ in range(DEALS_OF_A_ROUND):
            matches.play(tables)


def _play_ladder(field: Field, matches: Matches, stream: np.random.Generator) -> None:
    """One bot after the other joins, and plays its deals against those that are nearest to it on the board of the time."""
    bots = len(field.deals)
    matches.play([(0, 1)])
    for joining in range(1, bots):
        for _ in range(field.deals[joining] // DEALS_OF_A_ROUND):
            mu = rated_pool(BATCH_MODEL, "game", matches.rows(), SETTINGS).beliefs.mu
            nearest = np.argsort(np.abs(mu[:joining] - mu[joining]), kind="stable")[:3].tolist()
            for _ in range(DEALS_OF_A_ROUND):
                matches.play([(joining, other) for other in nearest])


def _wins(rows: PoolRows, bots: int) -> NDArray[np.float64]:
    return np.bincount(rows.bots, rows.places == 1, bots) if rows.matches else np.zeros(bots)


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


def _places(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """Places by scores; equal ones share theirs."""
    return 1 + np.sum(scores[None, :] > scores[:, None], axis=1)
