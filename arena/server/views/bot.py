"""A bot: its versions, where it played, and what its rating in one tournament comes from."""

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from arena.agent.submissions import Submissions, Withdrawal
from arena.disk import is_there
from arena.errors import StoreError
from arena.names import NAME
from arena.ratings.explain import Explanation, OpponentResults, SeatResults, explain
from arena.ratings.settings import OVERALL
from arena.ratings.skill import Skill, skill_of
from arena.records import HistoryPoint, Rating
from arena.reports.board import NO_COST, Cost, headline_history
from arena.reports.table import shown
from arena.reports.tables import Lost
from arena.results import parquet
from arena.results.manifest import MANIFEST_FILE, Manifest
from arena.results.schema import HISTORY, RATINGS
from arena.server.asked import Asked
from arena.server.library import Library
from arena.server.live_board.board import LiveBoards, Seen
from arena.server.problems import Problem
from arena.server.rights import may_manage, may_see_source, owns
from arena.server.running_contest.running import RunningContest
from arena.server.views.faults import lost_matches
from arena.server.views.tables import COST_DIGITS, rounded
from arena.server.views.tournament import all_costs, all_ratings, seen_of, stored_rows
from arena.server.views.versions import VersionResult, version_results
from arena.tournament.archive import boards as archive_boards

MOST_APPEARANCES = 100
NO_MARK: dict[str, Any] = {"marks": None, "mark": None}


class BotQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which of its tournaments and versions to explain."""

    t: str | None = None
    """The tournament; by default the newest one that it played."""
    v: int | None = None
    """The version; by default the newest one in that tournament."""


class Version(msgspec.Struct, frozen=True, kw_only=True):
    """A submitted version of the bot."""

    version: int
    submitted: str
    """When it was submitted: UTC, ISO 8601."""
    sha256: str
    bytes: int
    games: tuple[str, ...]
    """The games that it declares; empty: all."""


class Appearance(msgspec.Struct, frozen=True, kw_only=True):
    """A rating of the bot in one pool of one tournament."""

    tournament: str
    started: str
    """When the tournament started: UTC, ISO 8601."""
    version: int
    pool: str
    rank: int | None
    rank_low: int | None
    rank_high: int | None
    bots: int
    """How many bots have a rank in the pool."""
    rating: float
    mu: float
    low: float
    high: float
    matches: int
    bound: str = ""
    """`least`: it has won all, so it is at least that good; `most`: it has lost all."""


class RatingPoint(msgspec.Struct, frozen=True, array_like=True):
    """What was believed of the bot after part of the tournament."""

    pool_matches: int
    """How many rated matches of the pool came before this point."""
    matches: int
    """How many of those the bot played."""
    mu: float
    sigma: float


class BotPool(msgspec.Struct, frozen=True, kw_only=True):
    """What the bot's rating in one pool comes from."""

    pool: str
    rank: int | None = None
    """The rank on the board of the pool; None: it has none, such as an old version on a ladder."""
    cost: Cost
    history: tuple[RatingPoint, ...]
    seats: tuple[SeatResults, ...]
    opponents: tuple[OpponentResults, ...]
    """The opponents, the hardest first."""
    losses: tuple[Lost, ...]
    """The losses worth a look, the worst first."""
    skill: Skill | None
    """What of its results the cards gave it; None where luck was not worked out."""


class VersionCurve(msgspec.Struct, frozen=True, kw_only=True):
    """How the rating of one version developed while it played."""

    version: int
    points: tuple[RatingPoint, ...]


class Career(msgspec.Struct, frozen=True, kw_only=True):
    """How the ratings of all versions developed in one pool of a tournament."""

    pool: str
    curves: tuple[VersionCurve, ...]
    """The versions that have played, oldest first."""


class Bot(msgspec.Struct, frozen=True, kw_only=True):
    """A bot."""

    name: str
    shown: str
    """The name and the version as a page shows them."""
    owner: str | None
    """The name of the account that it belongs to; None: nobody's, or that of the organiser who started the server."""
    is_mine: bool
    """Whether it belongs to the account that asks."""
    may_manage: bool
    """Whether who asks may withdraw it, and see and publish its sources."""
    authors: tuple[str, ...]
    """The accounts that it can be given to; only organisers are told."""
    sources: tuple[int, ...]
    """The versions whose source who asks may see."""
    published: int | None
    """The version whose source everybody may see."""
    results: tuple[VersionResult, ...]
    """Version against version in the tournament that `pools` is about, the newest first."""
    careers: tuple[Career, ...]
    """The ratings of all versions over that tournament, where it had two or more of them."""
    versions: tuple[Version, ...]
    """The submitted versions, oldest first; empty for a bot that was given by its path."""
    withdrawal: Withdrawal | None
    """Since when it plays no new tournaments, and what it is called since then; None: it plays."""
    marks: Literal["provisional", "frozen"] | None
    """Whether the contest has frozen its marks; None: there is no contest, or this is for who manages the bot alone."""
    mark: float | None
    """The mark of the bot, for who manages it; None: none."""
    appearances: tuple[Appearance, ...]
    """The newest tournament first."""
    tournament: str | None
    """The tournament that `pools` is about."""
    version: int | None
    """The version that `pools` is about."""
    pools: tuple[BotPool, ...]
    missing: tuple[str, ...]
    """Why parts are left out."""


