"""The home page: all tournaments, those being played first."""

from pathlib import Path

import msgspec

from arena.disk import is_there
from arena.errors import StoreError
from arena.ratings.settings import OVERALL
from arena.results.manifest import MANIFEST_FILE
from arena.server.asked import Asked
from arena.server.library import Library
from arena.server.live_board.board import LiveBoards, Seen
from arena.server.problems import Problem
from arena.server.views.contest import ContestNews, contest_news
from arena.server.views.play import GameCard, all_games
from arena.server.views.state import UNREADABLE, Progress, progress_of
from arena.server.views.tournament import seen_of
from arena.tournament.archive.folder import ARCHIVE

LEADERS, MOST_LEADERS = 3, 8
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
    pool: str | None
    """The table that it leads; None: the only one, or that of all games."""


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
    """The best bots of all games or of the only one; else the first of each game."""
    trouble: str | None = None
    """Why it cannot be read."""


class Home(msgspec.Struct, frozen=True, kw_only=True):
    """All tournaments of the results folder."""

    folder: str
    """The results folder, as it was named on the command line; empty for who is no organiser."""
    archive: bool
    """Whether the archive has a board: `/t/archive`."""
    tournaments: tuple[TournamentCard, ...]
    """The tournaments being played first, then the newest."""
    left_out: int
    """How many older ones are not listed."""
    trouble: str | None = None
    """What is wrong with the folder."""
    contest: ContestNews | None = None
    """The contest of the server; None: it has none."""
    games: tuple[GameCard, ...] = ()
    """The games that can be played."""
    may_send: bool = False
    """Whether the visitor may hand in bots."""


def home(asked: Asked[HomeQuery]) -> Home:
    """The data of `/`."""
    found = msgspec.structs.replace(
        home_of(asked.library, asked.boards), contest=contest_news(asked), games=all_games(), may_send=asked.visitor.is_author
    )
    return found if asked.visitor.is_organiser else without_paths(found)


def home_of(library: Library, boards: LiveBoards) -> Home:
    """All tournaments of a results folder."""
    cards = [_card(library, boards, name, folder) for name, folder in library.folders().items()]
    cards.sort(key=lambda card: (card.progress.is_running, card.started or ""), reverse=True)
    there = library.out.is_dir()
    return Home(
        folder=str(library.out), archive=is_there(library.out / ARCHIVE / MANIFEST_FILE),
        tournaments=tuple(cards[:MOST_LISTED]),
        left_out=max(0, len(cards) - MOST_LISTED),
        trouble=None if there else f"{library.out}: no such folder; it is made by the first tournament",
    )  # fmt: skip


def without_paths(found: Home) -> Home:
    """The tournaments without what names the folders of the machine, which is for organisers."""
    return msgspec.structs.replace(found, folder="", trouble=found.trouble and "there is no such folder")


def _card(library: Library, boards: LiveBoards, name: str, folder: Path) -> TournamentCard:
    try:
        if not is_there(folder / MANIFEST_FILE):
            progress = progress_of(library, name, folder)
            return TournamentCard(name=name, progress=progress, started=None, pools=(), bots=0, leaders=())
        manifest = library.manifest(name, folder)
        seen = seen_of(library, boards, name, folder)
        return TournamentCard(
            name=name, progress=seen.progress, started=manifest.started, pools=manifest.pools, bots=len(manifest.bots),
            leaders=leaders_of(seen),
        )  # fmt: skip
    except (StoreError, OSError, Problem) as error:
        return TournamentCard(name=name, progress=UNREADABLE, started=None, pools=(), bots=0, leaders=(), trouble=str(error))


def leaders_of(seen: Seen) -> tuple[Leader, ...]:
    """The best bots of the overall or only table; else the first of each. Nobody leads who is hidden or has not played yet."""
    if not seen.pools:
        return ()
    is_one = len(seen.pools) == 1 or seen.pools[0] == OVERALL
    pools, length = (seen.pools[:1], LEADERS) if is_one else (seen.pools, 1)
    return tuple(
        Leader(
            bot=row.bot, version=row.version, shown=row.shown, rating=row.rating, rank=row.rank, pool=None if is_one else pool
        )
        for pool in pools
        for row in [row for row in seen.tables[pool] if row.matches and row.hidden is None][:length]
    )[:MOST_LEADERS]  # fmt: skip
