"""A tournament: how far it is, its tables, who beats whom, and its faults."""

from pathlib import Path
from typing import Any

import msgspec

from arena.disk import is_there
from arena.errors import StoreError, without_output, without_trace
from arena.ratings.fit import Fit
from arena.ratings.models import is_order_free
from arena.ratings.rows import Bot
from arena.ratings.settings import OVERALL, headline_model, overall_rule, ranked_by
from arena.ratings.skill import Skill, skills
from arena.ratings.stored import StoredRows
from arena.records import Rating
from arena.reports.board import (
    Costs,
    Online,
    add_up,
    asking_bots,
    chosen_pools,
    headline,
    headline_ratings,
    online_beside,
    why_no_overall,
)
from arena.reports.evidence import Evidence
from arena.reports.insights import (
    Chances,
    Fairness,
    Opinions,
    Pairs,
    Together,
    fairness_of,
    opinions_among,
    pairs_of,
    together_of,
)
from arena.reports.model_use import ModelUse
from arena.reports.table import Phrase, shown
from arena.reports.tables import FaultCard
from arena.results import parquet
from arena.results.lock import running_process
from arena.results.manifest import MANIFEST_FILE, Manifest
from arena.results.schema import RATINGS
from arena.server.asked import Asked
from arena.server.library import Library
from arena.server.live_board.board import LiveBoards, Seen
from arena.server.problems import Problem
from arena.server.rights import owned_bots
from arena.server.views.faults import PoolLoss, pool_losses
from arena.server.views.hidden import hidden_bots, withdrawn_bots
from arena.server.views.ladders import is_of_contest
from arena.server.views.state import Progress, progress_of
from arena.server.views.tables import BoardRow, WithoutRank, board_rows, bots_without_rank, with_hidden
from arena.tournament.archive import boards

MOST_FAULTS = 20
NOT_YET: dict[str, Any] = {
    "pairs": None, "chances": None, "opinions": None, "fit": None, "together": None, "fairness": None, "models": (),
    "skills": (), "losses": (), "faults": (), "missing": (),
}  # fmt: skip
"""What is known after the end alone."""


class TournamentQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which of the tables to show."""

    pool: str | None = None
    """The rating pool, or `overall`; by default the first table."""
    hidden: bool = False
    """Whether the board of a ladder shows all: old versions, who is gone or retired, who has been at the bottom for long."""


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A game of the tournament."""

    game: str
    pool: str
    seats: int | str | None
    deals: int | str | None
    options: dict[str, Any]


class Counting(msgspec.Struct, frozen=True, kw_only=True):
    """How the numbers of the table came about."""

    overall: str
    """The rule by which pools become one ranking: `standardized`, `mean-rank` or `mean-mu`."""
    ranked_by: str
    """The number by which bots are ranked: `low`, `mu` or `three-sigma`."""
    has_online: bool
    """Whether the ranks know no order of matches, and the ratings in the order of play stand beside them."""
    orders: int | None
    """The number of other orders of the same matches in which those were computed; None: that was not measured."""
    shift: int | None
    """How far a rank by them moved at most."""


class Tournament(msgspec.Struct, frozen=True, kw_only=True):
    """A tournament with one of its tables."""

    name: str
    shown: str
    """The name as a page shows it."""
    headline: str
    """All of it in one line."""
    progress: Progress
    started: str | None
    """When it started: UTC, ISO 8601."""
    outcome: str | None
    """How a comparison or a ladder ended, in words."""
    entries: tuple[Entry, ...]
    pools: tuple[str, ...]
    """The pools that have a table, the overall one first if there is one."""
    pool: str | None
    """The pool of `board`; None: there is no table yet."""
    board: tuple[BoardRow, ...]
    """The rows, best first; those with `hidden` are hidden unless `hidden` is asked for."""
    counting: Counting | None
    """How the numbers of `board` came about; None: there is no table yet."""
    without_rank: tuple[WithoutRank, ...]
    """The bots that are not on the overall board, with the pools that they play."""
    no_overall: Phrase | None
    """Why there is no overall table, in English and in Japanese; None: there is one, or nobody would expect it."""
    hidden: int
    """How many rows of the table are left out."""
    is_whole: bool
    """Whether hidden rows are asked for, too."""
    pairs: Pairs | None
    """The pairs of the pool; None for the overall pool, and while the tournament is played, as all that follows."""
    chances: Chances | None
    """How likely each rank is; of the overall pool, too."""
    opinions: Opinions | None
    """What other ways to count the same matches say."""
    fit: Fit | None
    """Whether the ratings tell the results of pairs."""
    together: Together | None
    """Which bots do better at one table than apart, at tables of three or more."""
    fairness: Fairness | None
    """What seats had to do with it."""
    models: tuple[ModelUse, ...]
    """How language models played in the pool."""
    skills: tuple[Skill, ...]
    """Skill against luck, where luck was worked out."""
    losses: tuple[PoolLoss, ...]
    """The worst loss of each bot in the pool; empty for the overall pool, and while the tournament is played."""
    faults: tuple[FaultCard, ...]
    """The first faults of all pools."""
    missing: tuple[str, ...]
    """Why parts are left out."""
    behind: int
    """Matches that are stored and not in the table yet: a journal of millions is read bit by bit."""