def bot(asked: Asked[BotQuery]) -> Bot:
    """The data of `/bots/NAME`. Raises Problem 404 for a bot that never played and was never submitted."""
    name, library, missing = asked.place["name"], asked.library, list[str]()
    found = _appearances(library, asked.boards, name, missing)
    versions, withdrawal = _versions(library, name, missing)
    if not found and not versions:
        raise Problem(404, "refusal_no_bot", name=repr(shown(name)))
    tournament, version = _chosen(found, asked.query)
    pools, results, careers = tuple[BotPool, ...](), tuple[VersionResult, ...](), tuple[Career, ...]()
    if tournament is not None and version is not None:
        pools, results, careers = _of_tournament(asked, tournament, name, version, missing)
        ranks = {one.pool: one.rank for one in found if (one.tournament, one.version) == (tournament, version)}
        pools = tuple(msgspec.structs.replace(pool, rank=ranks.get(pool.pool)) for pool in pools)
    owned = asked.owned.of(name)
    manages = bool(versions) and may_manage(asked.visitor, owned)
    return Bot(
        name=name, shown=shown(name, version or 1), owner=None if owned is None else owned.owner_name or None,
        is_mine=owns(asked.visitor, owned), may_manage=manages, authors=_authors(asked) if manages else (),
        sources=tuple(one.version for one in versions if may_see_source(asked.visitor, owned, one.version)),
        published=None if owned is None else owned.published, results=results, careers=careers, versions=versions,
        withdrawal=withdrawal, **(_mark(asked.contest, name) if manages else NO_MARK),
        appearances=tuple(found[:MOST_APPEARANCES]), tournament=tournament, version=version, pools=pools,
        missing=tuple(missing),
    )  # fmt: skip


def _mark(contest: RunningContest | None, name: str) -> dict[str, Any]:
    """The mark of a bot, and whether it is frozen; nothing where it cannot be told."""
    with contextlib.suppress(StoreError):
        if contest is not None:
            found = contest.marks.now()
            mark = next((one.mark for one in found.bots if one.bot == name), None)
            return {"marks": "frozen" if found.is_frozen else "provisional", "mark": mark}
    return NO_MARK


def _authors(asked: Asked[BotQuery]) -> tuple[str, ...]:
    """The names of the accounts that bots can be given to, for organisers."""
    if not asked.visitor.is_organiser:
        return ()
    members = (member.account for member in asked.accounts.members())
    return tuple(one.name for one in members if one.is_author and one.closed is None)


def _of_tournament(
    asked: Asked[BotQuery], tournament: str, name: str, version: int, missing: list[str]
) -> tuple[tuple[BotPool, ...], tuple[VersionResult, ...], tuple[Career, ...]]:
    """Return what a bot's rating in a tournament comes from, and how its versions compare there."""
    library, folder = asked.library, asked.library.folder(tournament)
    pools, results, careers = tuple[BotPool, ...](), tuple[VersionResult, ...](), tuple[Career, ...]()
    try:
        results = version_results(library, asked.boards, tournament, name)
        if is_there(folder / RATINGS.file):
            key = (tournament, name)
            pools = library.kept(("bot", *key, version), folder, lambda: _pools(library, tournament, name, version))
            careers = library.kept(("careers", *key), folder, lambda: _careers(library, tournament, folder, name))
    except (StoreError, OSError) as error:
        missing.append(f"without {tournament}: {error}")
    return pools, results, careers


def _careers(library: Library, tournament: str, folder: Path, name: str) -> tuple[Career, ...]:
    found: dict[str, dict[int, list[RatingPoint]]] = {}
    for point in _stored_history(library, tournament, folder):
        if point.bot == name:
            curves = found.setdefault(point.pool, {})
            curves.setdefault(point.bot_version, []).append(_point(point))
    careers = (
        Career(pool=pool, curves=tuple(VersionCurve(version=v, points=p) for v in sorted(curves) if (p := _played(curves[v]))))
        for pool, curves in found.items()
    )
    return tuple(career for career in careers if len(career.curves) > 1)


def _played(points: list[RatingPoint]) -> tuple[RatingPoint, ...]:
    """The part of a curve in which the version played; nothing if it never did."""
    begin = next((place for place, point in enumerate(points) if point.matches), len(points))
    last = points[-1].matches
    end = next((place for place, point in enumerate(points) if point.matches == last), len(points))
    return tuple(points[max(0, begin - 1) : end + 1]) if last else ()


