"""A match that the hall lets bots play, in a process of its own. Lives in the event loop."""

import asyncio
import logging
import secrets
from collections.abc import Callable, Sequence
from typing import Protocol

from arena.records import Ending
from arena.server.table_process.messages import (
    Broken,
    Compiling,
    Cut,
    Forward,
    GaveUp,
    Ready,
    Replied,
    Resumed,
    Setup,
    Stop,
    Stored,
)
from arena.server.tables.process import COMMAND, Heard, TableProcess
from arena.server.tables.seats import Handle
from arena.server.tables.table import Later, in_loop

LOG = logging.getLogger("arena.server")
MOST_SECONDS = 3600.0
"""The longest time that a match may take; then it is ended, and nothing of it is stored."""
WAITING, STARTING, COMPILING, PLAYING, OVER, BROKEN = "waiting", "starting", "compiling", "playing", "over", "broken"


class Player(Protocol):
    """A remote program that plays in a match."""

    def tell(self, line: str, *, is_end: bool) -> None:
        """Send it a line."""

    def over(self, match: "BotMatch") -> None:
        """The match is over, or cannot be played."""


class BotMatch:
    """One match."""

    def __init__(
        self, setup: Setup, account: str, *, later: Later = in_loop, command: Sequence[str] = COMMAND,
        ended: Callable[["BotMatch"], None] = lambda _: None,
    ) -> None:  # fmt: skip
        """`account`: who has asked for it; empty for one that the hall itself arranged. `ended`: called when all is over."""
        self.id = secrets.token_urlsafe(12)
        self.setup, self.account = setup, account
        self.state = WAITING
        self.match_id: str | None = None
        self.why = ""
        """The key of the sentence that says why the match is broken."""
        self.players: dict[int, Player] = {}
        """The remote programs by seat, from the start on."""
        self._later, self._ended = later, ended
        self._process = TableProcess(command)
        self._task: asyncio.Task[None] | None = None
        self._bound: Handle | None = None

    @property
    def is_running(self) -> bool:
        """Whether it is still to be played, or is being played."""
        return self.state in (WAITING, STARTING, COMPILING, PLAYING)

    @property
    def has_process(self) -> bool:
        """Whether a process works for it."""
        return self._task is not None and not self._task.done()

    def pay_by(self, pay: Callable[[float], object]) -> None:
        """Tell `pay` how many CPU seconds its process takes."""
        self._process.spent = pay

    def start(self, setup: Setup, players: dict[int, Player]) -> None:
        """Begin. `setup`: with what the programs that are here want to be told."""
        self.setup, self.players, self.state = setup, players, STARTING
        self._bound = self._later(MOST_SECONDS, lambda: self.give_up("ask_too_long"))
        self._task = asyncio.get_running_loop().create_task(self._play())

    def give_up(self, why: str) -> None:
        """End it; nothing is stored. `why`: the key of the sentence that says so."""
        if self.is_running:
            self._finish(BROKEN, why)
            self._process.send(Stop())
            self._process.end()

    async def close(self) -> None:
        """End it, and wait until nothing is left."""
        self.give_up("ask_closed")
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)

    # What remote programs say

    def replied(self, seat: int, line: str) -> None:
        """A program has sent a line."""
        self._process.send(Replied(seat=seat, line=line))

    def cut(self, seat: int) -> None:
        """The connection to a program is gone."""
        self._process.send(Cut(seat=seat))

    def resumed(self, seat: int) -> None:
        """A program is there again."""
        self._process.send(Resumed(seat=seat))

    def gave_up(self, seat: int, ending: Ending, reason: str) -> None:
        """A program plays no more in this match."""
        self._process.send(GaveUp(seat=seat, ending=ending, reason=reason))

    async def _play(self) -> None:
        try:
            await self._process.run(self.setup, self._hear)
        except OSError as error:
            LOG.error("the process of a match cannot be started: %s", error)
        except Exception:
            LOG.exception("the process of a match cannot be followed")
        if self.is_running:
            LOG.error("the process of a match of %s has ended: %s", self.setup.game, self._process.errors or "no word")
            self._finish(BROKEN, "ask_broken")
        self._ended(self)

    def _hear(self, heard: Heard) -> None:
        match heard:
            case Compiling():
                if self.state == STARTING:
                    self.state = COMPILING
            case Ready():
                if self.is_running:
                    self.state = PLAYING
            case Forward(seat=seat, line=line, is_end=is_end):
                if seat in self.players:
                    self.players[seat].tell(line, is_end=is_end)
            case Stored(match_id=match_id):
                if self.is_running and match_id is not None:
                    self.match_id = match_id
                    self._finish(OVER)
            case Broken(error=error):
                if self.is_running:
                    LOG.error("a match of %s cannot be played: %s", self.setup.game, error)
                    self._finish(BROKEN, "ask_broken")

    def _finish(self, state: str, why: str = "") -> None:
        self.state, self.why = state, why
        if self._bound is not None:
            self._bound.cancel()
        for player in self.players.values():
            player.over(self)
