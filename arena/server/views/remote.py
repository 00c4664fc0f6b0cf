"""The page of remote bots: who is here from an author's machine, how good they are, and what they have played."""

import msgspec

from arena.errors import StoreError
from arena.reports.pages.lessons import Texts
from arena.results.people import PEOPLE, PEOPLE_FILE, REMOTE
from arena.server.asked import Asked
from arena.server.people.levels import PersonRating
from arena.server.people.store import newest
from arena.server.problems import Problem
from arena.server.remote.lobby import Program
from arena.server.views.matches import MatchCard, card_of
from arena.server.views.rules import titles_of

MOST_MATCHES = 20
"""Matches that are listed."""
_SEARCHED = 400  # of the newest matches outside any tournament
_MATCHES = (PEOPLE_FILE, f"{PEOPLE_FILE}-wal")


class RemoteQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The page takes no parameters."""


class RemoteBot(msgspec.Struct, frozen=True, kw_only=True):
    """A program that is here; one that plays at several tables is here several times."""

    name: str
    """`ACCOUNT/BOT`."""
    games: tuple[str, ...]
    playing: str | None
    """The game that it plays now."""
    against: tuple[str, ...]
    """Whom it plays against now."""


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """A match that is over."""

    card: MatchCard
    ended: str
    """When it ended: UTC, ISO 8601."""


class RemotePage(msgspec.Struct, frozen=True, kw_only=True):
    """The programs that are here, and the ratings of all that have been here."""

    here: tuple[RemoteBot, ...]
    titles: dict[str, Texts]
    """The titles of the games."""
    ratings: dict[str, list[PersonRating]]
    """The ratings by game, the best first, in a pool of their own: no board of bots counts these matches."""
    matches: tuple[Kept, ...]
    """The newest matches; they are stored when they are over, so nobody sees cards before."""


def remote(asked: Asked[RemoteQuery]) -> RemotePage:
    """The data of `/remote`."""
    here = tuple(_bot(one) for one in asked.lobby.here())
    try:
        ratings = asked.lobby.ratings.read()
        matches = asked.library.kept(("remote",), asked.library.out / PEOPLE, lambda: _newest(asked), _MATCHES)
    except (StoreError, OSError, Problem):
        ratings, matches = {}, ()
    named = {*ratings, *(game for one in here for game in one.games), *(one.card.game for one in matches)}
    return RemotePage(here=here, titles={game: titles_of(game) for game in sorted(named)}, ratings=ratings, matches=matches)


def _bot(program: Program) -> RemoteBot:
    match, seat = program.match, program.seat
    return RemoteBot(
        name=program.name, games=tuple(program.games), playing=None if match is None else match.setup.game,
        against=() if match is None else tuple(plan.name for place, plan in enumerate(match.setup.seats) if place != seat),
    )  # fmt: skip


def _newest(asked: Asked[RemoteQuery]) -> tuple[Kept, ...]:
    found = newest(asked.library.out, _SEARCHED)
    of_remote = [one for one in found if one.record.pool == f"{REMOTE}/{one.record.game}"]
    return tuple(Kept(card=card_of(one.record), ended=one.ended) for one in of_remote[:MOST_MATCHES])
