"""The matches that the server lets bots play, on request and of remote programs, each in a process of its own. Lives in the
event loop.
"""

import asyncio
import logging
import os
import secrets
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

import msgspec

from arena.records import Ending
from arena.server.problems import Problem
from arena.server.table_process.messages import (
    Broken,
    Compiling,
    Cut,
    Forward,
    GaveUp,
    Ready,
    Remote,
    Replied,
    Resumed,
    Setup,
    Stop,
    Stored,
)
from arena.server.tables.seats import COMMAND, Handle, Heard, TableProcess
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
        """`account`: who has asked for it; empty for one that the server itself arranged. `ended`: called when all is over."""
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


A_CORE = 1
"""Matches that were asked for, played at the same time, for each core of the machine."""
A_CORE_REMOTE = 2
"""Matches of remote programs for each core: those wait for the network most of the time."""
MOST_WAITING = 64
"""Matches that wait for their turn."""
MOST_KEPT = 200
"""Matches that are over and can still be looked at by the address of who asked."""
WAIT_SECONDS = 600.0
"""How long a match waits at most, for its turn or for a remote program that plays elsewhere."""

Take = Callable[[Setup], Mapping[int, tuple[Player, Remote]] | None]
"""Finds the free programs for the remote seats of a match; None: one of them is not free now."""


class BotMatches:
    """The matches by id."""

    def __init__(self, *, cores: int | None = None, later: Later = in_loop, command: Sequence[str] = COMMAND) -> None:
        self._cores = cores or len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        self._later, self._command = later, command
        self._asked: OrderedDict[str, BotMatch] = OrderedDict()
        self._own: set[BotMatch] = set()
        self.take: Take = lambda setup: None if any(seat.remote is not None for seat in setup.seats) else {}
        """How remote programs are found; set by their lobby."""
        self.begins: Callable[[BotMatch], None] = lambda match: None
        """Called when a match that was asked for begins, before it says anything; set by the lobby."""
        self.turned: Callable[[], None] = lambda: None
        """Called when there may be room for another match; set by the lobby too."""

    def ask(self, setup: Setup, account: str, pay: Callable[[float], object] = lambda seconds: None) -> BotMatch:
        """Play a match as soon as there is room. Raises Problem 409 for a second one of an account, and 429.

        `pay`: is told how many CPU seconds it has taken.
        """
        self.check_free(account)
        if sum(one.state == WAITING for one in self._asked.values()) >= MOST_WAITING:
            raise Problem(429, "refusal_ask_many", most=MOST_WAITING)
        match = self._new(setup, account)
        match.pay_by(pay)
        self._asked[match.id] = match
        self._later(WAIT_SECONDS, lambda: match.give_up("ask_waited") if match.state == WAITING else None)
        self._forget()
        self.start_waiting()
        return match

    def check_free(self, account: str) -> None:
        """Raise Problem 409 if a match of the account is still to be played."""
        if any(one.account == account and one.is_running for one in self._asked.values()):
            raise Problem(409, "refusal_ask_pending")

    def play(
        self, setup: Setup, players: Mapping[int, tuple[Player, Remote]], begins: Callable[[BotMatch], None]
    ) -> BotMatch | None:
        """Play a match of remote programs at once; None: there is no room. `begins`: called before it says anything."""
        if sum(one.has_process for one in self._own) >= A_CORE_REMOTE * self._cores:
            return None
        match = self._new(setup, "")
        self._own.add(match)
        self._start(match, players, begins)
        return match

    def start_waiting(self) -> None:
        """Start the matches that wait, in the order in which they were asked for, as far as there is room."""
        for match in list(self._asked.values()):
            if match.state == WAITING:
                if sum(one.has_process for one in self._asked.values()) >= A_CORE * self._cores:
                    return
                players = self.take(match.setup)
                if players is not None:
                    self._start(match, players, self.begins)

    def wanted(self) -> Iterable[str]:
        """The names of the remote programs that matches wait for."""
        return (
            seat.name
            for match in self._asked.values()
            if match.state == WAITING
            for seat in match.setup.seats
            if seat.remote is not None
        )

    def find(self, match_id: str) -> BotMatch:
        """A match that was asked for. Raises Problem 404: its id is known to who asked, and to whom it was told."""
        found = self._asked.get(match_id)
        if found is None:
            raise Problem(404, "refusal_ask_no_match")
        return found

    def is_kept(self, match: BotMatch) -> bool:
        """Whether a match can still be looked at by the address of who asked."""
        return match.id in self._asked

    def of(self, account: str) -> list[BotMatch]:
        """The matches that an account has asked for, the newest first."""
        return [one for one in reversed(self._asked.values()) if one.account == account]

    def states(self) -> list[str]:
        """The state of each match that was asked for and is kept."""
        return [one.state for one in self._asked.values()]

    async def close(self) -> None:
        """End all, and wait until no process is left."""
        matches = [*self._asked.values(), *self._own]
        await asyncio.gather(*(one.close() for one in matches), return_exceptions=True)

    def _new(self, setup: Setup, account: str) -> BotMatch:
        return BotMatch(setup, account, later=self._later, command=self._command, ended=self._ended)

    def _start(self, match: BotMatch, players: Mapping[int, tuple[Player, Remote]], begins: Callable[[BotMatch], None]) -> None:
        seats = [
            msgspec.structs.replace(plan, remote=players[seat][1]) if seat in players else plan
            for seat, plan in enumerate(match.setup.seats)
        ]
        setup = msgspec.structs.replace(match.setup, seats=seats)
        match.start(setup, {seat: player for seat, (player, _) in players.items()})
        begins(match)

    def _ended(self, match: BotMatch) -> None:
        """The process of a match is gone: there is room again. Called before its task is done."""
        self._own.discard(match)
        asyncio.get_running_loop().call_soon(self._go_on)

    def _go_on(self) -> None:
        self.start_waiting()
        self.turned()

    def _forget(self) -> None:
        over = [one.id for one in self._asked.values() if not one.is_running and not one.has_process]
        for match_id in over[: max(0, len(over) - MOST_KEPT)]:
            del self._asked[match_id]
