"""The rows of a board, as pages, JSON and sockets have them."""

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import msgspec
import numpy as np

from arena.ratings.rows import Bot
from arena.ratings.settings import OVERALL
from arena.records import Rating
from arena.reports.board import NOTHING, Cost, Costs, Online, Ranked, ranked, without_rank
from arena.reports.table import shown
from arena.server.views.hidden import WhyHidden

NOBODY: Mapping[str, Mapping[Bot, WhyHidden]] = MappingProxyType({})
COST_DIGITS = 7  # of milliseconds: pages show three, and what is rounded twice may differ from the report


class BoardRow(Ranked, frozen=True, kw_only=True):
    """One bot of a board."""

    hidden: WhyHidden | None = None
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
    hidden: Mapping[str, Mapping[Bot, WhyHidden]] = NOBODY,
    online: Online = NOTHING,
    asking: Collection[Bot] = (),
) -> tuple[BoardRow, ...]:
    """The rows of a pool from headline ratings, best first; in the overall pool only bots with a rank.

    `hidden`: who is hidden in each pool; `online`: the ratings in the order of play; `asking`: the bots that ask something
    outside themselves.
    """
    chosen = [rating for rating in ratings if pool != OVERALL or rating.rank is not None]
    rows = tuple(BoardRow(**rounded(row)) for row in ranked(chosen, pool, costs, online, asking=asking))
    return with_hidden(rows, hidden.get(pool, {}))


def with_hidden(rows: tuple[BoardRow, ...], hidden: Mapping[Bot, WhyHidden]) -> tuple[BoardRow, ...]:
    """A board on which more bots are hidden: they have no rank, and the ranks of the others count those that are shown.

    The bounds of a rank count nobody who is hidden and surely above, or below. Only the intervals of the two bots are known
    here, so that is told as if they did not depend on each other.
    """
    gone = [row for row in rows if row.hidden is None and (row.bot, row.version) in hidden]
    if not gone:
        return rows
    left = [row for row in rows if row.rank is not None and (row.bot, row.version) not in hidden]
    ranked_before = [row for row in gone if row.rank is not None]
    ranks = _ranks_without(ranked_before, left, before=len(left) + len(ranked_before))
    found: list[BoardRow] = []
    above: BoardRow | None = None
    for row in rows:
        rank, low, high = ranks.get((row.bot, row.version), (None, None, None))
        separable = None if above is None or low is None or above.rank is None else low > above.rank
        why = hidden.get((row.bot, row.version), row.hidden)
        found.append(
            msgspec.structs.replace(row, rank=rank, rank_low=low, rank_high=high, separable=separable, hidden=why)
        )  # fmt: skip
        above = above if rank is None else found[-1]
    return tuple(found)


def _ranks_without(
    gone: Sequence[BoardRow], left: Sequence[BoardRow], before: int
) -> dict[Bot, tuple[int, int, int]]:  # fmt: skip
    """The rank of each of those that are left, with its bounds. `before`: how many had a rank when nobody had gone."""
    ratings = np.array([row.rating for row in left])
    mu, half = (np.array(numbers) for numbers in ([row.mu for row in gone], [row.high - row.mu for row in gone]))
    found = {}
    for row in left:
        apart = np.abs(mu - row.mu) > np.hypot(half, row.high - row.mu)
        above, below = int(np.sum(apart & (mu > row.mu))), int(np.sum(apart & (mu < row.mu)))
        rank = 1 + int(np.sum(ratings > row.rating))
        low, high = (row.rank_low or rank) - above, len(left) - (before - (row.rank_high or before) - below)
        found[row.bot, row.version] = (rank, min(rank, max(1, low)), max(rank, min(len(left), high)))
    return found


def rounded(found: msgspec.Struct, digits: int = 4) -> dict[str, Any]:
    """The fields of a row, as JSON has them: no number has more digits than anybody reads."""
    fields = msgspec.structs.asdict(found)
    return {
        name: round(value, digits)
        if isinstance(value, float)
        else Cost(**rounded(value, COST_DIGITS))
        if isinstance(value, Cost)
        else value
        for name, value in fields.items()
    }  # fmt: skip
