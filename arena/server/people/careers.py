"""A person's own matches: how each went, and what was believed of the person after it."""

from pathlib import Path

import msgspec

from arena.records import MatchRecord
from arena.results.people import PEOPLE, about_of, has_people, open_people
from arena.server.people.levels import NAMES, Believer, level_at
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
            own = _seat_of(record, name)
            if believer.add(record) and own is not None:
                before = found.setdefault(record.game, [])
                ended = about_of(journal, record.match_id).ended
                before.append(_played(record, own, ended, believer.of_person(name), before[-1].mu if before else None))
    return found


def has_played(results: Path, name: str) -> bool:
    """Return whether any stored match bears a person's name, or that of a bot that played from the person's machine."""
    if not has_people(results):
        return False
    with open_people(results) as journal:
        rows = (row for record in journal.records() for row in record.seats)
        borne = [row for row in rows if (row.bot == name and row.isolation == PERSON) or row.bot.startswith(f"{name}/")]
    return bool(borne)  # all were read: a reading that is left in the middle would end after the database


def _seat_of(record: MatchRecord, name: str) -> int | None:
    return next((seat for seat, row in enumerate(record.seats) if row.isolation == PERSON and row.bot == name), None)


def _played(
    record: MatchRecord, own: int, ended: str, belief: tuple[float, float], before: float | None
) -> PlayedMatch:  # fmt: skip
    """The match of the person at seat `own`. `belief`: mean and standard deviation after it; `before`: the mean before it."""
    mu, sigma = belief
    rivals = [row for seat, row in enumerate(record.seats) if seat != own]
    levels = {level_at(record.game, row) for row in rivals}
    return PlayedMatch(
        match_id=record.match_id, ended=ended, place=record.seats[own].place, rivals=tuple(row.bot for row in rivals),
        levels=tuple(one for one in NAMES if one in levels), mu=mu, sigma=sigma, gain=0.0 if before is None else mu - before,
    )  # fmt: skip
