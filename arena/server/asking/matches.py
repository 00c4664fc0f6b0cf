"""All matches that the hall lets bots play: those asked for, and those of remote programs. Lives in the event loop."""

import asyncio
import os
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from arena.server.asking.bot_match import WAITING, BotMatch, Player
from arena.server.problems import Problem
from arena.server.table_process.messages import Remote, Setup
from arena.server.tables.process import COMMAND
from arena.server.tables.table import Later, in_loop

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

    def of(self, account: str) -> list[BotMatch]:
        """The matches that an account has asked for, the newest first."""
        return [one for one in reversed(self._asked.values()) if one.account == account]

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
