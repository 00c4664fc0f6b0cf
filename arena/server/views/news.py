"""What has happened, the newest first: tournaments that are over, who came to lead a pool of the contest, frozen marks, and
bots that were refused, for their authors and for organisers.

An entry follows from the files alone, and so does its id: it stays as it is whatever the address of the server, the reader or
the language, and after a restart.
"""

import itertools
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from arena.disk import is_there
from arena.errors import StoreError
from arena.ratings.settings import OVERALL
from arena.reports.pages.words import Words
from arena.reports.table import shown
from arena.results.inbox import State
from arena.results.manifest import MANIFEST_FILE, Manifest
from arena.server.asked import Asked
from arena.server.contest.leaders import LEADERS_FILE, leads
from arena.server.contest.marks import MARKS_FILE, frozen_marks
from arena.server.problems import Problem
from arena.server.views.home import Leader, leaders_of
from arena.server.views.ladders import is_of_contest
from arena.server.views.tournament import seen_of

MOST_TOLD = 50
FINISHED, LEADER, FROZEN, REFUSED = "finished", "leader", "frozen", "refused"
_IDS = uuid.UUID("6f0b7a2e-4b1d-5d0c-9a53-0d6f5f7c1e90")
"""The name space of the ids; another one would make every entry new to every reader."""


class NewsQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The news take no parameters."""


class NewsBot(msgspec.Struct, frozen=True, kw_only=True):
    """A bot that leads, or was refused."""

    bot: str
    version: int | None
    """The version; None for one that was refused."""
    shown: str
    """The name as a page shows it."""
    rank: int | None = None
    pool: str | None = None
    """The table that it leads; None: the only one, or that of all games."""


class NewsItem(msgspec.Struct, frozen=True, kw_only=True):
    """Something that has happened."""

    id: str
    """A URN that never changes."""
    kind: str
    """`finished` (a tournament), `leader` (a bot leads a pool of the contest), `frozen` (the marks) or `refused` (a bot)."""
    at: str
    """When: UTC, ISO 8601. Of a tournament that is over it is when its results were last written."""
    title: str
    """What has happened, in the language of the reader."""
    page: str
    """The address of the page that tells more."""
    tournament: str | None
    """The name in the address `/t/NAME`; None: it is about no tournament."""
    matches: int
    """How many matches of the tournament were played by then."""
    bots: tuple[NewsBot, ...]
    """The best bots of a tournament that is over; the one that leads; the one that was refused; none for frozen marks."""


class News(msgspec.Struct, frozen=True, kw_only=True):
    """The newest of what has happened, the newest first."""

    contest: str | None
    """The name of the server's contest; None: it has none."""
    items: tuple[NewsItem, ...]


def news(asked: Asked[NewsQuery]) -> News:
    """The data of `/api/news` and `/feed.atom`. What cannot be read is left out."""
    found = [*_finished(asked), *_refused(asked)]
    if asked.contest is not None:
        found += _of_contest(asked, asked.contest.folder)
    found.sort(key=lambda item: (item.at, item.id), reverse=True)
    return News(contest=None if asked.contest is None else asked.contest.contest.name, items=tuple(found[:MOST_TOLD]))


def _finished(asked: Asked[Any]) -> Iterator[NewsItem]:
    """The tournaments that are over, the newest 50: not the parts of a tuning, and not ladders of contests, which never are."""
    folders = [(name, folder) for name, folder in asked.library.folders().items() if "/" not in name]
    written = sorted(((_written(folder), name, folder) for name, folder in folders), reverse=True)
    found = (_finished_item(asked, name, folder, at) for at, name, folder in written if at)
    return itertools.islice(filter(None, found), MOST_TOLD)


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
        id=_id(FINISHED, manifest), kind=FINISHED, at=at, title=Words(asked.lang)("news_finished", name=shown(name)),
        page=_board(name), tournament=name, matches=manifest.played, bots=tuple(map(_bot, leaders_of(seen))),
    )  # fmt: skip


def _bot(leader: Leader) -> NewsBot:
    return NewsBot(bot=leader.bot, version=leader.version, shown=leader.shown, rank=leader.rank, pool=leader.pool)


def _of_contest(asked: Asked[Any], folder: Path) -> list[NewsItem]:
    """Return who came to lead, and the frozen marks; nothing before the contest has published anything."""
    try:
        return [*_contest_items(asked, folder)] if is_there(folder / MANIFEST_FILE) else []
    except (StoreError, OSError, Problem):
        return []


def _contest_items(asked: Asked[Any], folder: Path) -> Iterator[NewsItem]:
    name, library, word = folder.name, asked.library, Words(asked.lang)
    manifest = library.manifest(name, folder)
    for lead in library.kept(("leads", name), folder, lambda: leads(folder), (LEADERS_FILE,)):
        leader = NewsBot(
            bot=lead.bot, version=lead.version, shown=shown(lead.bot, lead.version), rank=1,
            pool=None if lead.pool == OVERALL or len(manifest.pools) == 1 else lead.pool,
        )  # fmt: skip
        key = "news_leader" if leader.pool is None else "news_leader_pool"
        yield NewsItem(
            id=_id(LEADER, manifest, lead.pool, lead.bot, str(lead.version), lead.at), kind=LEADER, at=_utc(lead.at),
            title=word(key, bot=leader.shown, name=shown(name), pool=word.pool(lead.pool)), page=_board(name, leader.pool),
            tournament=name, matches=lead.matches, bots=(leader,),
        )  # fmt: skip
    marks = library.kept(("frozen", name), folder, lambda: frozen_marks(folder), (MARKS_FILE,))
    if marks is not None:
        yield NewsItem(
            id=_id(FROZEN, manifest), kind=FROZEN, at=_utc(marks.at), title=word("news_frozen", name=shown(name)),
            page="/marks", tournament=name, matches=marks.matches, bots=(),
        )  # fmt: skip


def _refused(asked: Asked[Any]) -> Iterator[NewsItem]:
    """The bots that were refused lately: the own ones of an author, and all for organisers."""
    account, inbox = asked.visitor.account, asked.submitting.inbox
    if account is None or not asked.visitor.is_author:
        return
    try:
        sent = inbox.everything() if asked.visitor.is_organiser else inbox.of_account(account.id)
    except StoreError:
        return
    for one in sent:
        if one.state is State.REFUSED:
            title = Words(asked.lang)("news_refused", bot=shown(one.bot))
            yield NewsItem(
                id=uuid.uuid5(_IDS, f"{REFUSED}\n{one.id}").urn, kind=REFUSED, at=_utc(one.ended or one.received), title=title,
                page=f"/submissions/{one.id}", tournament=None, matches=0,
                bots=(NewsBot(bot=one.bot, version=None, shown=shown(one.bot)),),
            )  # fmt: skip


def _board(name: str, pool: str | None = None) -> str:
    return f"/t/{quote(name)}" + ("" if pool is None else f"?pool={quote(pool, safe='')}")


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
    """A stored moment as all of these are written, so that they are in order as texts. Raises StoreError for what is none."""
    try:
        return datetime.fromisoformat(text).astimezone(UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError):
        raise StoreError(f"{text!r} is no ISO 8601 time") from None