def _appearances(library: Library, boards: LiveBoards, name: str, missing: list[str]) -> list[Appearance]:
    """The ratings of a bot in the tables of all tournaments, the newest first, overall before the pools."""
    found: list[Appearance] = []
    for tournament, folder in library.folders().items():
        if not is_there(folder / MANIFEST_FILE):
            continue
        try:
            seen, manifest = seen_of(library, boards, tournament, folder), library.manifest(tournament, folder)
        except (StoreError, OSError, Problem) as error:
            missing.append(f"without {tournament}: {error}")
            continue
        found += _appearances_in(seen, tournament, manifest, name)
    return sorted(found, key=lambda one: (one.started, one.tournament, one.version, one.pool == OVERALL), reverse=True)


def _appearances_in(seen: Seen, tournament: str, manifest: Manifest, name: str) -> list[Appearance]:
    """The ratings of a bot in the tables of one tournament."""
    return [
        Appearance(
            tournament=tournament, started=manifest.started, version=row.version, pool=pool, rank=row.rank,
            rank_low=row.rank_low, rank_high=row.rank_high, bots=sum(other.rank is not None for other in seen.tables[pool]),
            rating=row.rating, mu=row.mu, low=row.low, high=row.high, bound=row.bound,
            matches=row.matches,
        )
        for pool in seen.pools
        for row in seen.tables[pool]
        if row.bot == name and row.matches
    ]  # fmt: skip


def _versions(library: Library, name: str, missing: list[str]) -> tuple[tuple[Version, ...], Withdrawal | None]:
    if NAME.fullmatch(name) is None:  # no submission has such a name, and it becomes part of a path
        return (), None
    store = Submissions(library.out)
    try:
        versions = store.versions(name) if name in store.names() else []
        withdrawal = store.withdrawal(name) if versions else None
    except (StoreError, OSError) as error:
        missing.append(f"without the submitted versions: {error}")
        return (), None
    return tuple(
        Version(version=one.version, submitted=one.submitted, sha256=one.sha256, bytes=one.bytes, games=one.games)
        for one in versions
    ), withdrawal


def _chosen(found: list[Appearance], query: BotQuery) -> tuple[str | None, int | None]:
    fitting = [one for one in found if query.t in (None, one.tournament) and query.v in (None, one.version)]
    if fitting:
        return fitting[0].tournament, fitting[0].version
    if query.t is not None or query.v is not None:
        known = ", ".join(sorted({f"{one.tournament} (version {one.version})" for one in found})) or "-"
        raise Problem(404, "refusal_no_rating", known=known)
    return None, None


def _pools(library: Library, tournament: str, name: str, version: int) -> tuple[BotPool, ...]:
    folder = library.folder(tournament)
    ratings = all_ratings(library, tournament, folder)
    own = [one for one in ratings if (one.bot, one.bot_version) == (name, version) and one.pool != OVERALL]
    return tuple(_pool(library, tournament, folder, rating) for rating in own)


def _pool(library: Library, tournament: str, folder: Path, rating: Rating) -> BotPool:
    rows = stored_rows(library, tournament, folder)
    explained = explain(rows.pool_rows(rating.pool), (rating.bot, rating.bot_version)) or Explanation((), (), ())
    costs, _ = all_costs(library, tournament, folder)
    key = (rating.pool, rating.bot, rating.bot_version)
    return BotPool(
        pool=rating.pool, cost=Cost(**rounded(costs.get(key, NO_COST), COST_DIGITS)),
        history=_history(library, tournament, folder, rating), seats=explained.seats, opponents=explained.opponents,
        losses=lost_matches(rows, rating.pool, explained.losses, folder), skill=_skill(library, tournament, folder, rating),
    )  # fmt: skip


def _skill(library: Library, tournament: str, folder: Path, rating: Rating) -> Skill | None:
    """Skill against luck; nothing where it cannot be read: the page is without it then."""
    manifest = library.manifest(tournament, folder)
    with contextlib.suppress(StoreError):
        columns = archive_boards.read_columns(folder, ("index",))
        luck = archive_boards.read_known_luck(folder, manifest, columns)
        if luck is not None:
            rows = stored_rows(library, tournament, folder).with_luck(rating.pool, luck)
            found = skill_of(rating.pool, rows, (rating.bot, rating.bot_version))
            return None if found is None or not found.has_interval else found
    return None


def _history(library: Library, tournament: str, folder: Path, rating: Rating) -> tuple[RatingPoint, ...]:
    return tuple(
        _point(point)
        for point in _stored_history(library, tournament, folder)
        if (point.pool, point.bot, point.bot_version) == (rating.pool, rating.bot, rating.bot_version)
    )


def _stored_history(library: Library, tournament: str, folder: Path) -> Sequence[HistoryPoint]:
    """Return what was believed over the tournament; nothing where it cannot be read: the page is without its curves then."""

    def read() -> list[HistoryPoint]:
        return headline_history(library.manifest(tournament, folder), parquet.read_history(folder))

    with contextlib.suppress(StoreError):
        return library.kept(("history", tournament), folder, read, (HISTORY.file, MANIFEST_FILE))
    return ()


def _point(point: HistoryPoint) -> RatingPoint:
    return RatingPoint(point.pool_matches, point.matches, round(point.mu, 3), round(point.sigma, 3))
