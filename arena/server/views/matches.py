"""The matches of a tournament, newest first, some at a time: of a bot or version, won or lost, against another, by ending."""

import datetime
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from arena.disk import is_there
from arena.records import Ending, MatchRecord
from arena.reports.table import shown
from arena.results.columns import Columns, match_starts
from arena.results.journal import JOURNAL_FILE, Journal
from arena.results.manifest import MANIFEST_FILE, read_manifest
from arena.results.schema import MATCHES
from arena.server.asked import Asked
from arena.server.problems import Problem
from arena.server.views.state import progress_of
from arena.tournament.archive import boards

LONGEST_PAGE = 200
SEARCHED = 5_000
"""Matches of a running tournament that are looked at for one page: its journal is read row by row."""
_COLUMNS = ("index", "seat", "game", "pool", "bot", "bot_version", "place", "score", "ending", "ended")
_Count = Annotated[int, msgspec.Meta(ge=1, le=LONGEST_PAGE)]
_Place = Annotated[int, msgspec.Meta(ge=0, le=1 << 62)]
_Version = Annotated[int, msgspec.Meta(ge=1, le=(1 << 31) - 1)]


class MatchesQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which matches to list."""

    bot: str | None = None
    """Only matches of this bot."""
    v: _Version | None = None
    """Only matches of this version of `bot`."""
    result: Literal["won", "lost"] | None = None
    """Only matches that `bot` won (at place 1, shared or not) or lost."""
    rival: str | None = None
    """Only matches of this bot, too."""
    pool: str | None = None
    ending: Ending | None = None
    """Only matches that ended so: for `bot`, or without one for any seat."""
    before: _Place | None = None
    """Only matches that ended before the one at this place: `older` of the page before. By default the newest."""
    after: _Place | None = None
    """Only matches that ended after that one: `newer` of the page before; it means nothing beside `before`."""
    limit: _Count = 50

    def is_own(self, bot: str, version: int) -> bool:
        """Return whether the list is about a seat of this bot."""
        return self.bot in (None, bot) and (self.bot is None or self.v in (None, version))


class SeatCard(msgspec.Struct, frozen=True, kw_only=True):
    """One seat of a listed match."""

    bot: str
    version: int
    shown: str
    """The bot's name as a page shows it."""
    place: int
    score: float
    ending: Ending


class MatchCard(msgspec.Struct, frozen=True, kw_only=True):
    """A match in a list."""

    match_id: str
    game: str
    pool: str
    seats: tuple[SeatCard, ...]
    ended: str | None
    """When it ended: UTC, ISO 8601; None: an older version stored it, without a time."""
    result: Literal["won", "lost"] | None = None
    """Whether the bot that was asked for won it; None: none was, or the match is void."""


class Matches(msgspec.Struct, frozen=True, kw_only=True):
    """Some matches of a tournament, the newest first; those without a time in the order of the plan, as the oldest."""

    name: str
    """The tournament."""
    query: MatchesQuery
    """What was asked for."""
    total: int | None
    """How many matches fit; None while the tournament is played."""
    matches: tuple[MatchCard, ...]
    bots: tuple[str, ...]
    """The bots that can be asked for."""
    versions: tuple[int, ...]
    """The versions of `bot` that can be asked for, the newest first."""
    pools: tuple[str, ...]
    """The pools that can be asked for."""
    older: int | None
    """`before` of the page with older matches; None: there is none."""
    newer: int | None
    """`after` of the page with newer matches; None: these are the newest."""


def matches(asked: Asked[MatchesQuery]) -> Matches:
    """The data of `/t/NAME/matches`. Raises Problem 404."""
    name, library, query = asked.place["name"], asked.library, asked.query
    folder = library.folder(name)
    if progress_of(library, name, folder).is_running or not is_there(folder / MATCHES.file):
        return _of_journal(name, folder, query)
    columns, starts, order = library.kept(("matches", name), folder, lambda: _read(folder), is_large=True)
    chosen = np.flatnonzero(_fitting(columns, starts, query)[order])
    first, last = _page(chosen, query)
    return Matches(
        name=name, query=query, bots=tuple(sorted(columns.texts["bot"].values)), versions=_versions(columns, query),
        pools=tuple(sorted(columns.texts["pool"].values)), total=len(chosen),
        matches=tuple(_cards(folder, columns, starts, order[chosen[first:last]][::-1].tolist(), query)),
        older=int(chosen[first]) if first else None, newer=int(chosen[last - 1]) if last < len(chosen) else None,
    )  # fmt: skip


