"""Who has led each pool of a contest's ladder, and since when: noted whenever results are published, and never changed.

A board moves with every match, and two bots that are equally good pass each other again and again. So the ladder's process
looks when it publishes, at most every ten minutes, and a tie changes nothing.
"""

import datetime
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import msgspec

from arena import userfiles
from arena.disk import write_whole
from arena.errors import StoreError
from arena.names import in_words
from arena.ratings.rows import Bot
from arena.records import Rating
from arena.reports.board import chosen_pools, headline_ratings
from arena.results import parquet
from arena.results.manifest import read_manifest

LEADERS_FILE = "leaders.json"
MOST_LEADS = 500
"""Leads that are kept; the oldest make room."""


class Lead(msgspec.Struct, frozen=True, kw_only=True):
    """A bot that came to lead a pool."""

    pool: str
    """The pool; `overall` for all of them together, if there are several."""
    bot: str
    version: int
    at: str
    """When that was published: UTC, ISO 8601."""
    matches: int
    """How many matches of the ladder were published then."""


def leads(folder: Path) -> tuple[Lead, ...]:
    """All leads that are kept, oldest first; none before the ladder published anything. Raises StoreError."""
    path = folder / LEADERS_FILE
    try:
        return msgspec.json.decode(userfiles.content(path), type=tuple[Lead, ...])
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror}") from None
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise StoreError(f"{path}: damaged or not ours: {in_words(error)}; without it leaders are noted anew") from None


def note_leads(folder: Path, field: Collection[Bot]) -> tuple[Lead, ...]:
    """Add who has come to lead a pool by the results that were just written, and return only those. Raises StoreError.

    `field`: the versions that take part; nobody else leads, and no bot that was retired.
    """
    known = leads(folder)
    last = {lead.pool: (lead.bot, lead.version) for lead in known}
    manifest = read_manifest(folder)
    retired = {(bot.name, bot.version) for bot in manifest.bots if bot.retired}
    ratings = headline_ratings(manifest, parquet.read_ratings(folder))
    at = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    found = tuple(
        Lead(pool=pool, bot=bot[0], version=bot[1], at=at, matches=manifest.played)
        for pool, bot in _first(ratings, chosen_pools(manifest, ratings), set(field) - retired)
        if last.get(pool) != bot
    )
    if found:
        kept = (*known, *found)[-MOST_LEADS:]
        write_whole(folder / LEADERS_FILE, msgspec.json.format(msgspec.json.encode(kept), indent=2) + b"\n")
    return found


def _first(ratings: Sequence[Rating], pools: Sequence[str], field: Collection[Bot]) -> Iterator[tuple[str, Bot]]:
    """The best bot of each pool; of a pool in which two are equally good, or none has played, nothing."""
    for pool in pools:
        rows = [one for one in ratings if one.pool == pool and one.matches and one.rank is not None]
        rows = [one for one in rows if (one.bot, one.bot_version) in field]
        best = max((one.rating for one in rows), default=0.0)
        leading = [one for one in rows if one.rating == best]
        if len(leading) == 1:
            yield pool, (leading[0].bot, leading[0].bot_version)
