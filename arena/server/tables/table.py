"""A live table: its lobby, its process, and the people who sit at it. Lives in the event loop.

A person who is away is waited for: the others are told at once, after a minute a bot plays, and whoever comes back gets the
seat again. A table that everybody has left ends, and nothing of it is stored.
"""

import asyncio
import logging
import secrets
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from arena.agent.submissions import PREFIX
from arena.results.people import folded_name
from arena.results.site_file import StoredPerson
from arena.server.problems import Problem
from arena.server.table_process.messages import (
    Act,
    Advise,
    Back,
    Broken,
    Compiling,
    FromPerson,
    Leave,
    Message,
    Notice,
    Ready,
    Replace,
    Restore,
    SeatPlan,
    Setup,
    Start,
    Stop,
    Stored,
    Welcome,
)
from arena.server.tables.plan import TablePlan, free_name
from arena.server.tables.seats import COMMAND, LASTING, Handle, Heard, Passed, Seat, Tab, TableProcess

LOG = logging.getLogger("arena.server")
AWAY_SECONDS = 2.0
"""The time without a connection after which the others are told; loading the page again takes less."""
REPLACE_SECONDS = 60.0
"""The time after which a bot plays for who is away, if somebody else is there."""
EMPTY_SECONDS = 300.0
"""The time after which a table without anybody ends."""
IDLE_SECONDS, IDLE_SECONDS_WITH_BOTS = 1800.0, 600.0
"""The time after which a table ends at which nobody does anything; at one with bots that were submitted it is shorter."""
STOP_SECONDS = 5.0
"""How long a process may take to stop."""
LUCK_SECONDS = 120.0
"""How long a process may go on after the end, for the luck of the deal."""
LOBBY, STARTING, COMPILING, PLAYING, OVER, BROKEN = "lobby", "starting", "compiling", "playing", "over", "broken"

Later = Callable[[float, Callable[[], None]], Handle]
"""Calls a function after some seconds."""


def in_loop(seconds: float, call: Callable[[], None]) -> Handle:
    """Call a function after some seconds, by the clock of the event loop."""
    return asyncio.get_running_loop().call_later(seconds, call)


class _Head(msgspec.Struct):
    """The part of a message that the server reads."""

    kind: str


