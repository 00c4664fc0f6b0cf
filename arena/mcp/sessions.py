"""The matches of agents: each is played by a process of its own, the same that plays live tables of people, with their referee.

So nothing that an agent does can hold up the server, or another agent's match. A match is known by a handle that nobody can
guess. It ends when nobody asks for it for a while, or when the server ends; nothing of it is stored then.
"""

import asyncio
import contextlib
import secrets
from collections.abc import Awaitable, Callable, Sequence
from types import TracebackType
from typing import Protocol, Self

import msgspec

from arena.errors import one_line, printable
from arena.llm.answer import same_action
from arena.mcp.answers import Refused
from arena.mcp.telling import Teller
from arena.mcp.told import Told
from arena.server.child_process import ChildProcess
from arena.server.table_process.messages import (
    Act,
    Advise,
    Broken,
    Compiling,
    Envelope,
    FromTable,
    Ready,
    Setup,
    Stored,
    ToTable,
)
from arena.server.tables.seats import COMMAND
from arena.tournament.workers.processes import HASH_SEED

MOST_RUNNING = 8
"""Matches that are played at the same time: each is a process of some 200 MB."""
MOST_KEPT = 64
"""Matches that are over and can still be asked for."""
IDLE_SECONDS = 1800.0
"""The time after which a match is forgotten that nobody asks for."""
PATIENCE = 25.0
"""Seconds that a call waits for the others: clients give up on calls after a minute, some after half of one."""
MOST_BYTES = 64 << 20
"""Bytes that the process of a match may say."""
MOST_WAITING = 4
"""Calls that may wait for one match at the same time."""
STARTING, COMPILING, PLAYING, OVER, BROKEN = "starting", "compiling", "playing", "over", "broken"
_HEARD: msgspec.json.Decoder[FromTable] = msgspec.json.Decoder(FromTable)


class Line(Protocol):
    """What plays a match, and the line to it."""

    async def run(self, setup: Setup, hear: Callable[[FromTable], Awaitable[None] | None]) -> int:
        """Play the match to its end, telling `hear` what it says. Raises OSError."""

    def send(self, message: ToTable) -> None:
        """Tell it something."""

    def end(self) -> None:
        """End it where it is."""


class LineToProcess(ChildProcess[FromTable]):
    """The process of a table; implements Line."""

    def __init__(self, command: Sequence[str] = COMMAND) -> None:
        """`command`: what plays a match (tests have one that plays none)."""
        super().__init__(command, _HEARD, most_heard=MOST_BYTES, environment=HASH_SEED)


