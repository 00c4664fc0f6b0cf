"""People's matches: what fixes one before it is played, such that it can be replayed, and how they are kept and read. Server
and terminal may write at the same time: the folder has a lock.
"""

import datetime
import secrets
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from arena import games
from arena.agent import BotFiles
from arena.engine.options import OptionValue
from arena.match import MatchSetup, Player
from arena.match.seeds import key_from_seed, match_seeds, new_key, repeatable_id
from arena.match.single_match import UNHURRIED
from arena.names import MATCH_ID_DIGITS
from arena.records import MatchRecord, canonical_json
from arena.results.journal import row_of
from arena.results.lock import FolderLock
from arena.results.people import PEOPLE, About, about_name, about_of, has_people, open_people, pools_of

NO_FILES = "0" * 64
"""The content hash that a record has for a person, who has no files."""


def person_as_player(name: str) -> Player:
    """A person at the table, as the match is stored."""
    return Player(name, NO_FILES)


def bot_as_player(name: str, files: BotFiles, params: Mapping[str, Any]) -> Player:
    """A bot at the table, as the match is stored: its files and parameters say which one it is, whatever it is called."""
    return Player(name, files.sha256, canonical_json(params))


def sit_down(
    game: str,
    players: Sequence[Player],
    *,
    seed: int | None = None,
    options: Mapping[str, OptionValue] | None = None,
    deal: tuple[bytes, int] | None = None,
    pool: str = PEOPLE,
    is_repeatable: bool = False,
) -> tuple[MatchSetup, bytes]:
    """The set-up of a match at a table with people, and the key of its deal, with which it is kept.

    `players`: in seat order, see `person` and `bot`; `seed`: fixes the cards, None for cards that nobody can foretell. Every
    match has an id of its own, also with the same seed. `deal`: the key and the number of a deal that is to be dealt again;
    `pool`: how the name of the pool begins, see store.people. `is_repeatable`: the same seed, options and players give the
    same bots, too; the id is that of the table until the match is over (see match/seeds.py). Raises ConfigError for a number of
    seats or options that the game does not allow.
    """
    loaded = games.load(game)
    loaded.check_seats(len(players))
    resolved = loaded.read_options(options or {}, len(players), (Path(),))
    key, number = deal or (new_key() if seed is None else key_from_seed(seed), 0)
    match_id = secrets.token_hex(MATCH_ID_DIGITS // 2)
    if is_repeatable:
        match_id = repeatable_id(key, game, canonical_json(resolved), [player.bot for player in players])
    seeds = match_seeds(key, match_id, game, len(players), canonical_json(resolved), number)
    setup = MatchSetup(
        index=0, match_id=match_id, game=game, pool=f"{pool}/{game}", options=resolved, deal=number, rotation=0,
        players=tuple(players), deal_seed=seeds.deal, bot_seeds=seeds.bots, fallback_seeds=seeds.fallbacks, clock=UNHURRIED,
    )  # fmt: skip
    return setup, key


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

    One that is there already, played again to the last action, is not stored twice. A crash leaves the match stored whole or
    not at all. Raises StoreError if the folder cannot be written.
    """
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    about = msgspec.json.encode(About(key=key.hex(), ended=now))
    with FolderLock(results / PEOPLE, patience=_PATIENCE), open_people(results, is_read_only=False) as journal:
        if (before := journal.find(record.match_id)) is not None:
            return before
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
