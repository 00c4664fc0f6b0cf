"""The matches of a tournament, some at a time: of one bot, of two that met, of one pool, with one ending."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

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
_COLUMNS = ("index", "seat", "game", "pool", "bot", "bot_version", "place", "score", "ending")
_Count = Annotated[int, msgspec.Meta(ge=1, le=LONGEST_PAGE)]
_Cursor = Annotated[int, msgspec.Meta(ge=0, le=1 << 62)]


class MatchesQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which matches to list."""

    bot: str | None = None
    """Only matches of this bot."""
    rival: str | None = None
    """Only matches of this bot, too."""
    pool: str | None = None
    ending: Ending | None = None
    """Only matches that ended so: for `bot`, or without one for any seat."""
    cursor: _Cursor = 0
    """The first match to look at: `next` of the page before."""
    limit: _Count = 50


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


class Matches(msgspec.Struct, frozen=True, kw_only=True):
    """Some matches of a tournament, in the order of its plan."""

    name: str
    """The tournament."""
    query: MatchesQuery
    """What was asked for."""
    total: int | None
    """How many matches fit; None while the tournament is played."""
    matches: tuple[MatchCard, ...]
    bots: tuple[str, ...]
    """The bots that can be asked for."""
    pools: tuple[str, ...]
    """The pools that can be asked for."""
    next: int | None
    """The cursor of the next page; None: there is none."""


def matches(asked: Asked[MatchesQuery]) -> Matches:
    """The data of `/t/NAME/matches`. Raises Problem 404."""
    name, library = asked.place["name"], asked.library
    folder = library.folder(name)
    if progress_of(library, name, folder).is_running or not is_there(folder / MATCHES.file):
        return _of_journal(name, folder, asked.query)
    columns, starts = library.kept(("matches", name), folder, lambda: _read(folder), is_large=True)
    chosen = np.flatnonzero(_fitting(columns, starts, asked.query))
    shown_here = chosen[np.searchsorted(chosen, asked.query.cursor) :][: asked.query.limit + 1]
    page = shown_here[: asked.query.limit].tolist()
    return Matches(
        name=name, query=asked.query, bots=_names(columns, "bot"), pools=_names(columns, "pool"), total=len(chosen),
        matches=tuple(_cards(folder, columns, starts, page)),
        next=int(shown_here[-1]) if len(shown_here) > asked.query.limit else None,
    )  # fmt: skip


def card_of(record: MatchRecord) -> MatchCard:
    """A match in a list, from its record."""
    seats = tuple(
        SeatCard(
            bot=seat.bot, version=seat.bot_version, shown=shown(seat.bot, seat.bot_version), place=seat.place,
            score=seat.score, ending=seat.ending,
        )
        for seat in record.seats
    )  # fmt: skip
    return MatchCard(match_id=record.match_id, game=record.game, pool=record.pool, seats=seats)


def _names(columns: Columns, column: str) -> tuple[str, ...]:
    return tuple(sorted(columns.texts[column].values))


def _read(folder: Path) -> tuple[Columns, NDArray[np.int64]]:
    columns = boards.read_columns(folder, _COLUMNS)
    return columns, match_starts(columns)


def _fitting(columns: Columns, starts: NDArray[np.int64], query: MatchesQuery) -> NDArray[np.bool_]:
    """[matches]: whether each match fits what was asked for."""
    texts, heads = columns.texts, starts[:-1]
    fits = np.ones(len(heads), np.bool_)
    if not len(heads):
        return fits
    if query.pool is not None:
        fits &= texts["pool"].codes[heads] == texts["pool"].code(query.pool)
    own = np.ones(len(texts["bot"].codes), np.bool_)
    if query.bot is not None:
        own = texts["bot"].codes == texts["bot"].code(query.bot)
        fits &= np.logical_or.reduceat(own, heads)
    if query.rival is not None:
        fits &= np.logical_or.reduceat(texts["bot"].codes == texts["bot"].code(query.rival), heads)
    if query.ending is not None:
        ended = texts["ending"].codes == texts["ending"].code(query.ending.value)
        fits &= np.logical_or.reduceat(own & ended, heads)
    return fits


def _cards(folder: Path, columns: Columns, starts: NDArray[np.int64], chosen: Sequence[int]) -> list[MatchCard]:
    ids = boards.read_match_ids(folder, [int(starts[match]) for match in chosen])
    return [_card(columns, ids[int(starts[match])], int(starts[match]), int(starts[match + 1])) for match in chosen]


def _card(columns: Columns, match_id: str, first: int, end: int) -> MatchCard:
    def text(name: str, row: int) -> str:
        return columns.texts[name].values[int(columns.texts[name].codes[row])]

    numbers = columns.numbers
    seats = tuple(
        SeatCard(
            bot=text("bot", row), version=int(numbers["bot_version"][row]),
            shown=shown(text("bot", row), int(numbers["bot_version"][row])), place=int(numbers["place"][row]),
            score=float(numbers["score"][row]), ending=Ending(text("ending", row)),
        )
        for row in range(first, end)
    )  # fmt: skip
    return MatchCard(match_id=match_id, game=text("game", first), pool=text("pool", first), seats=seats)


def _of_journal(name: str, folder: Path, query: MatchesQuery) -> Matches:
    """Some matches of a tournament that is being played."""
    found: list[MatchCard] = []
    following: int | None = None
    if not (folder / JOURNAL_FILE).exists():
        raise Problem(404, "refusal_no_match_yet", name=name)
    with Journal(folder, is_read_only=True) as journal:
        for searched, record in enumerate(journal.records(query.cursor)):
            if searched == SEARCHED or len(found) == query.limit:
                following = record.index
                break
            if _fits(record, query):
                found.append(card_of(record))
    manifest = read_manifest(folder) if is_there(folder / MANIFEST_FILE) else None
    bots = sorted({bot.name for bot in manifest.bots}) if manifest is not None else []
    return Matches(
        name=name, query=query, bots=tuple(bots), pools=manifest.pools if manifest is not None else (), total=None,
        matches=tuple(found), next=following,
    )  # fmt: skip


def _fits(record: MatchRecord, query: MatchesQuery) -> bool:
    bots = [seat.bot for seat in record.seats]
    endings = [seat.ending for seat in record.seats if query.bot in (None, seat.bot)]
    return (
        query.pool in (None, record.pool)
        and (query.bot is None or query.bot in bots)
        and (query.rival is None or query.rival in bots)
        and (query.ending is None or query.ending in endings)
    )
