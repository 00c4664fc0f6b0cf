"""The matches outside any tournament, audited: those of people, of remote bots, of agents, and on request.

Each has the key of its own deal beside it, and is played again from its action log. What fixed it beside its cards, such as who
was to sit where, nobody published before, so that is the word of whoever stored it.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from arena import games
from arena.audit.capsule import setup_of
from arena.audit.match_audit import match_problems
from arena.errors import ArenaError
from arena.match.log import checked_options
from arena.match.seeds import played_id
from arena.match.single_match import UNHURRIED
from arena.records import MatchRecord
from arena.results.people import AGENTS, about_of, has_people, open_people


@dataclass
class PeopleAudit:
    """The result of an audit."""

    matches: int = 0
    """How many matches were played again."""
    seconds: float = 0.0
    problems: list[str] = field(default_factory=list)
    """What is wrong, a sentence each; empty if nothing is."""


def audit_people(results: Path, ready: Callable[[str], object] = lambda game: None) -> PeopleAudit:
    """Audit all matches outside any tournament of a results folder; none is no problem.

    `ready`: is told each game before its first match. Raises StoreError for a damaged file.
    """
    audit, began = PeopleAudit(), time.monotonic()
    known: set[str] = set()
    if has_people(results):
        with open_people(results) as journal:
            for record in journal.records():
                key = bytes.fromhex(about_of(journal, record.match_id).key)
                if record.game not in known:
                    ready(record.game)
                    known.add(record.game)
                audit.problems += [f"match {record.match_id}: {problem}" for problem in _problems(record, key)]
                audit.matches += 1
    audit.seconds = time.monotonic() - began
    return audit


def _problems(record: MatchRecord, key: bytes) -> list[str]:
    """Return what is wrong with a match, in words."""
    try:
        game = games.load(record.game)
        if record.rules_version != game.version:
            return [f"played by version {record.rules_version} of the rules, here is version {game.version}"]
        checked_options(game, record)
    except ArenaError as error:
        return [str(error)]
    found = match_problems(game, setup_of(record, key, UNHURRIED), record)
    if record.pool == f"{AGENTS}/{record.game}":
        expected = played_id(key, [row.bot for row in record.seats], record.actions, record.delays)
        found += [] if record.match_id == expected else [f"its id is that of another match; by its log {expected}"]
    return found
