"""The file in the results folder that keeps people's matches: a journal of its own, `people/people.sqlite`.

It has another name than the journals of tournaments, so nothing that looks for tournaments ever finds it; and a tournament
called `people`, from before the name was taken, keeps its place in the same folder. Each match has a key of its own.
"""

from pathlib import Path

import msgspec

from arena.errors import StoreError
from arena.names import HexBytes, in_words
from arena.records import MatchRecord
from arena.results.journal import Journal

PEOPLE = "people"
"""The folder of people's matches in the results folder, and so no tournament's name."""
PEOPLE_FILE = "people.sqlite"
ASKED, REMOTE, EPISODES = "asked", "remote", "episodes"
"""How the pools begin of matches that somebody has asked for, of those that a bot on its author's machine has played, and of
the episodes that a learning program has kept.

They are kept in the same file, outside any tournament, and count for no person."""


def pools_of(game: str) -> tuple[str, ...]:
    """The pools of a game's matches outside any tournament.

    >>> pools_of("naga")
    ('people/naga', 'asked/naga', 'remote/naga', 'episodes/naga')
    """
    return tuple(f"{kind}/{game}" for kind in (PEOPLE, ASKED, REMOTE, EPISODES))


class About(msgspec.Struct, frozen=True, kw_only=True):
    """What is stored beside the record of a match."""

    key: HexBytes
    """The key of its deal."""
    ended: str
    """When the match ended: UTC, ISO 8601."""


def has_people(results: Path) -> bool:
    """Whether a results folder has matches of people."""
    return (results / PEOPLE / PEOPLE_FILE).is_file()


def open_people(results: Path, *, is_read_only: bool = True) -> Journal:
    """The journal of people's matches in a results folder. Raises StoreError if it cannot be opened."""
    return Journal(results / PEOPLE, is_read_only=is_read_only, file=PEOPLE_FILE)


def about_of(journal: Journal, match_id: str) -> About:
    """What is stored beside a match. Raises StoreError if it is damaged."""
    text = journal.meta(about_name(match_id))
    try:
        return msgspec.json.decode(text or b"", type=About)
    except (msgspec.DecodeError, UnicodeError) as error:
        raise StoreError(f"{journal.path}: match {match_id}: damaged: {in_words(error)}") from None


def about_name(match_id: str) -> str:
    """The name under which the journal keeps the About of a match."""
    return f"about {match_id}"


def find_people_match(results: Path, match_id: str) -> tuple[MatchRecord, bytes] | None:
    """A match of people and the key of its deal; None: there is none of this id. Raises StoreError."""
    if not has_people(results):
        return None
    with open_people(results) as journal:
        record = journal.find(match_id)
        return None if record is None else (record, bytes.fromhex(about_of(journal, match_id).key))
