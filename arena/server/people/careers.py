"""A person's own matches: how each went, and what was believed of the person after it."""

from pathlib import Path

import msgspec

from arena.records import MatchRecord
from arena.results.people import PEOPLE, about_of, has_people, open_people
from arena.server.people.levels import NAMES, Believer
from arena.server.people.store import PERSON


class PlayedMatch(msgspec.Struct, frozen=True, kw_only=True):
    """A match of a person."""

    match_id: str
    ended: str
    """When it ended: UTC, ISO 8601."""
    place: int
    rivals: tuple[str, ...]
    """The others, by seat."""
    levels: tuple[str, ...]
    """The levels among them, each once."""
    mu: float
    """The mean of the belief about the person's skill after the match."""
    sigma: float
    """The standard deviation of the belief after the match."""
    gain: float
    """The change of the mean by the match; 0 for the first one."""


def careers(results: Path, name: str) -> dict[str, list[PlayedMatch]]:
    """The rated matches of a person by game, the oldest first. Raises StoreError for a damaged file."""
    found: dict[str, list[PlayedMatch]] = {}
    if not has_people(results):
        return found
    believers: dict[str, Believer] = {}
    with open_people(results) as journal:
        for record in journal.records():
            if record.pool != f"{PEOPLE}/{record.game}":
                continue
            believer = believers.setdefault(record.game, Believer(record.game))
            if believer.add(record) and _seat_of(record, name) is not None:
                ended = about_of(journal, record.match_id).ended
                found.setdefault(record.game, []).append(_played(record, name, ended, believer, found.get(record.game, [])))
    return found


def _seat_of(record: MatchRecord, name: str) -> int | None:
    return next((seat for seat, row in enumerate(record.seats) if row.isolation == PERSON and row.bot == name), None)


def _played(record: MatchRecord, name: str, ended: str, believer: Believer, before: list[PlayedMatch]) -> PlayedMatch:
    own = _seat_of(record, name)
    assert own is not None
    mu, sigma = believer.of_person(name)
    rivals = [row for seat, row in enumerate(record.seats) if seat != own]
    levels = {row.bot.partition("-")[0] for row in rivals if row.isolation != PERSON} & set(NAMES)
    return PlayedMatch(
        match_id=record.match_id, ended=ended, place=record.seats[own].place, rivals=tuple(row.bot for row in rivals),
        levels=tuple(one for one in NAMES if one in levels), mu=mu, sigma=sigma, gain=mu - before[-1].mu if before else 0.0,
    )  # fmt: skip
