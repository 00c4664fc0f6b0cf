"""The contest on the front page: how it goes, who leads, what was accepted lately, and what to do next."""

from typing import TypeVar

import msgspec

from arena.errors import StoreError
from arena.ratings.settings import OVERALL
from arena.results.inbox import State
from arena.server.asked import Asked
from arena.server.bot_rights import owns
from arena.server.contest.messages import LadderState
from arena.server.problems import Problem
from arena.server.views.tables import BoardRow
from arena.server.views.tournament import seen_of
from arena.server.views.versions import VersionResult, against_earlier

LEADERS, FIRSTS, NEWS, LOOKED_AT = 10, 5, 5, 30
"""Rows of the board, of each of several, accepted versions, and submissions among which these are looked for."""
Q = TypeVar("Q", bound=msgspec.Struct)


class Accepted(msgspec.Struct, frozen=True, kw_only=True):
    """A version that was accepted lately."""

    bot: str
    version: int
    at: str
    """When it was accepted: UTC, ISO 8601."""
    stage: str
    """How far it is: `accepted`, `entered` (the ladder), `rated`, or `slow` (left out of it)."""
    results: tuple[VersionResult, ...]
    """The version against the one before, in each pool."""


class Firsts(msgspec.Struct, frozen=True, kw_only=True):
    """The best bots of one of several pools."""

    pool: str
    board: tuple[BoardRow, ...]


class ContestNews(msgspec.Struct, frozen=True, kw_only=True):
    """The contest of the hall, in short."""

    name: str
    games: tuple[str, ...]
    """The pools of the contest, by which boards are named."""
    a_game: str
    """The game of the first pool, as commands name it."""
    doing: str
    """What the ladder does: `starting`, `compiling`, `playing`, `waiting`, `failed`."""
    text: str
    """The same in words; only organisers are told."""
    matches: int
    rate: float
    """Matches per second of late."""
    pending: int
    """How many submissions wait or are checked."""
    pool: str | None
    """The pool of `board`; None: there is no table yet."""
    board: tuple[BoardRow, ...]
    """The best bots."""
    firsts: tuple[Firsts, ...]
    """The best bots of each pool but that of all games, where only bots count that play them all; empty for one pool."""
    accepted: tuple[Accepted, ...]
    """The versions accepted lately, the newest first."""
    is_author: bool
    """Whether who asks may submit bots."""
    has_bot: bool
    """Whether who asks has one."""


def contest_news(asked: Asked[Q]) -> ContestNews | None:
    """The contest in short; None: the hall has none. What cannot be read is left out."""
    running = asked.contest
    if running is None:
        return None
    state: LadderState = running.state
    boards = _boards(asked, running.contest.name)
    pool, board = next(iter(boards.items()), (None, ()))
    visitor, inbox = asked.visitor, asked.submitting.inbox
    return ContestNews(
        name=running.contest.name, games=tuple(game.pool for game in running.contest.games),
        a_game=running.contest.games[0].game, doing=state.doing,
        text=state.text if visitor.is_organiser else "", matches=state.matches, rate=round(state.rate, 1),
        pending=inbox.pending(), pool=pool, board=board[:LEADERS],
        firsts=_firsts(boards),
        accepted=_accepted(asked, running.contest.name),
        is_author=visitor.is_author, has_bot=any(owns(visitor, bot) for bot in asked.owned.all().values()),
    )  # fmt: skip


def _boards(asked: Asked[Q], name: str) -> dict[str, tuple[BoardRow, ...]]:
    """The bots of each pool that have played and are not hidden, best first; empty before the first match."""
    try:
        seen = seen_of(asked.library, asked.boards, name, asked.library.folder(name))
    except (StoreError, OSError, Problem):  # it has not begun, or is being rewritten
        return {}
    return {pool: tuple(row for row in seen.tables[pool] if row.matches and row.dead is None) for pool in seen.pools}


def _firsts(boards: dict[str, tuple[BoardRow, ...]]) -> tuple[Firsts, ...]:
    if len(boards) == 1:
        return ()
    return tuple(Firsts(pool=pool, board=rows[:FIRSTS]) for pool, rows in boards.items() if pool != OVERALL)


def _accepted(asked: Asked[Q], name: str) -> tuple[Accepted, ...]:
    sent = [one for one in asked.submitting.inbox.everything(most=LOOKED_AT) if one.state is State.ACCEPTED]
    return tuple(
        Accepted(
            bot=one.bot, version=one.version or 1, at=one.ended or one.received, stage=one.stage,
            results=against_earlier(asked.library, asked.boards, name, one.bot, one.version or 1),
        )
        for one in sent[:NEWS]
    )  # fmt: skip