class Table:
    """One table."""

    def __init__(
        self, plan: TablePlan, host: StoredPerson, *, later: Later = in_loop, command: Sequence[str] = COMMAND,
        ended: Callable[["Table"], None] = lambda _: None, pay: Callable[[float], object] = lambda seconds: None,
    ) -> None:  # fmt: skip
        """`ended`: called once when the match is over or broken, and again when the process is gone.

        `pay`: is told how many CPU seconds the process has taken.
        """
        self.id, self.code = secrets.token_urlsafe(12), secrets.token_urlsafe(12)
        self.plan, self.host = plan, host
        self.state = LOBBY
        self.match_id: str | None = None
        self.options: dict[str, Any] = dict(plan.options)
        self.seats = [Seat(one, is_for_people=is_for_people) for one, is_for_people in zip(plan.seats, plan.is_for_people)]
        self.seats[plan.host_seat].person = host
        self.following: str | None = None
        """The id of the table of the rematch."""
        self._later, self._ended = later, ended
        self._process = TableProcess(command)
        self._process.spent = pay
        self._task: asyncio.Task[None] | None = None
        self._empty: Handle | None = None
        self._idle: Handle | None = None
        self._bound: Handle | None = None
        self._expect(self.seats[plan.host_seat])
        self._stir()

    # Who is there

    @property
    def is_running(self) -> bool:
        """Whether the match is still to be played, or is being played."""
        return self.state in (LOBBY, STARTING, COMPILING, PLAYING)

    @property
    def has_process(self) -> bool:
        """Whether a process works for the table."""
        return self._task is not None and not self._task.done()

    @property
    def pid(self) -> int | None:
        """The number of the process."""
        return self._process.pid

    def seat_of(self, person: StoredPerson | None) -> int | None:
        """The seat of a person who has not left; None: there is none."""
        if person is None:
            return None
        found = (seat for seat, one in enumerate(self.seats) if one.is_taken and one.person and one.person.id == person.id)
        return next(found, None)

    def people(self) -> Iterator[StoredPerson]:
        """The persons who sit here, and those who have left."""
        return (one.person for one in self.seats if one.person is not None)

    def join(self, person: StoredPerson) -> None:
        """Give a person the first free seat. Raises Problem 409 where there is none, or none any more."""
        if self.seat_of(person) is not None:
            return
        self.check_joinable()
        taken = {folded_name(seat.name) for seat in self.seats if not seat.is_free}
        if folded_name(person.name) in taken:
            raise Problem(409, "refusal_name_at_table", name=person.name)
        seat = next(seat for seat in self.seats if seat.is_free)
        seat.person = person
        self._expect(seat)
        self._tell("notice_joined", name=person.name)

    @property
    def is_joinable(self) -> bool:
        """Whether somebody may still sit down."""
        return self.state == LOBBY and any(seat.is_free for seat in self.seats)

    def check_joinable(self) -> None:
        """Raise Problem 409 if nobody can sit down any more."""
        if self.state != LOBBY:
            raise Problem(409, "refusal_has_started")
        if not any(seat.is_free for seat in self.seats):
            raise Problem(409, "refusal_table_full")

    def connect(self, number: int, tab: Tab) -> None:
        """A tab of the person at a seat has come, perhaps not the first: it gets all that there is to know."""
        seat = self.seats[number]
        seat.stop_timers()
        if self._empty is not None:
            self._empty.cancel()
            self._empty = None
        was_away, was_replaced = seat.is_away, seat.is_replaced
        seat.is_away = seat.is_overdue = seat.is_replaced = False
        if was_replaced:
            self._process.send(Restore(seat=number))
        seat.tabs.add(tab)
        if was_away:
            self._tell("notice_restored" if was_replaced else "notice_back", name=seat.name)
        else:
            tab.offer("welcome", self._welcome(number))
        for kind in LASTING:
            if kind in seat.newest:
                tab.offer(kind, seat.newest[kind])
        for other in self.seats:
            if other.is_overdue:
                self._replace(other)

    def disconnect(self, number: int, tab: Tab) -> None:
        """A tab has gone."""
        seat = self.seats[number]
        seat.tabs.discard(tab)
        if not seat.tabs and seat.is_taken and self.is_running:
            self._expect(seat)

    def _expect(self, seat: Seat) -> None:
        """Wait for a person who is not there."""
        seat.stop_timers()
        seat.timers = [
            self._later(AWAY_SECONDS, lambda: self._away(seat)),
            self._later(REPLACE_SECONDS, lambda: self._late(seat)),
        ]
        if self._empty is None and not any(one.tabs for one in self.seats):
            self._empty = self._later(EMPTY_SECONDS, self._abandoned)

    def _away(self, seat: Seat) -> None:
        if self.is_running and seat.is_taken:
            seat.is_away = True
            self._tell("notice_away", name=seat.name)

    def _late(self, seat: Seat) -> None:
        seat.is_overdue = True
        if any(one.tabs for one in self.seats):
            self._replace(seat)

    def _replace(self, seat: Seat) -> None:
        """A bot takes over from who is away; in the lobby the seat is free again."""
        seat.is_overdue = False
        if not self.is_running or not seat.is_taken:
            return
        name = seat.name
        if self.state == LOBBY:
            if seat.person == self.host:
                return
            self._free(seat)
            self._tell("notice_gone", name=name)
            return
        seat.is_replaced = True
        self._process.send(Replace(seat=self.seats.index(seat)))
        self._tell("notice_replaced", name=name)

    def _free(self, seat: Seat) -> None:
        seat.stop_timers()
        seat.person, seat.is_away, seat.is_overdue = None, False, False
        for tab in tuple(seat.tabs):
            tab.close(has_left=True)
        seat.tabs.clear()

    def _abandoned(self) -> None:
        self._empty = None
        if self.is_running and not any(seat.tabs for seat in self.seats):
            self.stop("notice_abandoned")

    def _stir(self) -> None:
        """Somebody does something: the table is not idle."""
        if self._idle is not None:
            self._idle.cancel()
        has_bots = any(seat.person is None and seat.plan.bot.startswith(PREFIX) for seat in self.seats)
        seconds = IDLE_SECONDS_WITH_BOTS if has_bots else IDLE_SECONDS
        self._idle = self._later(seconds, lambda: self.stop("notice_idle", minutes=f"{seconds / 60:g}"))

    # What people say

    def said(self, number: int, message: FromPerson) -> None:
        """A person at a seat says something. Pings are the socket's."""
        self._stir()
        match message:
            case Act() | Advise() | Back():
                if self.state == PLAYING:
                    self._process.send(msgspec.structs.replace(message, seat=number))
            case Start():
                if self.seats[number].person == self.host and self.state == LOBBY:
                    self.start()
            case Leave():
                self.leave(number)

    def leave(self, number: int) -> None:
        """A person goes for good. The table goes on if another person is there."""
        seat = self.seats[number]
        if not seat.is_taken:
            return
        name = seat.name
        if self.state == LOBBY and seat.person != self.host:
            self._free(seat)
            self._tell("notice_gone", name=name)
            return
        seat.has_left = True
        seat.stop_timers()
        for tab in tuple(seat.tabs):
            tab.close(has_left=True)
        seat.tabs.clear()
        if not self.is_running:
            return
        if self.state == LOBBY or not any(one.is_taken for one in self.seats):
            self.stop("notice_closed")
        else:
            seat.is_replaced = True
            self._process.send(Replace(seat=number))
            self._tell("notice_left", name=name)
            if self._empty is None and not any(one.tabs for one in self.seats):
                self._empty = self._later(EMPTY_SECONDS, self._abandoned)

    # The match

    def start(self) -> None:
        """Begin: the process starts, and free seats go to bots."""
        assert self.state == LOBBY
        self.state = STARTING
        for seat in self.seats:
            seat.is_for_people = seat.person is not None
        self._name_bots_apart()
        setup = Setup(
            game=self.plan.game, seats=[self._plan_of(seat) for seat in self.seats], options=self.plan.options,
            results=self.plan.results, tick_ms=self.plan.tick_ms, seed=self.plan.seed,
        )  # fmt: skip
        self._task = asyncio.get_running_loop().create_task(self._play(setup))
        self._welcome_all()

    def stop(self, why: str, **values: str) -> None:
        """End the match; nothing of it is stored. `why`: the key of the sentence that people are told, with its `values`."""
        if not self.is_running:
            return
        has_begun = self.has_process
        self._finish(OVER)
        self._tell(why, **values)
        if has_begun:
            self._process.send(Stop())
            self._bound = self._later(STOP_SECONDS, self._process.end)

    async def close(self) -> None:
        """End everything, and wait until nothing is left."""
        self._finish(OVER)
        for seat in self.seats:
            for tab in tuple(seat.tabs):
                tab.close(has_left=False)
        self._process.end()
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)
        self._cancel_timers()

    def _name_bots_apart(self) -> None:
        """Rename a bot that fills a free seat, if somebody who joined bears its name."""
        taken = {folded_name(seat.name) for seat in self.seats if seat.person is not None}
        for seat in self.seats:
            if seat.person is None:
                seat.plan = msgspec.structs.replace(seat.plan, name=free_name(seat.plan.name, taken))
                taken.add(folded_name(seat.plan.name))

    def _plan_of(self, seat: Seat) -> SeatPlan:
        if seat.person is None:
            return seat.plan
        return msgspec.structs.replace(seat.plan, name=seat.person.name, person=True)

    async def _play(self, setup: Setup) -> None:
        try:
            await self._process.run(setup, self._hear)
        except OSError as error:
            LOG.error("a table's process cannot be started: %s", error)
        except Exception:
            LOG.exception("a table's process cannot be followed")
        if self.is_running:
            LOG.error("the process of table %s (%s) has ended: %s", self.id, self.plan.game, self._process.errors or "no word")
            self._finish(BROKEN)
            self._tell("notice_broken")
        if self._bound is not None:
            self._bound.cancel()
        self._ended(self)

    def _hear(self, heard: Heard) -> None:
        """The process says something."""
        match heard:
            case Passed(seat=number, message=raw):
                if 0 <= number < len(self.seats):
                    text = bytes(raw).decode()
                    kind = msgspec.json.decode(raw, type=_Head).kind
                    self.seats[number].keep(kind, text)
                    self.seats[number].offer(kind, text)
            case Compiling():
                if self.state == STARTING:
                    self.state = COMPILING
                    self._welcome_all()
            case Ready(options=options):
                if self.state in (STARTING, COMPILING):
                    self.options, self.state = options, PLAYING
                    self._welcome_all()
            case Stored(match_id=match_id):
                if self.is_running:
                    self.match_id = match_id
                    self._finish(OVER)
                    self._welcome_all()
                    self._bound = self._later(LUCK_SECONDS, self._process.end)
            case Broken(error=error):
                if self.is_running:
                    LOG.error("table %s (%s) cannot be played: %s", self.id, self.plan.game, error)
                    self._finish(BROKEN)
                    self._tell("notice_unplayable")

    def _finish(self, state: str) -> None:
        """The match is over or broken."""
        if self.is_running:
            self.state = state
            self._cancel_timers()
            for seat in self.seats:
                seat.newest.pop("ask", None)
            self._ended(self)

    def _cancel_timers(self) -> None:
        for seat in self.seats:
            seat.stop_timers()
        for timer in (self._empty, self._idle):
            if timer is not None:
                timer.cancel()
        self._empty = self._idle = None

    # What people are told

    def _tell(self, key: str, **values: Any) -> None:
        """A sentence for all, and the table as it is now."""
        self._welcome_all()
        text = said(Notice(key=key, values=values))
        for seat in self.seats:
            seat.offer("notice", text)

    def tell_following(self, table: str) -> None:
        """There is a rematch."""
        self.following = table
        self._tell("notice_rematch", table=table)

    def _welcome_all(self) -> None:
        for number, seat in enumerate(self.seats):
            if seat.tabs:
                seat.offer("welcome", self._welcome(number))

    def _welcome(self, number: int) -> str:
        return said(Welcome(
            table=self.id, game=self.plan.game, options=self.options, seat=number, places=[one.place for one in self.seats],
            state=self.state, is_host=self.seats[number].person == self.host, tick_ms=self.plan.tick_ms,
            join=f"/join/{self.code}" if self.is_joinable else "",
        ))  # fmt: skip


def said(message: Message) -> str:
    """A message as it goes over a socket."""
    return msgspec.json.encode(message).decode()
