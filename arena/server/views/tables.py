"""The rows of a board, as pages, JSON and sockets have them."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import msgspec

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
) -> tuple[BoardRow, ...]:
    """The rows of a pool from headline ratings, best first; in the overall pool only bots with a rank.

    `hidden`: who is hidden in each pool; `online`: the ratings in the order of play.
    """
    chosen = [rating for rating in ratings if pool != OVERALL or rating.rank is not None]
    why = hidden.get(pool, {})
    return tuple(
        BoardRow(**rounded(row), hidden=why.get((row.bot, row.version))) for row in ranked(chosen, pool, costs, online)
    )


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
