"""All bots of the results folder: whose they are, how they are rated, whether they still play. Searched, filtered, in pages."""

import base64
import binascii
import enum
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Literal

import msgspec

from arena.disk import is_there
from arena.errors import StoreError
from arena.ratings.settings import OVERALL
from arena.reports.table import shown
from arena.results.manifest import MANIFEST_FILE, BotEntry, Manifest
from arena.server.asked import Asked
from arena.server.library import SubmittedBot
from arena.server.problems import Problem
from arena.server.rights import owns
from arena.server.views.hidden import WhyHidden
from arena.server.views.tables import BoardRow
from arena.server.views.tournament import seen_of

LONGEST_PAGE = 200
UNRATED = 1e9
"""The place in the order of who has no rating: behind everybody."""
_Count = Annotated[int, msgspec.Meta(ge=1, le=LONGEST_PAGE)]
_Short = Annotated[str, msgspec.Meta(max_length=100)]
_Cursor = Annotated[str, msgspec.Meta(max_length=300)]


class BotState(enum.StrEnum):
    """Whether a bot plays."""

    PLAYING = "playing"
    WITHDRAWN = "withdrawn"
    """The author, or an organiser, took the bot out."""
    HIDDEN = "hidden"
    """It was retired for its failures, or has been at the bottom of the ladder for long."""


_LEFT_OUT = (BotState.HIDDEN, BotState.WITHDRAWN)
"""The states of bots that are listed only where that is asked for."""


class Order(enum.StrEnum):
    """The order in which bots are listed."""

    RATING = "rating"
    NAME = "name"
    NEWEST = "newest"
    MATCHES = "matches"


class BotsQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which bots to list, and in which order."""

    q: _Short = ""
    """Only bots whose name, or whose owner's name, has this text in it."""
    game: _Short | None = None
    """Only bots that play this game; their ratings are those in the game."""
    state: Literal["playing", "withdrawn", "hidden", "all"] | None = None
    """Only bots in this state; by default those that play."""
    owner: Literal["mine"] | None = None
    """Only bots of the account that asks."""
    sort: Order = Order.RATING
    cursor: _Cursor | None = None
    """The place in the list where the page begins or ends: `next` or `previous` of another page."""
    limit: _Count = 50


class PoolRating(msgspec.Struct, frozen=True, kw_only=True):
    """The rating of a bot in one pool of the newest tournament where it has one."""

    tournament: str
    pool: str
    game: str | None
    """The pool's game; None for all games together."""
    version: int
    rank: int | None
    rating: float
    mu: float
    low: float
    high: float
    """The upper end of the 95 % interval of mu."""
    matches: int
    hidden: WhyHidden | None
    """Why the board of the pool hides it."""


class BotCard(msgspec.Struct, frozen=True, kw_only=True):
    """A bot in the list."""

    name: str
    shown: str
    """The name as a page shows it."""
    owner: str | None
    """The name of the account that it belongs to; None: nobody's, such as a bot of the organiser."""
    is_mine: bool
    """Whether it belongs to the account that asks."""
    is_reference: bool
    """Whether it is a bot of the organiser and not of an author."""
    version: int
    """The newest version."""
    versions: int
    """How many versions were submitted; 0 for a bot that was given by its path."""
    since: str | None
    """When the newest version was submitted: UTC, ISO 8601. None: it never was."""
    games: tuple[str, ...]
    """The games that it plays; empty: all."""
    state: BotState
    matches: int
    """How many rated matches its newest rated version has played, all games together."""
    ratings: tuple[PoolRating, ...]
    """The newest ratings, that of all games first if there is one."""


class Bots(msgspec.Struct, frozen=True, kw_only=True):
    """Some bots of the results folder."""

    query: BotsQuery
    """What was asked for."""
    contest: str | None
    """The contest whose ladder the ratings are from; None: each is from the newest tournament that has one."""
    games: tuple[str, ...]
    """The games that can be asked for."""
    has_owners: bool
    """Whether any bot has an owner."""
    may_own: bool
    """Whether who asks can have bots."""
    total: int
    """How many bots fit."""
    hidden: int
    """How many hidden ones would fit and are not listed."""
    bots: tuple[BotCard, ...]
    next: str | None
    """The cursor of the next page; None: there is none."""
    previous: str | None
    """The cursor of the page before; None: this is the first one."""
    missing: tuple[str, ...]
    """Why parts are left out."""


