"""People's matches, in a journal of their own, `people/people.sqlite`, and people's names: some nobody can have, and of two
that look alike only one is free.

It has another name than the journals of tournaments, so nothing that looks for tournaments ever finds it; and a tournament
called `people`, from before the name was taken, keeps its place in the same folder. Each match has a key of its own.
"""

import re
import unicodedata
from pathlib import Path

import msgspec

from arena.errors import StoreError
from arena.names import HexBytes, in_words
from arena.records import MatchRecord
from arena.results.journal import Journal

LONGEST_NAME = 24
"""Characters of a name."""
MOST_MARKS = 3
"""Marks above and below one letter; scripts need two. With more a name would cover the lines around it."""
_UNSEEN = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
"""Letters and marks that take no room, or nothing but room: two names could look alike by them."""
_LOOK_ALIKES = (
    ("\u0430\u0432\u0435\u050d\u04bb\u0456\u0458\u043a\u04cf\u043c\u043d", "abeghijklmh"),  # Cyrillic
    ("\u043e\u0440\u051b\u0455\u0442\u0443\u0475\u051d\u0445\u0501", "opqstyvwxd"),
    ("\u03b1\u03b2\u03b5\u03b7\u03b9\u03ba\u03bc\u03bd\u03bf\u03c1\u03c4\u03c5\u03c7", "abehikmnoptyx"),  # Greek
    ("\u0131\u0251\u0261\u0585\u057d\u0578\u0570\u0581", "iagounhg"),  # others
)
"""Letters of other scripts that look like Latin ones, in capitals or in small letters, and the Latin ones."""
_AS_LATIN = {ord(one): other for theirs, latin in _LOOK_ALIKES for one, other in zip(theirs, latin, strict=True)}


class BadName(ValueError):
    """A name that nobody can have. Its text is the key of a sentence in the pages' words."""


def checked_name(offered: str) -> str:
    """A name as it is shown. Raises BadName."""
    name = unicodedata.normalize("NFC", " ".join(offered[: 20 * LONGEST_NAME].split()))
    if not 1 <= len(name) <= LONGEST_NAME:
        raise BadName("refusal_name_length")
    marks = "".join("m" if unicodedata.category(letter) in ("Mn", "Me") else "." for letter in name)
    if not name.isprintable() or _UNSEEN.search(name) or marks[0] == "m" or "m" * (MOST_MARKS + 1) in marks:
        raise BadName("refusal_name_letters")
    return name


def folded_name(name: str) -> str:
    """A name without what only its writing tells from another one.

    >>> folded_name("ＡＹＡ") == folded_name("aya")
    True
    """
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def latin_look(folded: str) -> str:
    """A folded name in the Latin letters that it looks like.

    >>> latin_look(folded_name("\u0410\u0443\u0430"))
    'aya'
    """
    return folded.translate(_AS_LATIN)


PEOPLE = "people"
"""The folder of people's matches in the results folder, and so no tournament's name."""
PEOPLE_FILE = "people.sqlite"
ASKED, REMOTE, EPISODES, AGENTS = "asked", "remote", "episodes", "agents"
"""How the pools begin of matches that somebody has asked for, of those that a bot on its author's machine has played, of the
episodes that a learning program has kept, and of the rated matches that a program has played by `arena mcp`.

They are kept in the same file, outside any tournament, and count for no person."""
OF_AGENTS = (AGENTS, EPISODES)
"""How the pools begin of matches in which a program plays at the seat of a person: rated ones, and practice."""


def pools_of(game: str) -> tuple[str, ...]:
    """The pools of a game's matches outside any tournament.

    >>> pools_of("naga")
    ('people/naga', 'asked/naga', 'remote/naga', 'episodes/naga', 'agents/naga')
    """
    return tuple(f"{kind}/{game}" for kind in (PEOPLE, ASKED, REMOTE, EPISODES, AGENTS))


def is_of_agent(pool: str) -> bool:
    """Return whether a program plays at the seat of a person in the matches of a pool.

    >>> is_of_agent("agents/naga"), is_of_agent("people/naga")
    (True, False)
    """
    return pool.partition("/")[0] in OF_AGENTS


class About(msgspec.Struct, frozen=True, kw_only=True):
    """What is stored beside the record of a match."""

    key: HexBytes
    """The key of its deal."""
    ended: str
    """When the match ended: UTC, ISO 8601."""


def has_people(results: Path) -> bool:
    """Return whether a results folder has matches of people."""
    return (results / PEOPLE / PEOPLE_FILE).is_file()


def open_people(results: Path, *, is_read_only: bool = True) -> Journal:
    """The journal of people's matches in a results folder. Raises StoreError if it cannot be opened."""
    return Journal(results / PEOPLE, is_read_only=is_read_only, file=PEOPLE_FILE)


def about_of(journal: Journal, match_id: str) -> About:
    """Return what is stored beside a match. Raises StoreError if it is damaged."""
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