def tournament(asked: Asked[TournamentQuery]) -> Tournament:
    """The data of `/t/NAME`. Raises Problem 404 for an unknown tournament or pool."""
    name, library = asked.place["name"], asked.library
    folder = library.folder(name)
    if not is_there(folder / MANIFEST_FILE):
        return _bare(name, progress_of(library, name, folder))
    manifest = library.manifest(name, folder)
    seen = seen_of(library, asked.boards, name, folder)
    pool = _chosen(seen.pools, asked.query.pool, name)
    found = _described(name, manifest, seen, pool, is_whole=asked.query.hidden)
    if is_live(seen.progress, folder):
        return found
    gone = frozenset((row.bot, row.version) for row in seen.tables.get(pool or "", ()) if row.hidden is not None)
    found = _with_insights(library, folder, found, gone)
    owned = owned_bots(asked)
    faults = (
        one if owned is None or one.bot in owned else msgspec.structs.replace(one, reason=without_trace(one.reason))
        for one in found.faults
    )
    return msgspec.structs.replace(found, faults=tuple(faults))


def is_live(progress: Progress, folder: Path) -> bool:
    """Return whether a tournament's board is made from its journal: while it is played, and where nothing else is stored."""
    return progress.is_running or not is_there(folder / RATINGS.file)


def seen_of(library: Library, live: LiveBoards, name: str, folder: Path) -> Seen:
    """The board of a tournament now, whether it is being played or stored."""
    if running_process(folder) is not None or not is_there(folder / RATINGS.file):
        return _without_withdrawn(library, name, folder, live.seen(folder))
    progress = progress_of(library, name, folder)
    manifest = library.manifest(name, folder)
    (ratings, online), (costs, _) = _both_ratings(library, name, folder), all_costs(library, name, folder)
    pools = tuple(chosen_pools(manifest, ratings))

    def made() -> dict[str, tuple[BoardRow, ...]]:
        hidden, asking = hidden_bots(manifest, ratings), asking_bots(manifest)
        return {pool: board_rows(ratings, pool, costs, hidden=hidden, online=online, asking=asking) for pool in pools}

    tables = library.kept(("tables", name), folder, made)
    seen = Seen(progress, pools, tables, bots_without_rank(ratings, pools), why_no_overall(ratings, pools))
    return _without_withdrawn(library, name, folder, seen)


def _without_withdrawn(library: Library, name: str, folder: Path, seen: Seen) -> Seen:
    """The same board without bots that were withdrawn since the last leg of the contest began."""
    if not seen.pools or not is_of_contest(manifest := library.manifest(name, folder)):
        return seen
    gone = withdrawn_bots(manifest, library.submitted.withdrawn())
    if not gone:
        return seen
    return msgspec.structs.replace(seen, tables={pool: with_hidden(rows, gone) for pool, rows in seen.tables.items()})


def stored_rows(library: Library, name: str, folder: Path) -> StoredRows:
    """The rows of a stored tournament."""
    return evidence_of(library, name, folder).stored


def evidence_of(library: Library, name: str, folder: Path) -> Evidence:
    """All that is known of a stored tournament, as its report has it."""
    return library.kept(("evidence", name), folder, lambda: Evidence(folder), is_large=True)


def all_ratings(library: Library, name: str, folder: Path) -> list[Rating]:
    """The stored headline ratings."""
    return _both_ratings(library, name, folder)[0]


def _both_ratings(library: Library, name: str, folder: Path) -> tuple[list[Rating], Online]:
    """The stored headline ratings, and beside them those in the order of play."""

    def read() -> tuple[list[Rating], Online]:
        manifest, found = library.manifest(name, folder), parquet.read_ratings(folder)
        return headline_ratings(manifest, found), online_beside(headline_model(manifest.config), found)

    return library.kept(("ratings", name), folder, read, (MANIFEST_FILE, RATINGS.file))


def all_costs(library: Library, name: str, folder: Path) -> tuple[Costs, str]:
    """Return what decisions cost, and why that is missing."""

    def read() -> tuple[Costs, str]:
        try:
            return add_up(parquet.read_totals(folder)), ""
        except StoreError as error:
            return {}, f"without CPU times and kinds of endings: {error}"

    return library.kept(("costs", name), folder, read)


def entries_of(manifest: Manifest) -> tuple[Entry, ...]:
    """The games of a tournament, as far as its config names them."""
    return tuple(
        Entry(
            game=str(entry.get("game")), pool=str(entry.get("pool")), seats=entry.get("seats"), deals=entry.get("deals"),
            options=entry.get("options", {}),
        )
        for entry in manifest.entries
    )  # fmt: skip