def bots(asked: Asked[BotsQuery]) -> Bots:
    """The data of `/bots`. Raises Problem 400 for a cursor that no page gave."""
    query, missing = asked.query, list[str]()
    cursor = None if query.cursor is None else _read_cursor(query)
    field = Field(asked, missing)
    cards = [field.card(name) for name in field.names()]
    fitting = [card for card in cards if _fits(card, query)]
    listed = [card for card in fitting if query.state is not None or card.state not in _LEFT_OUT]
    listed.sort(key=lambda card: _key(card, query.sort))
    first = 0 if cursor is None else _first(listed, cursor, query)
    page = listed[first : first + query.limit]
    return Bots(
        query=query, contest=field.contest, games=field.games(), has_owners=any(card.owner is not None for card in cards),
        may_own=asked.visitor.is_author, total=len(listed), hidden=len(fitting) - len(listed), bots=tuple(page),
        next=_written_cursor(page[-1], query.sort) if first + query.limit < len(listed) else None,
        previous=_written_cursor(page[0], query.sort, is_back=True) if first and page else None,
        missing=tuple(missing) if asked.visitor.is_organiser else (),
    )  # fmt: skip


class Field:
    """All bots of the results folder, and where each was rated last."""

    def __init__(self, asked: Asked[BotsQuery], missing: list[str]) -> None:
        """`missing`: is told what cannot be read."""
        self.contest: str | None = None
        self._asked, self._game = asked, asked.query.game
        self._owned = asked.owned.all()
        self._submitted: Mapping[str, SubmittedBot] = asked.library.submitted.all()
        missing += [f"without {name}: {bot.trouble}" for name, bot in self._submitted.items() if bot.trouble]
        self._entries: dict[str, BotEntry] = {}
        self._ratings: dict[str, dict[str, PoolRating]] = {}
        self._games: set[str] = set()
        for tournament, manifest in self._tournaments(missing):
            self._take_in(tournament, manifest, missing)

    def names(self) -> Iterable[str]:
        """The names of all bots, sorted."""
        return sorted({*self._submitted, *self._entries, *self._ratings})

    def games(self) -> tuple[str, ...]:
        """The games that bots play, sorted."""
        declared = (bot.versions[-1].games for bot in self._submitted.values() if bot.versions)
        return tuple(sorted(self._games.union(*declared)))

    def card(self, name: str) -> BotCard:
        """A bot in the list."""
        submitted, entry = self._submitted.get(name), self._entries.get(name)
        newest = submitted.versions[-1] if submitted is not None and submitted.versions else None
        ratings, owned = tuple(self._ratings.get(name, {}).values()), self._owned.get(name)
        games = newest.games if newest is not None else entry.games if entry is not None else ()
        version = newest.version if newest is not None else entry.version if entry is not None else 1
        return BotCard(
            name=name, shown=shown(name), owner=None if owned is None else owned.owner_name or None,
            is_mine=owns(self._asked.visitor, owned), is_reference=newest is None, version=version,
            versions=len(submitted.versions) if submitted is not None else 0,
            since=None if newest is None else newest.submitted, games=games, state=_state(submitted, entry, version, ratings),
            matches=sum(one.matches for one in ratings if one.pool != OVERALL),
            ratings=tuple(one for one in ratings if self._game in (None, one.game)),
        )  # fmt: skip

    def _tournaments(self, missing: list[str]) -> list[tuple[str, Manifest]]:
        """The tournaments to look at, the newest first."""
        library, found = self._asked.library, []
        contest = self._asked.contest
        self.contest = None if contest is None else contest.contest.name
        for name, folder in library.folders().items():
            if contest is not None and name != self.contest:
                continue
            try:
                if is_there(folder / MANIFEST_FILE):
                    found.append((name, library.manifest(name, folder)))
            except (StoreError, OSError, Problem) as error:
                missing.append(f"without {name}: {error}")
        return sorted(found, key=lambda one: (one[1].started, one[0]), reverse=True)

    def _take_in(self, tournament: str, manifest: Manifest, missing: list[str]) -> None:
        for bot in manifest.bots:
            known = self._entries.get(bot.name)
            if known is None or bot.version > known.version:
                self._entries[bot.name] = bot
        library = self._asked.library
        try:
            seen = seen_of(library, self._asked.boards, tournament, library.folder(tournament))
        except (StoreError, OSError, Problem) as error:
            missing.append(f"without {tournament}: {error}")
            return
        games = {str(entry.get("pool")): str(entry.get("game")) for entry in manifest.entries}
        self._games.update(games.values())
        for pool in seen.pools:
            newest: dict[str, BoardRow] = {}
            for row in seen.tables[pool]:
                if row.matches and (row.bot not in newest or row.version > newest[row.bot].version):
                    newest[row.bot] = row
            for name, row in newest.items():
                self._ratings.setdefault(name, {}).setdefault(pool, _rating(tournament, pool, games.get(pool), row))


