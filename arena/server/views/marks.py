"""The marks of the contest: who is surely above which bot of the staff, for all to see; and as CSV for organisers."""

import datetime
from collections.abc import Iterable

import msgspec

from arena.reports.data import csv_text
from arena.reports.table import shown
from arena.results.account_rows import Account
from arena.results.owned_bots import OwnedBots
from arena.server.asked import Asked
from arena.server.contest.marks import BotMark, Marks, PoolMark
from arena.server.problems import Problem
from arena.server.running_contest.running import RunningContest

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
    is_staff: bool
    mark: float | None
    """The highest mark that is surely reached; None: none yet."""
    against: dict[str, str]
    """For each staff bot with a mark: `above`, `below` or `open`."""
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
    staff: tuple[str, ...]
    """The staff bots that are thresholds, the lowest mark first."""
    marks: dict[str, float]
    """The mark of whoever is surely above each of them."""
    matches: int
    """How many matches count."""
    sha256: str | None
    """The hash over those matches, once they are frozen."""
    bots: tuple[MarkRow, ...]
    """The best first."""


def marks(asked: Asked[MarksQuery]) -> MarksPage:
    """The data of `/marks`. Raises Problem 404 in a hall without a contest."""
    contest = contest_of(asked.contest)
    found, freeze = contest.marks.now(), contest.contest.freeze
    owners = asked.owned.all()
    left = None if freeze is None else (freeze - datetime.datetime.now(datetime.UTC)).total_seconds()
    is_organiser = asked.visitor.is_organiser
    return MarksPage(
        contest=found.contest, at=found.at, is_frozen=found.is_frozen,
        freeze=None if freeze is None else freeze.astimezone(datetime.UTC).isoformat(timespec="seconds"),
        seconds_left=None if left is None or found.is_frozen else max(0.0, round(left)),
        may_freeze=is_organiser and not found.is_frozen, may_export=is_organiser, staff=thresholds(found), marks=found.marks,
        matches=found.matches, sha256=found.sha256,
        bots=tuple(
            MarkRow(
                bot=one.bot, shown=shown(one.bot, one.version), version=one.version,
                owner=(owners[one.bot].owner_name or None) if one.bot in owners else None, is_staff=one.is_staff,
                mark=one.mark, against=one.against, headline=one.headline, pools=one.pools,
            )
            for one in found.bots
        ),
    )  # fmt: skip


def contest_of(contest: RunningContest | None) -> RunningContest:
    """The contest of the hall. Raises Problem 404 without one."""
    if contest is None:
        raise Problem(404, "refusal_no_contest")
    return contest


def thresholds(found: Marks) -> tuple[str, ...]:
    """The staff bots that are thresholds, the lowest mark first."""
    return tuple(sorted(found.marks, key=lambda staff: (found.marks[staff], staff)))


def marks_csv(found: Marks, owned: OwnedBots, authors: Iterable[Account]) -> str:
    """The marks for a spreadsheet (RFC 4180): one line for each author and pool, by the best bot of the author.

    Bots of nobody have lines of their own, and authors without a bot one without numbers.
    """
    owners, staff = owned.all(), thresholds(found)
    best: dict[tuple[str, str], BotMark] = {}
    for one in found.bots:  # the best first
        owner = owners[one.bot].owner_name if one.bot in owners else ""
        key = (owner, "" if owner else one.bot)
        if not one.is_staff and (key not in best or _grade(one) > _grade(best[key])):
            best[key] = one
    heads = ("author", "bot", "version", "mark", "pool", "rank", "rating", "mu", "low", "high", "matches")
    columns = (*heads, *(f"against {name}" for name in staff), "frozen", "at")
    end = {"frozen": "yes" if found.is_frozen else "no", "at": found.at}
    rows: list[dict[str, object]] = []
    for (owner, _), one in sorted(best.items(), key=lambda item: (item[0][0] == "", item[0])):
        for pool in one.pools or (None,):
            verdicts = {f"against {name}": (one if pool is None else pool).against.get(name, "") for name in staff}
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
