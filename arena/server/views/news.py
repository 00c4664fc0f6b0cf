"""What has happened, the newest first: tournaments that are over, who came to lead a pool of the contest, frozen marks.

An entry follows from the files alone, and so does its id: it stays as it is whatever the address of the server, the reader or
the language, and after a restart.
"""

import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from arena.disk import is_there
from arena.errors import StoreError
from arena.ratings.settings import OVERALL
from arena.reports.table import shown
from arena.results.manifest import MANIFEST_FILE, Manifest
from arena.server.asked import Asked
from arena.server.contest.leaders import LEADERS_FILE, leads
from arena.server.contest.marks import MARKS_FILE, frozen_marks
from arena.server.problems import Problem
from arena.server.views.home import Leader, leaders_of
from arena.server.views.ladders import is_of_contest
from arena.server.views.tournament import seen_of

MOST_TOLD = 50
FINISHED, LEADER, FROZEN = "finished", "leader", "frozen"
_IDS = uuid.UUID("6f0b7a2e-4b1d-5d0c-9a53-0d6f5f7c1e90")
"""The name space of the ids; another one would make every entry new to every reader."""


class NewsQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The news take no parameters."""


class NewsBot(msgspec.Struct, frozen=True, kw_only=True):
    """A bot that leads."""

    bot: str
    version: int
    shown: str
    """The name as a page shows it."""
    rank: int | None
    pool: str | None
    """The table that it leads; None: the only one, or that of all games."""


class NewsItem(msgspec.Struct, frozen=True, kw_only=True):
    """Something that has happened."""

    id: str
    """A URN that never changes."""
    kind: str
    """`finished` (a tournament), `leader` (a bot leads a pool of the contest) or `frozen` (the marks)."""
    at: str
    """When: UTC, ISO 8601. Of a tournament that is over it is when its results were last written."""
    tournament: str
    """The name in the address `/t/NAME`."""
    shown: str
    """The name as a page shows it."""
    matches: int
    """How many matches were played by then."""
    leaders: tuple[NewsBot, ...]
    """The best bots of a tournament that is over; the one that leads; empty for frozen marks."""


class News(msgspec.Struct, frozen=True, kw_only=True):
    """The newest of what has happened, the newest first."""

    contest: str | None
    """The name of the server's contest; None: it has none."""
    items: tuple[NewsItem, ...]


def news(asked: Asked[NewsQuery]) -> News:
    """The data of `/api/news` and `/feed.atom`. What cannot be read is left out."""
    found = [*_finished(asked)]
    if asked.contest is not None:
        found += _of_contest(asked, asked.contest.folder)
    found.sort(key=lambda item: (item.at, item.id), reverse=True)
    return News(contest=None if asked.contest is None else asked.contest.contest.name, items=tuple(found[:MOST_TOLD]))


def _finished(asked: Asked[Any]) -> Iterator[NewsItem]:
    """The tournaments that are over, the newest 50: not the parts of a tuning, and not ladders of contests, which never are."""
    folders = [(name, folder) for name, folder in asked.library.folders().items() if "/" not in name]
    written = sorted(((_written(folder), name, folder) for name, folder in folders), reverse=True)
    found = 0
    for at, name, folder in written:
        if found == MOST_TOLD:
            return
        item = _finished_item(asked, name, folder, at) if at else None
        found += item is not None
        if item is not None:
            yield item


def _finished_item(asked: Asked[Any], name: str, folder: Path, at: str) -> NewsItem | None:
    try:
        manifest = asked.library.manifest(name, folder)
        if not manifest.finished or is_of_contest(manifest):
            return None
        seen = seen_of(asked.library, asked.boards, name, folder)
    except (StoreError, OSError, Problem):
        return None
    if seen.progress.state != FINISHED:
        return None
    return NewsItem(
        id=_id(FINISHED, manifest), kind=FINISHED, at=at, tournament=name, shown=shown(name), matches=manifest.played,
        leaders=tuple(map(_bot, leaders_of(seen))),
    )  # fmt: skip


def _bot(leader: Leader) -> NewsBot:
    return NewsBot(bot=leader.bot, version=leader.version, shown=leader.shown, rank=leader.rank, pool=leader.pool)


def _of_contest(asked: Asked[Any], folder: Path) -> Iterator[NewsItem]:
    name, library = folder.name, asked.library
    if not is_there(folder / MANIFEST_FILE):
        return
    try:
        manifest = library.manifest(name, folder)
        led = library.kept(("leads", name), folder, lambda: leads(folder), (LEADERS_FILE,))
        marks = library.kept(("frozen", name), folder, lambda: frozen_marks(folder), (MARKS_FILE,))
    except (StoreError, OSError, Problem):
        return
    for lead in led:
        leader = NewsBot(
            bot=lead.bot, version=lead.version, shown=shown(lead.bot, lead.version), rank=1,
            pool=None if lead.pool == OVERALL or len(manifest.pools) == 1 else lead.pool,
        )  # fmt: skip
        yield NewsItem(
            id=_id(LEADER, manifest, lead.pool, lead.bot, str(lead.version), lead.at), kind=LEADER, at=_utc(lead.at),
            tournament=name, shown=shown(name), matches=lead.matches, leaders=(leader,),
        )  # fmt: skip
    if marks is not None:
        yield NewsItem(
            id=_id(FROZEN, manifest), kind=FROZEN, at=_utc(marks.at), tournament=name, shown=shown(name),
            matches=marks.matches, leaders=(),
        )  # fmt: skip


def _id(kind: str, manifest: Manifest, *parts: str) -> str:
    """The id of something that happened in a tournament: its name and the moment of its start tell it from any other."""
    return uuid.uuid5(_IDS, "\n".join((kind, manifest.name, manifest.started, *parts))).urn


def _written(folder: Path) -> str:
    """When the results of a tournament were last written; empty: it has none."""
    try:
        found = (folder / MANIFEST_FILE).stat().st_mtime
    except OSError:
        return ""
    return datetime.fromtimestamp(int(found), UTC).isoformat(timespec="seconds")


def _utc(text: str) -> str:
    """A stored moment as all of these are written, so that they are in order as texts."""
    return datetime.fromisoformat(text).astimezone(UTC).isoformat(timespec="seconds")