def _rating(tournament: str, pool: str, game: str | None, row: BoardRow) -> PoolRating:
    return PoolRating(
        tournament=tournament, pool=pool, game=game, version=row.version, rank=row.rank, rating=row.rating, mu=row.mu,
        low=row.low, high=row.high, matches=row.matches, hidden=row.hidden,
    )  # fmt: skip


def _state(submitted: SubmittedBot | None, entry: BotEntry | None, version: int, ratings: tuple[PoolRating, ...]) -> BotState:
    if submitted is not None and submitted.withdrawal is not None:
        return BotState.WITHDRAWN
    if entry is not None and entry.retired and entry.version == version:
        return BotState.HIDDEN
    here = [one.hidden for one in ratings if one.version == version]
    return BotState.HIDDEN if here and all(why is WhyHidden.BOTTOM for why in here) else BotState.PLAYING


def folded(text: str) -> str:
    """A text without what only its writing tells from another one, for searching."""
    return unicodedata.normalize("NFKC", text).casefold()


def _fits(card: BotCard, query: BotsQuery) -> bool:
    wanted = folded(query.q.strip())
    return (
        (not wanted or wanted in folded(card.name) or wanted in folded(card.owner or ""))
        and (query.game is None or query.game in card.games or bool(card.ratings) or (not card.is_reference and not card.games))
        and query.state in (None, "all", card.state.value)
        and (query.owner is None or card.is_mine)
    )


def _key(card: BotCard, order: Order) -> tuple[float, str]:
    """The place of a bot in an order: nothing but what the bot is, so that others may come and go between two pages."""
    first = card.ratings[0] if card.ratings else None
    number = 0.0
    if order is Order.RATING:
        number = -first.rating if first is not None else UNRATED
    elif order is Order.MATCHES:
        number = -float(card.matches)
    elif order is Order.NEWEST:
        number = -datetime.fromisoformat(card.since).timestamp() if card.since else UNRATED
    return number, card.name


class _Place(msgspec.Struct, frozen=True, array_like=True):
    """The last bot of a page, or the first one, as it was when the page was made."""

    order: Order
    number: float
    name: str
    is_back: bool = False
    """Whether the page that is asked for ends before the bot."""


def _first(listed: Sequence[BotCard], cursor: _Place, query: BotsQuery) -> int:
    """The number of the bot with which a page begins."""
    keys, key = [_key(card, query.sort) for card in listed], (cursor.number, cursor.name)
    return max(0, bisect_left(keys, key) - query.limit) if cursor.is_back else bisect_right(keys, key)


def _written_cursor(card: BotCard, order: Order, *, is_back: bool = False) -> str:
    place = _Place(order, *_key(card, order), is_back)
    return base64.urlsafe_b64encode(msgspec.json.encode(place)).decode().rstrip("=")


def _read_cursor(query: BotsQuery) -> _Place:
    text = query.cursor or ""
    try:
        found = msgspec.json.decode(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)), type=_Place)
    except (binascii.Error, msgspec.DecodeError, ValueError, RecursionError):
        raise Problem(400, "refusal_bad_cursor") from None
    if found.order is not query.sort:
        raise Problem(400, "refusal_bad_cursor")
    return found
