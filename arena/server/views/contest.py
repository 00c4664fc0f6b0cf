"""The contest on the front page (how it goes, who leads, what was accepted lately, what to do next) and its marks: who is
surely above which reference bot, for all to see, and as CSV for organisers.
"""

import datetime
from collections.abc import Iterable
from typing import TypeVar

import msgspec

from arena.errors import StoreError
from arena.ratings.settings import OVERALL
from arena.reports.data import csv_text
from arena.reports.table import shown
from arena.results.inbox import State
from arena.results.site_file import Account, OwnedBots
from arena.server.asked import Asked
from arena.server.contest.marks import BotMark, Marks, PoolMark
from arena.server.contest.messages import LadderState
from arena.server.problems import Problem
from arena.server.rights import owns
from arena.server.running_contest.running import RunningContest
from arena.server.views.tables import BoardRow
from arena.server.views.tournament import seen_of
from arena.server.views.versions import VersionResult, against_earlier

BOM = "\ufeff"
"""Spreadsheets take UTF-8 for another encoding without it, and names may be Japanese."""


class MarksQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The marks take no parameters."""


class MarkRow(msgspec.Struct, frozen=True, kw_only=True):
    """A bot with its mark."""

    bot: str
    shown: str
    """The name with the version, as a page shows it."""
    version: int
    owner: str | None
    """The name of the account that it belongs to."""
    is_reference: bool
    mark: float | None
    """The highest mark that is surely reached; None: none yet."""
    against: dict[str, str]
    """For each reference bot with a mark: `above`, `below` or `open`."""
    headline: PoolMark | None
    """The rating that the mark is from: overall, or that of the only pool. None: it has not played."""
    pools: tuple[PoolMark, ...]


class MarksPage(msgspec.Struct, frozen=True, kw_only=True):
    """All marks of the contest."""

    contest: str
    at: str
    """When they were computed, or frozen: UTC, ISO 8601."""
    is_frozen: bool
    freeze: str | None
    """When they will be frozen: UTC, ISO 8601. None: by hand, or never."""
    seconds_left: float | None
    """How long until then; None if they are frozen, or nobody knows when they will be."""
    may_freeze: bool
    """Whether who asks may freeze them now."""
    may_export: bool
    """Whether who asks may have the CSV."""
    reference_bots: tuple[str, ...]
    """The reference bots that are thresholds, the lowest mark first."""
    marks: dict[str, float]
    """The mark of whoever is surely above each of them."""
    matches: int
    """How many matches count."""
    sha256: str | None
    """The hash over those matches, once they are frozen."""
    bots: tuple[MarkRow, ...]
    """The best first."""


def marks(asked: Asked[MarksQuery]) -> MarksPage:
    """The data of `/marks`. Raises Problem 404 on a server without a contest."""
    contest = contest_of(asked.contest)
    found, freeze = contest.marks.now(), contest.contest.freeze
    owners = asked.owned.all()
    left = None if freeze is None else (freeze - datetime.datetime.now(datetime.UTC)).total_seconds()
    is_organiser = asked.visitor.is_organiser
    return MarksPage(
        contest=found.contest, at=found.at, is_frozen=found.is_frozen,
        freeze=None if freeze is None else freeze.astimezone(datetime.UTC).isoformat(timespec="seconds"),
        seconds_left=None if left is None or found.is_frozen else max(0.0, round(left)),
        may_freeze=is_organiser and not found.is_frozen, may_export=is_organiser, reference_bots=thresholds(found),
        marks=found.marks, matches=found.matches, sha256=found.sha256,
        bots=tuple(
            MarkRow(
                bot=one.bot, shown=shown(one.bot, one.version), version=one.version,
                owner=(owners[one.bot].owner_name or None) if one.bot in owners else None, is_reference=one.is_reference,
                mark=one.mark, against=one.against, headline=one.headline, pools=one.pools,
            )
            for one in found.bots
        ),
    )  # fmt: skip


def contest_of(contest: RunningContest | None) -> RunningContest:
    """The contest of the server. Raises Problem 404 without one."""
    if contest is None:
        raise Problem(404, "refusal_no_contest")
    return contest


def thresholds(found: Marks) -> tuple[str, ...]:
    """The reference bots that are thresholds, the lowest mark first."""
    return tuple(sorted(found.marks, key=lambda reference: (found.marks[reference], reference)))


def marks_csv(found: Marks, owned: OwnedBots, authors: Iterable[Account]) -> str:
    """The marks for a spreadsheet (RFC 4180): one line for each author and pool, by the best bot of the author.

    Bots of nobody have lines of their own, and authors without a bot one without numbers.
    """
    owners, reference = owned.all(), thresholds(found)
    best: dict[tuple[str, str], BotMark] = {}
    for one in found.bots:  # the best first
        owner = owners[one.bot].owner_name if one.bot in owners else ""
        key = (owner, "" if owner else one.bot)
        if not one.is_reference and (key not in best or _grade(one) > _grade(best[key])):
            best[key] = one
    heads = ("author", "bot", "version", "mark", "pool", "rank", "rating", "mu", "low", "high", "matches")
    columns = (*heads, *(f"against {name}" for name in reference), "frozen", "at")
    end = {"frozen": "yes" if found.is_frozen else "no", "at": found.at}
    rows: list[dict[str, object]] = []
    for (owner, _), one in sorted(best.items(), key=lambda item: (item[0][0] == "", item[0])):
        for pool in one.pools or (None,):
            verdicts = {f"against {name}": (one if pool is None else pool).against.get(name, "") for name in reference}
            mark = None if one.mark is None else f"{one.mark:g}"
            known: dict[str, object] = {"author": owner, "bot": one.bot, "version": one.version, "mark": mark}
            rows.append(known | ({} if pool is None else _numbers(pool)) | verdicts | end)
    for name in sorted({account.name for account in authors} - {owner for owner, _ in best}):
        rows.append({"author": name, **end})
    return BOM + csv_text(rows, columns, ends="\r\n")


def _grade(one: BotMark) -> float:
    return float("-inf") if one.mark is None else one.mark


def _numbers(pool: PoolMark) -> dict[str, object]:
    numbers = {name: round(getattr(pool, name), 4) for name in ("rating", "mu", "low", "high")}
    return {"pool": pool.pool, "rank": pool.rank} | numbers | {"matches": pool.matches}


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
    """The contest of the server, in short."""

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
    """The contest in short; None: the server has none. What cannot be read is left out."""
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
    return {pool: tuple(row for row in seen.tables[pool] if row.matches and row.hidden is None) for pool in seen.pools}


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
