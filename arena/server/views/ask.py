"""The page on which a match is asked for, and the page of one that was."""

from typing import Annotated, Any

import msgspec

from arena import games
from arena.errors import ConfigError
from arena.names import MATCH_ID_DIGITS
from arena.records import MatchRecord
from arena.reports.pages.lessons import Texts
from arena.server.asked import Asked
from arena.server.asking.handlers import check_asker
from arena.server.asking.match_request import REMOTE_BOT, choice_of
from arena.server.asking.matches import BotMatch
from arena.server.people.levels import opponents
from arena.server.problems import Problem
from arena.server.tables.plan import choice_for
from arena.server.views.match import checked_id_of, located
from arena.server.views.matches import MatchCard, card_of
from arena.server.views.play import RuleOption, rule_option
from arena.server.views.rules import titles_of

MOST_SEATS = 12
"""Seats that the form has fields for."""
MOST_LISTED = 10
"""Matches of the visitor that are listed."""


class AskQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the form begins with."""

    game: Annotated[str, msgspec.Meta(max_length=80)] = ""
    like: Annotated[str, msgspec.Meta(max_length=MATCH_ID_DIGITS)] = ""
    """The id of a match whose cards are to be dealt again."""
    bot: Annotated[str, msgspec.Meta(max_length=120)] = ""
    """The bot for the first seat, as it is asked for."""


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """A bot that can be asked for."""

    choice: str
    """How it is asked for."""
    name: str
    kind: str
    """`level`, `house`, `submitted` or `remote`."""


class AskedCard(msgspec.Struct, frozen=True, kw_only=True):
    """A match that was asked for."""

    id: str
    """The id in the address `/ask/ID`."""
    game: str
    titles: Texts
    names: tuple[str, ...]
    """The bots, by seat."""
    state: str
    """`waiting`, `starting`, `compiling`, `playing`, `over` or `broken`."""
    is_running: bool
    why: str | None
    """The key of the sentence that says why it is broken."""
    match_id: str | None
    """The stored match, `/m/ID`."""


class AskPage(msgspec.Struct, frozen=True, kw_only=True):
    """What can be asked for."""

    games: tuple[tuple[str, Texts], ...]
    """All games, with their titles."""
    game: str
    titles: Texts
    seats: tuple[int, ...]
    """The numbers of seats that the game allows."""
    chosen: tuple[str, ...]
    """The bots to begin with, by seat."""
    candidates: tuple[Candidate, ...]
    options: tuple[RuleOption, ...]
    like: MatchCard | None
    """The match whose cards are dealt again."""
    pending: AskedCard | None
    """The visitor's match that is still to be played: one at a time."""
    own: tuple[AskedCard, ...]
    """The newest matches that the visitor has asked for."""


def ask(asked: Asked[AskQuery]) -> AskPage:
    """The data of `/ask`. Raises Problem 403 for who may not ask, and 404 for an unknown game or match."""
    check_asker(asked.visitor)
    query, names = asked.query, games.names()
    like = located(asked.library, checked_id_of(query.like))[1] if query.like else None
    game = query.game or _first_game(asked) if like is None else like.game
    try:
        loaded = games.load(game)
        rivals = opponents(game, asked.library.out)
    except ConfigError as error:
        raise Problem(404, "refusal_said", text=error) from None
    here = asked.lobby.names().get(game, [])
    candidates = [Candidate(choice=choice_for(one), name=one.name, kind=one.kind) for one in rivals]
    candidates += [Candidate(choice=REMOTE_BOT + name, name=name, kind="remote") for name in here]
    own = [asked_card(one) for one in _own(asked)]
    return AskPage(
        games=tuple((name, titles_of(name)) for name in names), game=game, titles=titles_of(game),
        seats=tuple(count for count in loaded.seats if count <= MOST_SEATS) if like is None else (len(like.seats),),
        chosen=_chosen(asked, like, here), candidates=tuple(candidates),
        options=() if like is not None else tuple(one for option in loaded.options if (one := rule_option(option)) is not None),
        like=None if like is None else card_of(like), pending=next((one for one in own if one.is_running), None),
        own=tuple(own[:MOST_LISTED]),
    )  # fmt: skip


class NoQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The address takes no parameters."""


class AskedMatch(msgspec.Struct, frozen=True, kw_only=True):
    """A match that was asked for, and what came of it."""

    card: AskedCard
    options: dict[str, Any]
    """The rule options that differ from the defaults; those of the match whose cards it has, if it has those."""
    seed: int | None
    like: str | None
    """The match whose cards it has."""
    result: MatchCard | None
    """The match as it is stored; None: it is not over."""
    again: str
    """The address at which the same cards can be asked for with other bots; empty: the match is not over."""


def asked_match(asked: Asked[NoQuery]) -> AskedMatch:
    """The data of `/ask/ID`. Raises Problem 404."""
    match = asked.bot_matches.find(asked.place["id"])
    record = located(asked.library, match.match_id)[1] if match.match_id is not None else None
    return AskedMatch(
        card=asked_card(match), options=match.setup.options, seed=match.setup.seed, like=match.setup.like or None,
        result=None if record is None else card_of(record), again=f"/ask?like={match.match_id}" if match.match_id else "",
    )  # fmt: skip


def asked_card(match: BotMatch) -> AskedCard:
    """A match that was asked for, in a list."""
    return AskedCard(
        id=match.id, game=match.setup.game, titles=titles_of(match.setup.game),
        names=tuple(seat.name for seat in match.setup.seats), state=match.state, is_running=match.is_running,
        why=match.why or None, match_id=match.match_id,
    )  # fmt: skip


def _first_game(asked: Asked[AskQuery]) -> str:
    """The game that the form begins with: that of the contest, if there is one."""
    return games.names()[0] if asked.contest is None else asked.contest.contest.games[0].game


def _own(asked: Asked[AskQuery]) -> list[BotMatch]:
    account = asked.visitor.account
    return [] if account is None else asked.bot_matches.of(account.id)


def _chosen(asked: Asked[AskQuery], like: MatchRecord | None, here: list[str]) -> tuple[str, ...]:
    """The bots to begin with: of a match that was played its own, as far as there are such."""
    if like is None:
        return (asked.query.bot,) if asked.query.bot else ()
    return tuple(choice_of(seat.bot, asked.library.out, here) for seat in like.seats)
