"""What a program on its author's machine and the server say to each other over `/remote/socket`, around the lines of a match.

Each message is one text frame, a JSON object. The lines of a match (`start`, `act`, `end` and their answers) are those of
command bots, see arena/match/protocol.py; the others are here. docs/wire-protocol.md explains both.
"""

from typing import Annotated

import msgspec

from arena.names import MatchId, Name
from arena.records import Ending


class _Said(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=str.lower, forbid_unknown_fields=True):
    """A message with its `type`."""


class Join(_Said, frozen=True, kw_only=True):
    """The first message of a program: who it is, and what it plays. With `key` it comes back to where it was."""

    bot: Name
    """The bot's name; the server puts the account's name before it."""
    games: Annotated[list[Name], msgspec.Meta(min_length=1, max_length=64)]
    wants_forced: bool = False
    """Whether decisions with a single legal action are sent too."""
    wants_state: bool = False
    """Whether each `act` also holds the bytes of the state as the seat sees it (`state`, Base64), and the codes of the legal
    actions (`codes`): for programs that run arena themselves."""
    key: Annotated[str, msgspec.Meta(max_length=100)] = ""
    """The key of the `joined` before, when the connection was lost."""


class Leave(_Said, frozen=True, kw_only=True):
    """The program goes for good. A match that it plays goes on without it: it forfeits."""


class Crash(_Said, frozen=True, kw_only=True):
    """The bot has failed, and forfeits this match; the program stays for the next one."""


class Joined(_Said, frozen=True, kw_only=True):
    """The server's answer to Join."""

    name: str
    """The name under which the bot plays."""
    key: str
    """What brings a program back to its match when the connection was lost; a secret."""
    playing: bool
    """Whether a match goes on that the program takes part in: what is still open is asked again."""


class Result(_Said, frozen=True, kw_only=True):
    """A match is over."""

    match: MatchId | None
    """The id of the stored match, `/m/ID`; None: the match is void, through no fault of the program."""
    game: str
    names: list[str]
    """The names of all players, by seat."""
    seat: int
    """The own seat."""
    place: int | None = None
    ending: Ending | None = None
    rating: float | None = None
    """The rating of the bot in this game now: its mean minus three deviations. None: the match counts for no rating."""
    matches: int = 0
    """How many rated matches of the game the bot has played."""


FromProgram = Join | Leave | Crash
ToProgram = Joined | Result
TYPES = ("join", "leave", "crash")
