"""Version against version: what the matches of a tournament say of two versions of one bot, also while it is played."""

import enum
from pathlib import Path

import msgspec

from arena.errors import StoreError
from arena.ratings.pairs import compare_bots
from arena.ratings.rows import PoolRows
from arena.ratings.settings import OVERALL
from arena.server.library import Library
from arena.server.live_board.board import LiveBoards, Seen
from arena.server.problems import Problem
from arena.server.views.state import progress_of
from arena.server.views.tournament import is_live, seen_of, stored_rows

MOST_VERSIONS = 12
"""The newest versions of a bot, which are compared with each other."""


class Verdict(enum.StrEnum):
    """What a comparison says."""

    BETTER = "better"
    """The whole interval is above one half."""
    WORSE = "worse"
    OPEN = "open"
    """The interval reaches over one half: more deals are needed."""


class VersionResult(msgspec.Struct, frozen=True, kw_only=True):
    """A version of a bot against an earlier one, in one pool."""

    pool: str
    version: int
    other: int
    """The earlier version."""
    share: float
    """How often the version did better with the same cards, ties as halves."""
    low: float
    high: float
    """The upper end of the 95 % interval of the share over deals."""
    deals: int
    """The number of deals in which both played with the same cards."""
    verdict: Verdict


def version_results(library: Library, boards: LiveBoards, tournament: str, bot: str) -> tuple[VersionResult, ...]:
    """Each version of a bot against the one before, and the newest one against all: the newest first, pool by pool.

    Raises StoreError and Problem as a board does.
    """
    folder = library.folder(tournament)
    seen = seen_of(library, boards, tournament, folder)
    pairs = {pool: _pairs(seen, pool, bot) for pool in seen.pools if pool != OVERALL}
    if not any(pairs.values()):
        return ()

    def made() -> tuple[VersionResult, ...]:
        return tuple(
            found
            for pool, wanted in pairs.items()
            if wanted and (rows := _rows(library, boards, tournament, folder, pool)) is not None
            for version, other in wanted
            if (found := _result(rows, pool, bot, version, other)) is not None
        )

    key = ("versions", tournament, bot)
    if is_live(progress_of(library, tournament, folder), folder):
        return boards.of(folder).kept(key, made)
    return library.kept(key, folder, made)


def against_earlier(
    library: Library, boards: LiveBoards, tournament: str, bot: str, version: int
) -> tuple[VersionResult, ...]:  # fmt: skip
    """A version against the newest one before it, in each pool; empty if nothing is known of it, or cannot be read."""
    try:
        found = version_results(library, boards, tournament, bot)
    except (StoreError, OSError, Problem):  # the tournament has not begun, or is being rewritten
        return ()
    of_pool: dict[str, VersionResult] = {}
    for one in found:
        if one.version == version:
            of_pool.setdefault(one.pool, one)
    return tuple(of_pool.values())


def _pairs(seen: Seen, pool: str, bot: str) -> list[tuple[int, int]]:
    versions = sorted((row.version for row in seen.tables[pool] if row.bot == bot and row.matches), reverse=True)
    versions = versions[:MOST_VERSIONS]
    return [
        (version, other)
        for place, version in enumerate(versions)
        for other in (versions[1:] if place == 0 else versions[place + 1 : place + 2])
    ]


def _rows(library: Library, boards: LiveBoards, tournament: str, folder: Path, pool: str) -> PoolRows | None:
    if is_live(progress_of(library, tournament, folder), folder):
        return boards.of(folder).rows(pool)
    return stored_rows(library, tournament, folder).pool_rows(pool)


def _result(rows: PoolRows, pool: str, bot: str, version: int, other: int) -> VersionResult | None:
    found = compare_bots(rows, (bot, version), (bot, other))
    if found is None:
        return None
    verdict = Verdict.BETTER if found.low > 0.5 else Verdict.WORSE if found.high < 0.5 else Verdict.OPEN
    return VersionResult(
        pool=pool, version=version, other=other, share=round(found.share, 4), low=round(found.low, 4),
        high=round(found.high, 4), deals=found.deals, verdict=verdict,
    )  # fmt: skip
