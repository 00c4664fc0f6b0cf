"""A bot: its versions, where it played, and what its rating in one tournament comes from."""

import contextlib
from pathlib import Path

import msgspec

from arena.agent.submissions import Submissions
from arena.analysis.explain import OpponentResults, SeatResults, explain
from arena.errors import StoreError
from arena.hall import boards
from arena.names import NAME
from arena.ratings.settings import OVERALL
from arena.records import Rating
from arena.report.selection.boards import chosen_pools
from arena.report.selection.names import shown
from arena.site.asked import Asked
from arena.site.library import Library
from arena.site.problems import Problem
from arena.site.views.tables import Cost, cost_of
from arena.site.views.tournament import all_costs, all_ratings, stored_rows
from arena.store import parquet
from arena.store.manifest import MANIFEST_FILE, Manifest, read_manifest
from arena.store.schema import HISTORY, RATINGS

MOST_APPEARANCES = 100


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


class RatingPoint(msgspec.Struct, frozen=True, array_like=True):
    """What was believed of the bot after part of the tournament."""

    pool_matches: int
    """How many rated matches of the pool came before this point."""
    matches: int
    """How many of those the bot played."""
    mu: float
    sigma: float


class LostMatch(msgspec.Struct, frozen=True, kw_only=True):
    """One of the bot's worst losses. `/m/ID?lost=SEAT` opens it at the step where it was lost."""

    match_id: str
    seat: int
    place: int
    seats: int
    score: float
    best_score: float
    """The score of a winner."""
    winners: tuple[str, ...]
    is_fault: bool
    """Whether the bot was to blame for the ending."""


class BotPool(msgspec.Struct, frozen=True, kw_only=True):
    """What the bot's rating in one pool comes from."""

    pool: str
    rank: int | None
    cost: Cost
    history: tuple[RatingPoint, ...]
    seats: tuple[SeatResults, ...]
    opponents: tuple[OpponentResults, ...]
    """The opponents, the hardest first."""
    losses: tuple[LostMatch, ...]
    """The losses worth a look, the worst first."""


class Bot(msgspec.Struct, frozen=True, kw_only=True):
    """A bot."""

    name: str
    shown: str
    """The name and the version as a page shows them."""
    versions: tuple[Version, ...]
    """The submitted versions, oldest first; empty for a bot that was given by its path."""
    withdrawn: str | None
    """Since when it plays no new tournaments, or what it is called now, in words."""
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
    found = _appearances(library, name, missing)
    versions, withdrawn = _versions(library, name, missing)
    if not found and not versions:
        raise Problem(404, "refusal_no_bot", name=repr(shown(name)))
    tournament, version = _chosen(found, asked.query)
    pools: tuple[BotPool, ...] = ()
    if tournament is not None and version is not None:
        pools = library.kept(
            ("bot", tournament, name, version), library.folder(tournament),
            lambda: _pools(library, tournament, name, version),
        )  # fmt: skip
    return Bot(
        name=name, shown=shown(name, version or 1), versions=versions, withdrawn=withdrawn,
        appearances=tuple(found[:MOST_APPEARANCES]), tournament=tournament, version=version, pools=pools,
        missing=tuple(missing),
    )  # fmt: skip


def _appearances(library: Library, name: str, missing: list[str]) -> list[Appearance]:
    """The ratings of a bot in the tables of all tournaments, the newest first, overall before the pools."""
    found: list[Appearance] = []
    for tournament, folder in library.folders().items():
        if not (folder / MANIFEST_FILE).exists() or not (folder / RATINGS.file).exists():
            continue
        try:
            manifest = _manifest(library, tournament, folder)
            ratings = all_ratings(library, tournament, folder)
        except (StoreError, OSError, Problem) as error:
            missing.append(f"without {tournament}: {error}")
            continue
        tables = chosen_pools(manifest, ratings)  # no overall one where no two bots play every pool
        own = [rating for rating in ratings if rating.bot == name and rating.pool in tables]
        found += [_appearance(tournament, manifest, rating, ratings) for rating in own]
    return sorted(found, key=lambda one: (one.started, one.tournament, one.version, one.pool == OVERALL), reverse=True)


