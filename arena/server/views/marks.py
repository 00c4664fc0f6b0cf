"""The marks of the contest: who is surely above which bot of the staff, for all to see; and as CSV for organisers."""

import csv
import datetime
import io
import re
from collections.abc import Iterable

import msgspec

from arena.reports.table import shown
from arena.results.account_rows import Account
from arena.results.owned_bots import OwnedBots
from arena.server.asked import Asked
from arena.server.contest.marks import BotMark, Marks, PoolMark
from arena.server.problems import Problem
from arena.server.running_contest.running import RunningContest

BOM = "\ufeff"
"""Spreadsheets take UTF-8 for another encoding without it, and names may be Japanese."""
_FORMULA = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]")  # how what a spreadsheet would compute begins, wide letters too


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
    sheet = io.StringIO(newline="")
    writer = csv.writer(sheet, lineterminator="\r\n")
    heads = ("author", "bot", "version", "mark", "pool", "rank", "rating", "mu", "low", "high", "matches")
    writer.writerow([*heads, *(_safe(f"against {one}") for one in staff), "frozen", "at"])
    end = ("yes" if found.is_frozen else "no", found.at)
    for (owner, _), one in sorted(best.items(), key=lambda item: (item[0][0] == "", item[0])):
        for pool in one.pools or (None,):
            verdicts = [(one if pool is None else pool).against.get(name, "") for name in staff]
            numbers = [""] * 7 if pool is None else _numbers(pool)
            writer.writerow([_safe(owner), _safe(one.bot), one.version, _mark(one), *numbers, *verdicts, *end])
    for name in sorted({account.name for account in authors} - {owner for owner, _ in best}):
        writer.writerow([_safe(name), *[""] * (len(heads) - 1 + len(staff)), *end])
    return BOM + sheet.getvalue()


def _grade(one: BotMark) -> float:
    return float("-inf") if one.mark is None else one.mark


def _mark(one: BotMark) -> str:
    return "" if one.mark is None else f"{one.mark:g}"


def _numbers(pool: PoolMark) -> list[object]:
    values = (pool.rating, pool.mu, pool.low, pool.high)
    rank = "" if pool.rank is None else pool.rank
    return [_safe(pool.pool), rank, *(f"{value:.4f}" for value in values), pool.matches]


def _safe(text: str) -> str:
    """A text that no spreadsheet takes for a formula: what begins like one gets an apostrophe before it (OWASP).

    >>> _safe("=1+1"), _safe("aya")
    ("'=1+1", 'aya')
    """
    return f"'{text}" if _FORMULA.match(text) else text
