"""The home page: all tournaments, those being played first."""

from pathlib import Path

import msgspec

from arena.errors import StoreError
from arena.hall.folder import HALL, is_hall
from arena.ratings.settings import OVERALL
from arena.report.selection.boards import chosen_pools, headline_ratings
from arena.report.selection.names import name_of
from arena.site.asked import Asked
from arena.site.library import Library
from arena.site.views.state import Progress, progress_of
from arena.store import parquet
from arena.store.manifest import MANIFEST_FILE, Manifest, read_manifest
from arena.store.schema import RATINGS

LEADERS = 3
MOST_LISTED = 100


class HomeQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The home page takes no parameters."""


class Leader(msgspec.Struct, frozen=True, kw_only=True):
    """One of the best bots of a tournament."""

    bot: str
    version: int
    shown: str
    """The name as a page shows it."""
    rating: float
    rank: int | None


class TournamentCard(msgspec.Struct, frozen=True, kw_only=True):
    """A tournament in the list."""

    name: str
    """The name in its address, `/t/NAME`."""
    progress: Progress
    started: str | None
    """When it started: UTC, ISO 8601."""
    pools: tuple[str, ...]
    bots: int
    leaders: tuple[Leader, ...]
    """The best bots of its first table: overall, or of its only pool. Empty before the end."""
    trouble: str | None = None
    """Why it cannot be read."""


class Home(msgspec.Struct, frozen=True, kw_only=True):
    """All tournaments of the results folder."""

    folder: str
    """The results folder, as it was named on the command line."""
    hall: bool
    """Whether there is a lasting hall: `/t/hall`."""
    tournaments: tuple[TournamentCard, ...]
    """The tournaments being played first, then the newest."""
    left_out: int
    """How many older ones are not listed."""
    trouble: str | None = None
    """What is wrong with the folder."""


def home(asked: Asked[HomeQuery]) -> Home:
    """The data of `/`."""
    return home_of(asked.library)


def home_of(library: Library) -> Home:
    """All tournaments of a results folder."""
    cards = [_card(library, name, folder) for name, folder in library.folders().items()]
    cards.sort(key=lambda card: (card.progress.is_running, card.started or ""), reverse=True)
    there = library.out.is_dir()
    return Home(
        folder=str(library.out), hall=is_hall(library.out / HALL), tournaments=tuple(cards[:MOST_LISTED]),
        left_out=max(0, len(cards) - MOST_LISTED),
        trouble=None if there else f"{library.out}: no such folder; it is made by the first tournament",
    )  # fmt: skip


def _card(library: Library, name: str, folder: Path) -> TournamentCard:
    try:
        progress = progress_of(library, name, folder)
        if not (folder / MANIFEST_FILE).exists():
            return TournamentCard(name=name, progress=progress, started=None, pools=(), bots=0, leaders=())
        manifest = library.kept(("manifest", name), folder, lambda: read_manifest(folder), (MANIFEST_FILE,))
        leaders = library.kept(("leaders", name), folder, lambda: _leaders(folder, manifest), (MANIFEST_FILE, RATINGS.file))
        return TournamentCard(
            name=name,
            progress=progress,
            started=manifest.started,
            pools=manifest.pools,
            bots=len(manifest.bots),
            leaders=leaders,
        )
    except (StoreError, OSError) as error:
        unknown = Progress(
            state="unreadable", is_running=False, done=0, total=0, void=0, endings={}, rate=None, seconds_left=None
        )
        return TournamentCard(name=name, progress=unknown, started=None, pools=(), bots=0, leaders=(), trouble=str(error))


def _leaders(folder: Path, manifest: Manifest) -> tuple[Leader, ...]:
    if not (folder / RATINGS.file).exists():
        return ()
    ratings = headline_ratings(parquet.read_ratings(folder))
    first = next(iter(chosen_pools(manifest, ratings)), OVERALL)
    best = [rating for rating in ratings if rating.pool == first and rating.rank is not None][:LEADERS]
    return tuple(
        Leader(bot=rating.bot, version=rating.bot_version, shown=name_of(rating), rating=rating.rating, rank=rating.rank)
        for rating in best
    )
