"""One program that plays from its author's machine, as the hall keeps it. Lives in the event loop."""

import secrets
from collections.abc import Callable
from typing import Protocol

import msgspec

from arena.records import Ending
from arena.results.account_rows import Account
from arena.server.asking.bot_match import BotMatch
from arena.server.remote.messages import Join, Joined, Result
from arena.server.table_process.messages import Remote

SPARE_LINES = 2
"""Lines that nobody asked for which are passed on in a match: the first one is a fault already."""


class Connection(Protocol):
    """The socket of a program."""

    def offer(self, text: str) -> None:
        """Take a message, without waiting."""

    def close(self, why: str) -> None:
        """Say goodbye."""


class Program:
    """One program; it plays at one table."""

    def __init__(self, account: Account, wish: Join, changed: Callable[["Program"], None]) -> None:
        """`changed`: called when it is free for another match, or gone."""
        self.account, self.bot, self.games = account, wish.bot, list(wish.games)
        self.name = f"{account.name}/{wish.bot}"
        self.remote = Remote(wants_forced=wish.wants_forced, wants_state=wish.wants_state)
        self.key = secrets.token_urlsafe(32)
        self.match: BotMatch | None = None
        self.seat = 0
        self.connection: Connection | None = None
        self.has_left = False
        self.failures = 0
        """How many of its last matches it forfeited, one after the other."""
        self.turns = 0
        """How many matches were arranged for it."""
        self.awaits_result = False
        """Whether its last match is over, and it has yet to hear what came of it."""
        self._changed = changed
        self._waiting: list[str] = []  # what it has to hear when it is back
        self._asked: str | None = None  # the line of the match that it has still to answer
        self._credit = 0  # lines that it may send: answers to what it was asked
        self._spare = SPARE_LINES

    @property
    def is_here(self) -> bool:
        """Whether it is connected and stays."""
        return self.connection is not None and not self.has_left

    @property
    def is_free(self) -> bool:
        """Whether it can begin a match: what it hears of the one before would end the next one."""
        return self.is_here and self.match is None and not self.awaits_result

    def connect(self, connection: Connection) -> None:
        """Talk to it through this socket, which is open for the first time or again."""
        if self.connection is not None:
            self.connection.close("this program has connected anew")
        self.connection = connection
        connection.offer(_text(Joined(name=self.name, key=self.key, playing=self.match is not None)))
        for text in self._waiting:
            connection.offer(text)
        self._waiting.clear()
        if self.match is not None:
            self.match.resumed(self.seat)
            if self._asked is not None:  # an answer on the socket before did not come, and will not: see RemoteSockets
                connection.offer(self._asked)

    def disconnect(self, connection: Connection) -> None:
        """Note that this socket is gone, unless it has another one by now."""
        if self.connection is connection:
            self.connection = None
            if self.match is not None:
                self.match.cut(self.seat)
            self._changed(self)

    def leave(self) -> None:
        """It goes for good."""
        self.has_left = True
        self.gave_up("left the table")
        self._changed(self)

    def gave_up(self, reason: str) -> None:
        """It forfeits the match that it plays."""
        if self.match is not None:
            self.match.gave_up(self.seat, Ending.CRASH, reason)

    def said(self, line: str) -> bool:
        """Pass a line of the match on; False for one too many."""
        if self._credit <= 0:
            self._spare -= 1
        if self._spare < 0:
            return False
        self._credit, self._asked = max(0, self._credit - 1), None
        if self.match is not None:
            self.match.replied(self.seat, line)
        return True

    def sits_down(self, match: BotMatch, seat: int) -> None:
        """A match begins."""
        self.match, self.seat = match, seat
        self._credit, self._spare, self._asked = 0, SPARE_LINES, None
        self.turns += 1

    def told_result(self, result: Result) -> None:
        """Tell it what came of a match."""
        self.awaits_result = False
        self._offer(_text(result), is_kept=True)

    # As the player of a match

    def tell(self, line: str, *, is_end: bool) -> None:
        """Send it a line of the match."""
        self._asked = None if is_end else line
        if not is_end:
            self._credit += 1
        self._offer(line, is_kept=is_end)

    def over(self, match: BotMatch) -> None:
        """The match is over."""
        if self.match is match:
            self.match, self.awaits_result = None, True
            self._changed(self)

    def _offer(self, text: str, *, is_kept: bool) -> None:
        if self.connection is not None:
            self.connection.offer(text)
        elif is_kept:
            self._waiting.append(text)


def _text(message: msgspec.Struct) -> str:
    return msgspec.json.encode(message).decode()
