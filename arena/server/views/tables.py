"""The rows of a board, as pages, JSON and sockets have them."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import msgspec

from arena.ratings.rows import Bot
from arena.ratings.settings import OVERALL
from arena.records import Ending, Rating
from arena.reports.selection.boards import Online, may_swap, without_rank
from arena.reports.selection.costs import Costs, costs_of
from arena.reports.selection.names import name_of, shown
from arena.server.views.dead import Dead

NOTHING: Online = MappingProxyType({})
NOBODY: Mapping[str, Mapping[Bot, Dead]] = MappingProxyType({})


class Cost(msgspec.Struct, frozen=True, kw_only=True):
    """What a bot's decisions cost, and how its matches ended."""

    median_ms: float
    """The median CPU time of a decision."""
    mean_ms: float
    worst_ms: float
    decisions: int
    endings: dict[Ending, int]


class BoardRow(msgspec.Struct, frozen=True, kw_only=True):
    """One bot of a board."""

    bot: str
    version: int
    shown: str
    """The name as a page shows it: cut to a length, in one line, all of it visible."""
    rank: int | None
    rank_low: int | None
    rank_high: int | None
    """The worst rank that the intervals allow; `rank_low` is the best one."""
    separable: bool | None
    """Whether the intervals separate the bot from the one above it; None for the first, and without a rank."""
    rating: float
    """The conservative rating by which bots are ranked: mu - 3 sigma."""
    online: float | None
    """The rating as it was played, match after match; None where that is the one by which bots are ranked."""
    mu: float
    sigma: float
    low: float
    high: float
    """The upper end of the 95 % interval of mu; while a tournament is played it is that of the belief alone."""
    matches: int
    wins: int
    mean_place: float
    faults: int
    cost: Cost | None = None
    """What its decisions cost; None while the tournament is played."""
    dead: Dead | None = None
    """Why the page hides the bot, unless all are wanted; only on the board of a ladder."""


class WithoutRank(msgspec.Struct, frozen=True, kw_only=True):
    """A bot that has no overall rank, because it has no match in some pool."""

    bot: str
    version: int
    shown: str
    """The name as a page shows it."""
    pools: tuple[str, ...]
    """The pools in which it has matches."""


def bots_without_rank(ratings: Sequence[Rating], pools: Sequence[str]) -> tuple[WithoutRank, ...]:
    """The bots that lack an overall rank, where there is an overall board. `ratings`: headline ratings."""
    if OVERALL not in pools:
        return ()
    return tuple(
        WithoutRank(bot=bot, version=version, shown=shown(bot, version), pools=tuple(played))
        for (bot, version), played in without_rank(ratings).items()
        if played
    )


def board_rows(
    ratings: Sequence[Rating],
    pool: str,
    costs: Costs | None = None,
    *,
    dead: Mapping[str, Mapping[Bot, Dead]] = NOBODY,
    online: Online = NOTHING,
) -> tuple[BoardRow, ...]:
    """The rows of a pool from headline ratings, best first; in the overall pool only bots with a rank.

    `dead`: who is hidden in each pool; `online`: the ratings in the order of play.
    """
    chosen = [rating for rating in ratings if rating.pool == pool]
    if pool == OVERALL:
        chosen = [rating for rating in chosen if rating.rank is not None]
    above: list[Rating | None] = [None, *chosen[:-1]]
    hidden = dead.get(pool, {})
    return tuple(
        _row(
            rating,
            other,
            costs,
            hidden.get((rating.bot, rating.bot_version)),
            online.get((pool, rating.bot, rating.bot_version)),
        )
        for rating, other in zip(chosen, above)
    )


def _row(rating: Rating, above: Rating | None, costs: Costs | None, dead: Dead | None, online: Rating | None) -> BoardRow:
    separable = None if above is None or rating.rank is None else not may_swap(above, rating)
    return BoardRow(
        bot=rating.bot, version=rating.bot_version, shown=name_of(rating), rank=rating.rank, rank_low=rating.rank_low,
        rank_high=rating.rank_high, separable=separable, rating=round(rating.rating, 4),
        online=None if online is None else round(online.rating, 4), mu=round(rating.mu, 4),
        sigma=round(rating.sigma, 4), low=round(rating.low, 4), high=round(rating.high, 4), matches=rating.matches,
        wins=rating.wins, mean_place=round(rating.mean_place, 4), faults=rating.faults,
        cost=None if costs is None else cost_of(costs, rating), dead=dead,
    )  # fmt: skip


def cost_of(costs: Costs, rating: Rating) -> Cost:
    """What the decisions of a rating's bot cost in the rating's pool."""
    found = costs_of(costs, rating)
    return Cost(
        median_ms=round(found.median, 4), mean_ms=round(found.mean, 4), worst_ms=round(found.worst, 4),
        decisions=found.decisions, endings=found.endings,
    )  # fmt: skip