def card_of(record: MatchRecord, query: MatchesQuery | None = None) -> MatchCard:
    """A match in a list, from its record. `query`: what the list is about."""
    seats = tuple(
        SeatCard(
            bot=seat.bot, version=seat.bot_version, shown=shown(seat.bot, seat.bot_version), place=seat.place,
            score=seat.score, ending=seat.ending,
        )
        for seat in record.seats
    )  # fmt: skip
    return _card(record.match_id, record.game, record.pool, seats, record.ended, query)


def _card(
    match_id: str, game: str, pool: str, seats: tuple[SeatCard, ...], ended: int, query: MatchesQuery | None
) -> MatchCard:
    at = datetime.datetime.fromtimestamp(ended, datetime.UTC).isoformat() if 0 < ended < _LAST else None
    result = None if query is None or query.bot is None else _result(seats, query)
    return MatchCard(match_id=match_id, game=game, pool=pool, seats=seats, ended=at, result=result)


_LAST = int(datetime.datetime(9999, 1, 1, tzinfo=datetime.UTC).timestamp())


def _result(seats: Iterable[SeatCard], query: MatchesQuery) -> Literal["won", "lost"] | None:
    """Return whether the bot of a list won a match: its best seat, where it had several."""
    places = [seat.place for seat in seats if query.is_own(seat.bot, seat.version) and seat.place]
    return None if not places else "won" if min(places) == 1 else "lost"


# Of a tournament that is stored -----------------------------------------------------------------------------------------------


def _read(folder: Path) -> tuple[Columns, NDArray[np.int64], NDArray[np.int64]]:
    """The rows, where each match begins, and the matches in the order in which they ended."""
    columns = boards.read_columns(folder, _COLUMNS)
    starts = match_starts(columns)
    return columns, starts, np.argsort(columns.numbers["ended"][starts[:-1]], kind="stable")


def _page(chosen: NDArray[np.int64], query: MatchesQuery) -> tuple[int, int]:
    """The part of the matches that fit which a page lists."""
    last = len(chosen)
    if query.before is not None:
        last = int(np.searchsorted(chosen, query.before))
    elif query.after is not None:
        last = min(last, int(np.searchsorted(chosen, query.after, side="right")) + query.limit)
    return max(0, last - query.limit), last


def _fitting(columns: Columns, starts: NDArray[np.int64], query: MatchesQuery) -> NDArray[np.bool_]:
    """[matches]: whether each match fits what was asked for."""
    texts, numbers, heads = columns.texts, columns.numbers, starts[:-1]
    fits = np.ones(len(heads), np.bool_)
    if not len(heads):
        return fits
    if query.pool is not None:
        fits &= texts["pool"].codes[heads] == texts["pool"].code(query.pool)
    own = np.ones(len(texts["bot"].codes), np.bool_)
    if query.bot is not None:
        own = texts["bot"].codes == texts["bot"].code(query.bot)
        if query.v is not None:
            own &= numbers["bot_version"] == query.v
        fits &= np.logical_or.reduceat(own, heads)
        if query.result is not None:
            has_won = np.logical_or.reduceat(own & (numbers["place"] == 1), heads)
            is_void = np.logical_or.reduceat(numbers["place"] == 0, heads)
            fits &= has_won if query.result == "won" else ~has_won & ~is_void
    if query.rival is not None:
        fits &= np.logical_or.reduceat(texts["bot"].codes == texts["bot"].code(query.rival), heads)
    if query.ending is not None:
        ended = texts["ending"].codes == texts["ending"].code(query.ending.value)
        fits &= np.logical_or.reduceat(own & ended, heads)
    return fits