class Match:
    """One match of an agent."""

    def __init__(self, setup: Setup, teller: Teller, line: Line, *, is_rated: bool) -> None:
        self.setup, self.teller, self.is_rated = setup, teller, is_rated
        self.told = Told()
        self.state = STARTING
        self.match_id: str | None = None
        """The id under which the match is stored."""
        self.place = ""
        """The address of the hall where it is played; empty: here."""
        self.outcome = ""
        """What the hall said of its end."""
        self.error = ""
        """Why the match is broken."""
        self._line = line
        self._news = asyncio.Event()
        self._waiting = 0

    @property
    def is_running(self) -> bool:
        """Whether the match is still being played."""
        return self.state in (STARTING, COMPILING, PLAYING)

    async def run(self) -> None:
        """Play the match to its end."""
        try:
            await self._line.run(self.setup, self._hear)
        except OSError as error:
            self.error = f"its process does not start: {error.strerror}"
        finally:
            if self.state != OVER:
                self.state = BROKEN
                self.error = self.error or "its process has died; the match is not stored"
            self._news.set()

    def act(self, action: str, decision: int | None) -> None:
        """Play a legal action, written as llm/answer.py allows. Raises Refused, which has changed nothing."""
        asked = self.told.asked
        if not self.is_running or asked is None:
            raise Refused(f"no decision is open: the match is {self.state}")
        if decision is not None and decision != asked.decision and self.setup.tick_ms is None:
            raise Refused(f"decision: {decision} is not open; the open one is {asked.decision}, see state")
        if not self.told.is_open:
            raise Refused(f"decision {asked.decision} is taken already; state waits for the others")
        meant = same_action(action, asked.legal)
        if len(meant) != 1:
            raise Refused(self.teller.illegal(asked, action, meant))
        self.told.act()
        self._line.send(Act(seat=self.teller.seat, decision=asked.decision, action=meant[0]))

    async def settled(self, seconds: float = PATIENCE) -> None:
        """Wait until the seat is asked, or the match is over, or for so long. Raises Refused for too many who wait."""
        await self._until(lambda: self.told.is_open or not self.is_running, seconds)

    async def advise(self, seconds: float = PATIENCE) -> str:
        """A hint for the open decision, in words. Raises Refused where there is none."""
        asked = self.told.asked
        if self.is_rated:
            raise Refused("no hints in a rated match; play one with rated=false to have them")
        if asked is None or not self.told.is_open:
            raise Refused("no decision is open that a hint could be about; state waits for the next one")
        self._line.send(Advise(seat=self.teller.seat, decision=asked.decision))
        await self._until(lambda: self.told.hint is not None or self.told.asked is not asked or not self.is_running, seconds)
        if self.told.hint is None:
            raise Refused("no hint came in time; try again")
        return self.teller.hint(self.told.hint)

    def end(self) -> None:
        """End the match where it is; nothing of it is stored, unless it is over."""
        self._line.end()

    async def _until(self, is_so: Callable[[], bool], seconds: float) -> None:
        if self._waiting >= MOST_WAITING:
            raise Refused(f"{MOST_WAITING} calls wait for this match already; one is enough")
        self._waiting += 1
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    while not is_so():
                        self._news.clear()
                        await self._news.wait()
        finally:
            self._waiting -= 1

    def _hear(self, message: FromTable) -> Awaitable[None] | None:
        match message:
            case Envelope(seat=seat, message=told) if seat == self.teller.seat:
                self.told.hear(told)
            case Compiling():
                self.state = COMPILING
            case Ready():
                self.state = PLAYING
            case Stored(match_id=match_id):
                self.state, self.match_id = OVER, match_id
            case Broken(error=error):
                self.error = error
        self._news.set()
        return None


class Matches:
    """All matches of the server; a context manager, which ends those that are still played."""

    def __init__(self, line: Callable[[], Line] = LineToProcess) -> None:
        """`line`: makes the line to what plays a match."""
        self._line = line
        self._known: dict[str, Match] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._idle: dict[str, asyncio.TimerHandle] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for timer in self._idle.values():
            timer.cancel()
        for task in self._tasks:
            if not task.cancelling():  # a second time would cut short how it ends its process
                task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def begin(self, setup: Setup, seat: int, language: str, *, is_rated: bool, line: Line | None = None) -> Match:
        """Begin a match. `line`: to what plays it, None for a table here. Raises Refused where too many are played."""
        if sum(one.is_running for one in self._known.values()) >= MOST_RUNNING:
            raise Refused(f"{MOST_RUNNING} matches are played at the moment, the most here; end one with leave, or wait")
        for handle in [handle for handle, one in self._known.items() if not one.is_running][: -MOST_KEPT or None]:
            self.forget(handle)
        handle = secrets.token_urlsafe(9)
        teller = Teller(setup.game, len(setup.seats), seat, handle, language)
        match = self._known[handle] = Match(setup, teller, line or self._line(), is_rated=is_rated)
        self._use(handle)
        task = asyncio.create_task(match.run())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return match

    def find(self, handle: str) -> Match:
        """The match of a handle. Raises Refused for one that there is not, or not any more."""
        found = self._known.get(handle)
        if found is None:
            shown = one_line(printable(handle, 40))
            minutes = IDLE_SECONDS / 60
            raise Refused(f"match: no match {shown!r} here; new_match gives a handle, and {minutes:g} idle minutes end a match")
        self._use(handle)
        return found

    def forget(self, handle: str) -> None:
        """End a match, if it is still played, and forget it."""
        self._idle.pop(handle).cancel()
        self._known.pop(handle).end()

    def _use(self, handle: str) -> None:
        """Somebody asks for a match: it is kept for a while from now on."""
        if handle in self._idle:
            self._idle[handle].cancel()
        self._idle[handle] = asyncio.get_running_loop().call_later(IDLE_SECONDS, self.forget, handle)
