"""Keeping the matches of people, and reading them. Hall and terminal may write at the same time: the folder has a lock."""

import datetime
from collections.abc import Iterator
from pathlib import Path

import msgspec

from arena.records import MatchRecord
from arena.results.lock import FolderLock
from arena.results.people import PEOPLE, About, about_name, about_of, has_people, open_people, pools_of
from arena.results.rows import row_of

PERSON, REMOTE_SEAT = "person", "remote"
"""The isolation that the seat of a person has in a record, and that of a program on its author's machine."""
_PATIENCE = 10.0  # seconds until another process that keeps a match is done: it takes milliseconds


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """A stored match of people."""

    record: MatchRecord
    ended: str
    """When the match ended: UTC, ISO 8601."""


def pool_of(game: str) -> str:
    """The pool of people's matches of a game, which no board of bots has.

    >>> pool_of("naga")
    'people/naga'
    """
    return f"{PEOPLE}/{game}"


def keep(results: Path, record: MatchRecord, key: bytes) -> MatchRecord:
    """Store a match outside any tournament behind all others; returns the record as it is stored.

    A crash leaves the match stored whole or not at all. Raises StoreError if the folder cannot be written.
    """
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    about = msgspec.json.encode(About(key=key.hex(), ended=now))
    with FolderLock(results / PEOPLE, patience=_PATIENCE), open_people(results, is_read_only=False) as journal:
        following = max(journal.indices(), default=-1) + 1
        pool = record.pool if record.pool in pools_of(record.game) else pool_of(record.game)
        stored = msgspec.structs.replace(record, index=following, pool=pool)
        journal.add([row_of(stored)], {about_name(record.match_id): about})
        journal.index_ids()
    return stored


def records(results: Path, first: int = 0) -> Iterator[MatchRecord]:
    """All stored matches from index `first` on, in the order in which they ended. Raises StoreError for a damaged file."""
    if has_people(results):
        with open_people(results) as journal:
            yield from journal.records(first)


def newest(results: Path, most: int, before: int | None = None) -> list[Kept]:
    """The newest matches of people, the last one first. Raises StoreError for a damaged file.

    `before`: only matches whose record has a smaller index, for the next page.
    """
    if not has_people(results):
        return []
    with open_people(results) as journal:
        places = sorted(place for place in journal.indices() if before is None or place < before)[-most:]
        if not places:
            return []
        found = journal.records(places[0], places[-1] + 1)
        return [Kept(record=record, ended=about_of(journal, record.match_id).ended) for record in found][::-1]