def _appearance(tournament: str, manifest: Manifest, rating: Rating, ratings: list[Rating]) -> Appearance:
    bots = sum(other.pool == rating.pool and other.rank is not None for other in ratings)
    return Appearance(
        tournament=tournament, started=manifest.started, version=rating.bot_version, pool=rating.pool, rank=rating.rank,
        rank_low=rating.rank_low, rank_high=rating.rank_high, bots=bots, rating=rating.rating, mu=rating.mu, low=rating.low,
        high=rating.high, matches=rating.matches,
    )  # fmt: skip


def _versions(library: Library, name: str, missing: list[str]) -> tuple[tuple[Version, ...], str | None]:
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
    ), None if withdrawal is None else str(withdrawal)


def _chosen(found: list[Appearance], query: BotQuery) -> tuple[str | None, int | None]:
    fitting = [one for one in found if query.t in (None, one.tournament) and query.v in (None, one.version)]
    if fitting:
        return fitting[0].tournament, fitting[0].version
    if query.t is not None or query.v is not None:
        known = ", ".join(sorted({f"{one.tournament} (version {one.version})" for one in found})) or "-"
        raise Problem(404, "refusal_no_rating", known=known)
    return None, None


def _manifest(library: Library, name: str, folder: Path) -> Manifest:
    return library.kept(("manifest", name), folder, lambda: read_manifest(folder), (MANIFEST_FILE,))


def _pools(library: Library, tournament: str, name: str, version: int) -> tuple[BotPool, ...]:
    folder = library.folder(tournament)
    ratings = all_ratings(library, tournament, folder)
    own = [one for one in ratings if (one.bot, one.bot_version) == (name, version) and one.pool != OVERALL]
    return tuple(_pool(library, tournament, folder, rating) for rating in own)


def _pool(library: Library, tournament: str, folder: Path, rating: Rating) -> BotPool:
    rows = stored_rows(library, tournament, folder, _manifest(library, tournament, folder))
    pool = rows.pool_rows(rating.pool)
    explained = explain(pool, (rating.bot, rating.bot_version))
    costs, _ = all_costs(library, tournament, folder)
    losses: tuple[LostMatch, ...] = ()
    if explained is not None:
        numbers = rows.row_numbers(rating.pool)
        ids = boards.read_match_ids(folder, [int(numbers[loss.row]) for loss in explained.losses])
        starts = [int(pool.starts[pool.starts.searchsorted(loss.row, side="right") - 1]) for loss in explained.losses]
        losses = tuple(
            LostMatch(
                match_id=ids[int(numbers[loss.row])], seat=loss.row - start, place=loss.place, seats=loss.seats,
                score=loss.score, best_score=loss.best_score, winners=loss.winners, is_fault=loss.is_fault,
            )
            for loss, start in zip(explained.losses, starts)
        )  # fmt: skip
    return BotPool(
        pool=rating.pool, rank=rating.rank, cost=cost_of(costs, rating), history=_history(library, tournament, folder, rating),
        seats=explained.seats if explained is not None else (), opponents=explained.opponents if explained is not None else (),
        losses=losses,
    )  # fmt: skip


def _history(library: Library, tournament: str, folder: Path, rating: Rating) -> tuple[RatingPoint, ...]:
    points = []
    with contextlib.suppress(StoreError):  # a page without this curve
        points = library.kept(("history", tournament), folder, lambda: parquet.read_history(folder), (HISTORY.file,))
    return tuple(
        RatingPoint(point.pool_matches, point.matches, round(point.mu, 3), round(point.sigma, 3))
        for point in points
        if (point.pool, point.bot, point.bot_version) == (rating.pool, rating.bot, rating.bot_version)
    )