def _described(name: str, manifest: Manifest, seen: Seen, pool: str | None, *, is_whole: bool) -> Tournament:
    """A tournament with what is known of it while it is played."""
    rows = seen.tables[pool] if pool is not None else ()
    board = rows if is_whole else tuple(row for row in rows if row.hidden is None)
    return Tournament(
        name=name, shown=shown(name), headline=headline(manifest), progress=seen.progress, started=manifest.started,
        outcome=manifest.outcome, entries=entries_of(manifest), pools=seen.pools, pool=pool,
        board=board, counting=_counting(manifest, pool), without_rank=seen.without_rank, no_overall=seen.no_overall,
        hidden=len(rows) - len(board), is_whole=is_whole, **NOT_YET, behind=seen.behind,
    )  # fmt: skip


def _counting(manifest: Manifest, pool: str | None) -> Counting:
    shifts = manifest.order_shifts
    is_known = shifts is not None and pool in shifts.ranks
    return Counting(
        overall=overall_rule(manifest.config), ranked_by=ranked_by(manifest.config),
        has_online=is_order_free(headline_model(manifest.config)),
        orders=shifts.orders if shifts is not None and is_known else None,
        shift=shifts.ranks[str(pool)] if shifts is not None and is_known else None,
    )  # fmt: skip


def _bare(name: str, progress: Progress) -> Tournament:
    """A tournament that has not begun to play."""
    return Tournament(
        name=name, shown=shown(name), headline=shown(name), progress=progress, started=None, outcome=None, entries=(),
        pools=(), pool=None, board=(), counting=None, without_rank=(), no_overall=None, hidden=0, is_whole=False, **NOT_YET,
        behind=0,
    )  # fmt: skip


def _with_insights(library: Library, folder: Path, found: Tournament, gone: frozenset[Bot]) -> Tournament:
    """The tournament with what is known only after the end; ranks there count nobody who is `gone`, as on the board."""
    name, pool = found.name, found.pool
    _, missing = all_costs(library, name, folder)
    insights: dict[str, Any] = {}
    try:
        insights = library.kept(
            ("insights", name, pool, gone, found.is_whole), folder,
            lambda: _insights(evidence_of(library, name, folder), pool, gone, is_whole=found.is_whole),
        )  # fmt: skip
    except StoreError as error:  # the board is there all the same
        missing = missing or str(error)
    losses = _losses(library, name, folder, pool)
    return msgspec.structs.replace(
        found, **insights, losses=tuple(one for one in losses if found.is_whole or (one.bot, one.version) not in gone),
        faults=library.kept(("faults", name), folder, lambda: _faults(folder)), missing=(missing,) if missing else (),
    )  # fmt: skip


def _insights(evidence: Evidence, pool: str | None, gone: frozenset[Bot], *, is_whole: bool) -> dict[str, Any]:
    """Return what a closer look at a pool finds, by the fields of `Tournament`; `is_whole`: of pairs with who is gone, too."""
    if pool == OVERALL:
        for one in evidence.pools:
            evidence.pool(one, "")
        return {"chances": evidence.overall_chances(gone)}
    found = None if pool is None else evidence.pool(pool, "")
    if pool is None or found is None or found.is_measured:
        return {}
    luck = found.rows_with_luck
    listed = [one for one in found.ratings if is_whole or (one.bot, one.bot_version) not in gone]
    return {
        "pairs": pairs_of(found.pairs, listed), "chances": found.chances(gone),
        "opinions": None if found.opinions is None else opinions_among(found.opinions, gone),
        "fit": found.fit, "together": together_of(found.rows), "fairness": fairness_of(found.rows, found.bars),
        "models": found.models,
        "skills": () if luck is None or not luck.matches else tuple(one for one in skills(pool, luck) if one.has_interval),
    }  # fmt: skip


def _losses(library: Library, name: str, folder: Path, pool: str | None) -> tuple[PoolLoss, ...]:
    if pool is None or pool == OVERALL:
        return ()
    ranked = [(one.bot, one.bot_version) for one in all_ratings(library, name, folder) if one.pool == pool]
    rows = stored_rows(library, name, folder)
    return library.kept(("losses", name, pool), folder, lambda: pool_losses(rows, pool, ranked, folder))


def _chosen(pools: tuple[str, ...], choice: str | None, name: str) -> str | None:
    if choice is None:
        return pools[0] if pools else None
    if choice not in pools:
        raise Problem(404, "refusal_no_pool", name=name, pool=repr(choice), known=", ".join(pools) or "-")
    return choice


def _faults(folder: Path) -> tuple[FaultCard, ...]:
    return tuple(
        FaultCard(
            match_id=place.fault.match_id, bot=place.fault.bot, version=place.fault.bot_version, seat=place.fault.seat,
            decision=place.fault.decision, ending=place.fault.ending, reason=without_output(place.fault.reason),
        )
        for place in boards.locate_faults(folder)[:MOST_FAULTS]
    )  # fmt: skip
