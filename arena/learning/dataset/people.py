"""People's matches as data: only those in which everybody has agreed, and nothing in them says who played or when."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from arena import games
from arena.errors import ConfigError, nearest
from arena.learning.dataset.choice import Choice
from arena.learning.dataset.decisions import Exported, exported_of
from arena.learning.dataset.index import Index, LeftOut, Source
from arena.learning.dataset.shards import Shards
from arena.learning.dataset.writing import Progress, write_new
from arena.match.seeds import deal_seed, key_of_cards
from arena.names import MATCH_ID_DIGITS
from arena.records import MatchRecord, SeatRecord
from arena.results.consents import Consents
from arena.results.people import PEOPLE, about_of, folded_name, has_people, open_people
from arena.results.site_file import SiteFile
from arena.server.people.store import NO_FILES, PERSON, REMOTE_SEAT, pool_of

NOBODY = "person"
"""What all people are called in a dataset."""


@dataclass(frozen=True)
class Agreed:
    """A match whose people have all agreed, without anything that tells who they are, and the key of its deal."""

    record: MatchRecord
    key: bytes


@dataclass(frozen=True)
class PeoplesMatches:
    """People's matches that may be published, and how many others there are."""

    agreed: list[Agreed]
    left_out: LeftOut


def read_people(results: Path, choice: Choice) -> PeoplesMatches:
    """The chosen matches of people that may be published. Raises ConfigError if there are none, StoreError for damage."""
    names = _names(results)
    found: list[Agreed] = []
    without_consent = other_rules = 0
    if has_people(results):
        with open_people(results) as journal:
            for record in journal.records():
                if record.pool != pool_of(record.game) or record.is_void:
                    continue
                about = about_of(journal, record.match_id)
                if not _have_agreed(record, about.ended, names):
                    without_consent += 1
                elif record.rules_version != games.load(record.game).version:
                    other_rules += 1
                else:
                    found.append(Agreed(record, bytes.fromhex(about.key)))
    if not found:
        raise ConfigError(
            f"{PEOPLE}: no match to export from {results}: everybody at a table has to agree on the page /account first; left "
            f"out for want of consent: {without_consent:,} matches, by other versions of the rules: {other_rules:,}"
        )
    unnamed = list(_unnamed(found))
    _check(choice, [one.record for one in unnamed])
    return PeoplesMatches(
        [one for one in unnamed if choice.has(one.record)], LeftOut(without_consent=without_consent, other_rules=other_rules)
    )


def write_people(
    matches: PeoplesMatches, target: Path, choice: Choice, *, command: str, on_progress: Callable[[Progress], None]
) -> Index:
    """Write the decisions of people's matches into a new folder; the games' encodings must be compiled.

    Whatever stops it leaves no folder. Raises ConfigError for a folder that has something in it, StoreError for damage.
    """
    chosen = [seat.decisions for one in matches.agreed for seat in one.record.seats if choice.wants(seat.bot)]
    progress = Progress(sum(chosen))
    add = partial(_add, matches.agreed, choice, progress, on_progress)
    return write_new(target, choice, add, command=command, people=matches.left_out)


def _add(
    matches: list[Agreed], choice: Choice, progress: Progress, on_progress: Callable[[Progress], None], shards: Shards
) -> list[Source]:  # fmt: skip
    bots: set[tuple[str, int, str]] = set()
    for one in matches:
        found = _without_times(exported_of(choice, one.key, one.record, PEOPLE))
        shards.add(found)
        bots |= {(row["bot"], row["bot_version"], row["bot_sha256"]) for row in found.rows}
        progress.matches += 1
        progress.decisions += len(found.rows)
        on_progress(progress)
    return [
        Source(
            name=PEOPLE, results_sha256=None, matches=progress.matches, decisions=progress.decisions, bots=sorted(bots)
        )
    ]  # fmt: skip


def _without_times(found: Exported) -> Exported:
    for row in found.rows:
        row["ticks"] = None  # how fast somebody is may tell who it is
    return found


def _names(results: Path) -> dict[str, str]:
    file = SiteFile(results)
    try:
        return Consents(file).names()
    finally:
        file.close()


def _have_agreed(record: MatchRecord, ended: str, names: dict[str, str]) -> bool:
    """Return whether everybody at a table has agreed. `names`: as `Consents.names` gives them."""
    if any(seat.isolation == REMOTE_SEAT for seat in record.seats):
        return False  # the name of such a seat is that of somebody's account, who was not asked about bots
    people = [folded_name(seat.bot) for seat in record.seats if _is_person(seat)]
    return bool(people) and all(name in names and names[name] <= ended for name in people)


def _is_person(seat: SeatRecord) -> bool:
    return seat.isolation == PERSON or seat.bot_sha256 == NO_FILES


def _unnamed(found: list[Agreed]) -> Iterator[Agreed]:
    """The matches without names, ids, times and notes, in an order that says nothing of when they were played.

    Matches with the same cards have the same `deal`, as in a tournament; their key is that of these cards alone.
    """
    deals: dict[int, int] = {}
    ordered = sorted(found, key=lambda one: hashlib.sha256(one.key + one.record.match_id.encode()).digest())
    for number, one in enumerate(ordered):
        record = one.record
        cards = deal_seed(one.key, record.game, len(record.seats), record.options, record.deal)
        people = {seat.bot for seat in record.seats if _is_person(seat)}
        bare = replace(
            record, index=number, match_id=f"{number:0{MATCH_ID_DIGITS}x}", deal=deals.setdefault(cards, len(deals)),
            rotation=0, attempts=1, ended=0, notes=(), faults=(), calls=(),
            seats=tuple(_unnamed_seat(seat, people) for seat in record.seats),
        )  # fmt: skip
        yield Agreed(bare, key_of_cards(cards))


def _unnamed_seat(seat: SeatRecord, people: set[str]) -> SeatRecord:
    if _is_person(seat):
        return replace(seat, bot=NOBODY, bot_version=1, bot_sha256=NO_FILES, params="{}")
    name, dash, number = seat.bot.rpartition("-")  # a bot that is called like somebody at the table gets a number behind it
    return replace(seat, bot=name) if dash and number.isdecimal() and name in people else seat


def _check(choice: Choice, records: list[MatchRecord]) -> None:
    """Raise ConfigError for a game, pool or bot that no match has."""
    known = {
        "--game": (choice.pools, {name for record in records for name in (record.game, record.pool)}, "game or pool"),
        "--bot": (choice.bots, {seat.bot for record in records for seat in record.seats}, "bot"),
    }
    for option, (wanted, there, what) in known.items():
        for name in wanted:
            if name not in there:
                raise ConfigError(f"{option} {name}: no such {what} in these matches; {nearest(name, sorted(there))}")