def _cards(
    folder: Path, columns: Columns, starts: NDArray[np.int64], chosen: Sequence[int], query: MatchesQuery
) -> list[MatchCard]:  # fmt: skip
    ids = boards.read_match_ids(folder, [int(starts[match]) for match in chosen])
    cards = []
    for match in chosen:
        rows = range(int(starts[match]), int(starts[match + 1]))
        seats = tuple(_seat(columns, row) for row in rows)
        game, pool = (_text(columns, name, rows.start) for name in ("game", "pool"))
        cards.append(_card(ids[rows.start], game, pool, seats, int(columns.numbers["ended"][rows.start]), query))
    return cards


def _seat(columns: Columns, row: int) -> SeatCard:
    bot, version = _text(columns, "bot", row), int(columns.numbers["bot_version"][row])
    return SeatCard(
        bot=bot, version=version, shown=shown(bot, version), place=int(columns.numbers["place"][row]),
        score=float(columns.numbers["score"][row]), ending=Ending(_text(columns, "ending", row)),
    )  # fmt: skip


def _text(columns: Columns, name: str, row: int) -> str:
    return columns.texts[name].values[int(columns.texts[name].codes[row])]


def _versions(columns: Columns, query: MatchesQuery) -> tuple[int, ...]:
    """The versions of the bot that a list is about, the newest first."""
    if query.bot is None:
        return ()
    own = columns.texts["bot"].codes == columns.texts["bot"].code(query.bot)
    return tuple(np.unique(columns.numbers["bot_version"][own])[::-1].tolist())


# Of a tournament that is being played -----------------------------------------------------------------------------------------


def _of_journal(name: str, folder: Path, query: MatchesQuery) -> Matches:
    """Some matches of a tournament that is being played."""
    if not (folder / JOURNAL_FILE).exists():
        raise Problem(404, "refusal_no_match_yet", name=name)
    with Journal(folder, is_read_only=True) as journal:
        found, older, newer = _found(journal, query)
    manifest = read_manifest(folder) if is_there(folder / MANIFEST_FILE) else None
    bots = manifest.bots if manifest is not None else ()
    versions = {bot.version for bot in bots if bot.name == query.bot}
    return Matches(
        name=name, query=query, bots=tuple(sorted({bot.name for bot in bots})), versions=tuple(sorted(versions, reverse=True)),
        pools=manifest.pools if manifest is not None else (), total=None,
        matches=tuple(card_of(record, query) for record in found), older=older, newer=newer,
    )  # fmt: skip


def _found(journal: Journal, query: MatchesQuery) -> tuple[list[MatchRecord], int | None, int | None]:
    """The matches of a page, newest first, and the cursors of the pages with older and with newer ones."""
    if query.before is None and query.after is not None:
        found, following = _looked_at(journal.arrived(after=query.after), query)
        if following is not None:
            return found[::-1], query.after + 1, following - 1
    found, following = _looked_at(journal.arrived(before=query.before, is_newest_first=True), query)
    return found, None if following is None else following + 1, None if query.before is None else max(0, query.before - 1)


def _looked_at(arrived: Iterable[tuple[int, MatchRecord]], query: MatchesQuery) -> tuple[list[MatchRecord], int | None]:
    """The first of some matches that fit, and the number of the one to look at next; None: these are all."""
    found: list[MatchRecord] = []
    for searched, (number, record) in enumerate(arrived):
        if searched == SEARCHED or len(found) == query.limit:
            return found, number
        if _fits(record, query):
            found.append(record)
    return found, None


def _fits(record: MatchRecord, query: MatchesQuery) -> bool:
    own = [seat for seat in record.seats if query.is_own(seat.bot, seat.bot_version)]
    places = [seat.place for seat in own if seat.place]
    return (
        query.pool in (None, record.pool)
        and bool(own)
        and (query.rival is None or query.rival in [seat.bot for seat in record.seats])
        and (query.ending is None or query.ending in [seat.ending for seat in own])
        and (query.bot is None or query.result is None or (bool(places) and (min(places) == 1) is (query.result == "won")))
    )
