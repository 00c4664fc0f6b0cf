"""The most interesting matches of late: between the best, an upset, a close end."""

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np

from arena.disk import is_there
from arena.errors import StoreError
from arena.ratings.explain import closest
from arena.ratings.rows import Bot, PoolRows
from arena.records import Ending
from arena.results.manifest import MANIFEST_FILE
from arena.results.schema import RATINGS
from arena.server.asked import Asked
from arena.server.library import Library
from arena.server.live_board.board import Arrival, LiveBoards
from arena.server.problems import Problem
from arena.server.views.state import progress_of
from arena.server.views.tournament import all_ratings, stored_rows
from arena.tournament.archive import boards

MOST_SHOWN = 12
_CANDIDATES = 6  # of each pool of a finished tournament


class TvQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The screen takes no parameters."""


class Programme(msgspec.Struct, frozen=True, kw_only=True):
    """A match that is worth watching."""

    match_id: str
    tournament: str
    pool: str
    reason: str
    """`upset`, `close` or `top`."""
    bots: tuple[str, ...]
    """The bots by seat."""


class Tv(msgspec.Struct, frozen=True, kw_only=True):
    """What to show, the most interesting match first."""

    live: bool
    """Whether these are matches of a tournament that is being played now."""
    matches: tuple[Programme, ...]


def tv(asked: Asked[TvQuery]) -> Tv:
    """The data of `/tv`: of the tournaments being played, or of the newest one that has been."""
    played: list[tuple[str, str]] = []
    found: list[tuple[float, Programme]] = []
    for name, folder in asked.library.folders().items():
        try:
            if progress_of(asked.library, name, folder).is_running:
                found += _of_running(asked.boards, name, folder)
            elif is_there(folder / RATINGS.file) and is_there(folder / MANIFEST_FILE):
                played.append((asked.library.manifest(name, folder).started, name))
        except (StoreError, OSError, Problem):
            continue  # the other tournaments are worth watching, too
    if found:
        return Tv(live=True, matches=_best(found))
    for _, name in sorted(played, reverse=True)[:3]:
        try:
            if programme := _of_stored(asked.library, name):
                return Tv(live=False, matches=_best(programme))
        except (StoreError, OSError, Problem):
            continue
    return Tv(live=False, matches=())


def _best(found: list[tuple[float, Programme]]) -> tuple[Programme, ...]:
    return tuple(programme for _, programme in sorted(found, key=lambda one: -one[0])[:MOST_SHOWN])


def _of_running(live: LiveBoards, name: str, folder: Path) -> Iterator[tuple[float, Programme]]:
    seen = live.seen(folder)
    means = {
        pool: {(row.bot, row.version): row.mu for row in rows if math.isfinite(row.mu)} for pool, rows in seen.tables.items()
    }
    for arrival in list(live.of(folder).recent):
        if (judged := _judged(arrival, means.get(arrival.outcome.pool, {}))) is not None:
            yield judged[0], _programme(arrival, name, judged[1])


def _judged(arrival: Arrival, means: Mapping[Bot, float]) -> tuple[float, str] | None:
    """Return how interesting a match is, and why; None for one that ended by a fault or has an unknown bot."""
    seats = arrival.outcome.seats
    bots = [(seat.bot, seat.bot_version) for seat in seats]
    if any(seat.ending is not Ending.PLAYED for seat in seats) or not all(bot in means for bot in bots):
        return None
    return interest([means[bot] for bot in bots], [seat.place for seat in seats], [seat.score for seat in seats])


def interest(skills: Sequence[float], places: Sequence[int], scores: Sequence[float]) -> tuple[float, str] | None:
    """Return how interesting a match is, and the main reason; None for one without a loser.

    `skills`: the means of the beliefs by seat. An upset counts by how far below the best the winner was rated; a close end by
    how small the winner's lead was beside all scores; a table of the best by its mean.
    """
    losers = [seat for seat, place in enumerate(places) if place > 1]
    winners = [seat for seat, place in enumerate(places) if place == 1]
    if not losers or not winners:
        return None
    upset = max(0.0, max(skills[seat] for seat in losers) - max(skills[seat] for seat in winners)) / 10.0
    spread = max(scores) - min(scores)
    lead = min(abs(scores[winners[0]] - scores[seat]) for seat in losers)
    close = 1.0 - lead / spread if spread and len(places) > 2 else 0.5 / (1.0 + lead)
    top = sum(skills) / len(skills) / 50.0
    reasons = {"upset": upset, "close": close, "top": top}
    return sum(reasons.values()), max(reasons, key=lambda reason: reasons[reason])


def _programme(arrival: Arrival, name: str, reason: str) -> Programme:
    return Programme(
        match_id=arrival.match_id, tournament=name, pool=arrival.outcome.pool, reason=reason,
        bots=tuple(seat.bot for seat in arrival.outcome.seats),
    )  # fmt: skip


def _of_stored(library: Library, name: str) -> list[tuple[float, Programme]]:
    folder = library.folder(name)

    def find() -> list[tuple[float, Programme]]:
        rows = stored_rows(library, name, folder)
        ratings = all_ratings(library, name, folder)
        found: list[tuple[float, Programme]] = []
        for pool in rows.pools:
            means = {(one.bot, one.bot_version): one.mu for one in ratings if one.pool == pool}
            found += _of_pool(rows.pool_rows(pool), rows.row_numbers(pool).tolist(), means, folder, name, pool)
        return found

    return library.kept(("tv", name), folder, find)


def _of_pool(
    rows: PoolRows, numbers: Sequence[int], means: Mapping[Bot, float], folder: Path, name: str, pool: str
) -> Iterator[tuple[float, Programme]]:
    recent = range(max(0, rows.matches - 2_000), rows.matches)
    chosen = set(closest(rows, _CANDIDATES)) | set(list(recent)[:: max(1, len(recent) // 50)])
    ids = boards.read_match_ids(folder, [numbers[int(rows.starts[match])] for match in chosen])
    for match in chosen:
        table = slice(int(rows.starts[match]), int(rows.starts[match + 1]))
        bots = [rows.bots_by_number[number] for number in rows.bots[table].tolist()]
        if bool(np.any(rows.faults[table])) or not all(bot in means for bot in bots):
            continue
        judged = interest([means[bot] for bot in bots], rows.places[table].tolist(), rows.scores[table].tolist())
        if judged is not None:
            yield judged[0], Programme(
                match_id=ids[numbers[table.start]], tournament=name, pool=pool, reason=judged[1],
                bots=tuple(bot for bot, _ in bots),
            )  # fmt: skip
