"""What a view is given: the results, the live boards and tables, who asks, and what the address asks for."""

from dataclasses import dataclass
from typing import Generic, TypeVar

import msgspec

from arena.results.accounts import Accounts
from arena.results.site_file import OwnedBots
from arena.server.asking.matches import BotMatches
from arena.server.bot_notes import NotesDesk
from arena.server.library import Library
from arena.server.live_board.board import LiveBoards
from arena.server.remote.lobby import Lobby
from arena.server.running_contest.running import RunningContest
from arena.server.submitting.checks import Submitting
from arena.server.tables.tables import Tables
from arena.server.visitors import Persons, Visitor

Q = TypeVar("Q", bound=msgspec.Struct)


@dataclass(frozen=True)
class Asked(Generic[Q]):
    """One request for data."""

    library: Library
    boards: LiveBoards
    place: dict[str, str]
    """The named parts of the address."""
    query: Q
    """The parameters of the address, checked."""
    lang: str
    """The language of the reader."""
    visitor: Visitor
    """The browser or the program that asks, and the person behind it."""
    tables: Tables
    persons: Persons
    accounts: Accounts
    owned: OwnedBots
    """The owners of the bots."""
    bot_matches: BotMatches
    """The matches that the server lets bots play."""
    lobby: Lobby
    """The programs that are here from their authors' machines."""
    submitting: Submitting
    notes: NotesDesk
    """Plays matches again for what their bots noted."""
    contest: RunningContest | None = None
    """The contest of the server; None: it has none."""
