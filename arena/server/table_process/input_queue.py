"""The process's end of its pipe to the server, where what people say arrives: their actions, that they want a hint, and that
a bot shall take over.
"""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from queue import Empty, SimpleQueue
from typing import Protocol

import msgspec

from arena.agent import EndInfo, StartInfo
from arena.agent.view import View
from arena.errors import ArenaError, one_line, printable
from arena.match import Answer, Fault, Seat, TakeBack, awake
from arena.match.sandbox import LockError
from arena.server.contest.parent_pipe import ParentPipe
from arena.server.people.store import PERSON
from arena.server.table_process.broadcaster import Adviser, Broadcaster
from arena.server.table_process.messages import (
    Act,
    Advise,
    Ask,
    Back,
    Envelope,
    Refused,
    Replace,
    Restore,
    Setup,
    Stop,
    Stored,
    ToTable,
)
from arena.server.table_process.ticks import Inbox, Ticks

_SETUP = msgspec.json.Decoder(Setup)
_MESSAGE: msgspec.json.Decoder[ToTable] = msgspec.json.Decoder(ToTable)


class TablePipe(ParentPipe):
    """The pipe of a table's process."""

    def __init__(self) -> None:
        """Open the pipe to the server, which started the table's process."""
        super().__init__("table")

    def setup(self) -> Setup | None:
        """Read the first line; None: the server is gone. Raises ConfigError for a line that is no Setup."""
        return self.first(_SETUP, "its Setup")

    def hear(self, take: Callable[[ToTable], object], end: Callable[[], object]) -> None:
        """Give every message to `take`, from a thread of its own. A Stop, and the end of the pipe, end the process at once.

        `end`: called before, to end what this process has started.
        """

        def heard(message: ToTable) -> None:
            if isinstance(message, Stop):
                end()
                self.send(Stored(match_id=None))
                os._exit(0)
            take(message)

        self.listen(_MESSAGE, heard, end)


WAIT = "wait"
"""The action of a seat that does nothing in a tick."""
LATE, ILLEGAL, BUSY, BACK = "late", "illegal", "busy", "back"


class Messages:
    """What people say to the table, from a thread of its own; implements Inbox."""

    def __init__(self) -> None:
        self._queue: SimpleQueue[ToTable] = SimpleQueue()
        self.put = self._queue.put
        """Add a message; may be called by any thread."""

    def now(self) -> float:
        """Seconds since some moment, in which this process ran."""
        return awake.now()

    def take(self, seconds: float | None) -> ToTable | None:
        """The next message; None if there was none within so many seconds."""
        try:
            return self._queue.get(timeout=seconds) if seconds is None or seconds > 0 else self._queue.get_nowait()
        except Empty:
            return None


@dataclass
class _Place:
    """A person's seat at the queue."""

    open_substitute: Callable[[], Seat]
    view: View | None = None
    """The decision that is open; None while the seat is not asked."""
    asked: Ask | None = None
    """The Ask that was sent last."""
    chosen: str | None = None
    """What the person chose; in real time another click in the same tick replaces it."""
    chosen_at: float = 0.0
    """When that was, by the inbox's clock."""
    takes_back: bool = False
    """Whether the person wants to choose again in place of the last action."""
    is_replaced: bool = False
    info: StartInfo | None = None
    legal: list[str] = field(default_factory=list)

    @property
    def decision(self) -> int:
        """The number of the decision that was asked for last; -1: none was."""
        return -1 if self.asked is None else self.asked.decision

    @property
    def is_undecided(self) -> bool:
        """Whether the match waits for the person."""
        return self.view is not None and self.chosen is None and not self.takes_back and not self.is_replaced

    @cached_property
    def substitute(self) -> Seat | None:
        """The bot that plays for the person, ready when it is needed first; None if it cannot play."""
        assert self.info is not None
        try:
            seat = self.open_substitute()
            fault = seat.start(self.info)
        except (ArenaError, LockError) as error:
            report(f"no bot can take over from a person: {error}")
            return None
        if fault is not None:
            report(f"the bot that takes over does not start: {fault.reason}")
        return seat if fault is None else None


class Asked(Protocol):
    """A bot that was asked."""

    def read(self) -> None:
        """Wait for its answer."""
        ...


class InputQueue:
    """Serves all people of a table: one queue, read by the thread of the referee whenever it waits for somebody."""

    def __init__(self, inbox: Inbox, broadcaster: Broadcaster, adviser: Adviser, ticks: Ticks | None) -> None:
        """`ticks`: only in real time."""
        self.broadcaster = broadcaster
        self.ticks = ticks
        self.asked: list[Asked] = []
        """The bots that were asked since a person was waited for."""
        self._inbox = inbox
        self._adviser = adviser
        self._places: dict[int, _Place] = {}
        self._is_tick_open = False

    def add(self, seat: int, substitute: Callable[[], Seat]) -> None:
        """A person sits there. `substitute`: opens the seat of the bot that takes over."""
        self._places[seat] = _Place(substitute)

    def begin(self, seat: int, info: StartInfo) -> None:
        """A person's seat takes part."""
        self._places[seat].info = info

    def ask(self, seat: int, view: View) -> None:
        """Put a decision to a person."""
        self.open_tick()
        place = self._places[seat]
        place.view, place.chosen, place.takes_back, place.legal = view, None, False, view.legal
        place.asked = self.broadcaster.ask(seat, view)
        if place.is_replaced and self.ticks is not None and place.substitute is not None:
            place.substitute.ask(view)

    def answer(self, seat: int) -> Answer | Fault:
        """Return what a person chose, or the bot that plays for the person. Raises TakeBack."""
        place, began = self._places[seat], self._inbox.now()
        if self.ticks is not None:
            self.end_tick()
        else:
            self._wait_for(place)
        view, chosen, place.view, place.chosen = place.view, place.chosen, None, None
        assert view is not None
        if place.takes_back:
            self._adviser.forget(seat)
            self.broadcaster.take_back(seat)
            raise TakeBack
        if chosen is not None:
            return Answer(chosen, 0.0, max(0.0, place.chosen_at - began) if self.ticks is None else self._inbox.now() - began)
        if not place.is_replaced:
            return harmless(view)
        return _answer_of(place.substitute, view, is_asked=self.ticks is not None)

    def open_tick(self) -> None:
        """A tick begins, or goes on: some seat is asked."""
        self._is_tick_open = True

    def end_tick(self) -> None:
        """Wait until the tick is over, and read what people say meanwhile. Returns at once if it is over."""
        if self.ticks is None or not self._is_tick_open:
            return
        while (left := self.ticks.left()) > 0:
            if (message := self._inbox.take(left)) is not None:
                self._serve(message)
        self._read()
        self._is_tick_open = False
        self.ticks.end()

    def _wait_for(self, place: _Place) -> None:
        """Serve everybody until this person and all who choose at the same time have chosen, or are replaced.

        So nobody's choice is played before all are there, and until then it may be changed. Bots that were asked answer first.
        """
        if place.chosen is not None:  # another one was waited for: all had chosen
            return
        while self.asked:
            self.asked.pop().read()
        self._read()
        while any(one.is_undecided for one in self._places.values()):
            message = self._inbox.take(None)
            assert message is not None
            self._serve(message)

    def _read(self) -> None:
        """Serve all that has been said by now."""
        while (message := self._inbox.take(0)) is not None:
            self._serve(message)

    def _serve(self, message: ToTable) -> None:
        place = self._places.get(getattr(message, "seat", -1))
        if place is None:
            report(f"no person sits there: {message}")
        elif isinstance(message, Act):
            self._act(message, place)
        elif isinstance(message, Advise):
            if place.view is not None and (self.ticks is not None or message.decision == place.decision):
                self._adviser.advise(message.seat, place.decision, place.view)
        elif isinstance(message, Back):
            self._go_back(message, place)
        elif isinstance(message, Replace):
            place.is_replaced = True
        elif isinstance(message, Restore):
            place.is_replaced = False

    def _act(self, act: Act, place: _Place) -> None:
        """Take an action, or refuse it and say why."""
        is_current = place.view is not None and act.decision == place.decision
        if self.ticks is None:
            if not (self._is_open(place, act.decision) or self._is_revocable(place, act.decision)):
                self._refuse(act.seat, act.decision, act.action, LATE)
            elif act.action not in place.legal:
                self._refuse(act.seat, act.decision, act.action, ILLEGAL)
            else:
                place.chosen, place.chosen_at = act.action, self._inbox.now()
        elif place.view is not None and act.action in place.legal:
            if place.chosen is not None and place.chosen != act.action:
                self._refuse(act.seat, act.decision, place.chosen, LATE)  # the last click of a tick counts
            place.chosen = act.action
        else:
            why = BUSY if len(place.legal) == 1 else ILLEGAL if is_current else LATE
            self._refuse(act.seat, act.decision, act.action, why)

    def _go_back(self, back: Back, place: _Place) -> None:
        """Let a person choose again, or refuse it."""
        if self._is_open(place, back.decision) and not place.is_replaced and self.broadcaster.can_take_back:
            place.takes_back = True
        elif self._is_revocable(place, back.decision):
            assert place.asked is not None
            place.chosen = None
            self.broadcaster.send(Envelope(seat=back.seat, message=place.asked))
        else:
            self._refuse(back.seat, back.decision, "", BACK)

    def _is_revocable(self, place: _Place, decision: int) -> bool:
        """Whether what a person has chosen at a decision is still known to nobody, not even to the match."""
        asked = place.asked
        is_current = place.view is not None and asked is not None and asked.decision == decision
        return is_current and place.chosen is not None and bool(asked and asked.is_revocable)

    def _is_open(self, place: _Place, decision: int) -> bool:
        """Whether a person has still to say what to do at a decision, at a table that waits for people."""
        return place.view is not None and decision == place.decision and place.chosen is None and not place.takes_back

    def _refuse(self, seat: int, decision: int, action: str, why: str) -> None:
        self.broadcaster.send(Envelope(seat=seat, message=Refused(decision=decision, action=action, why=why)))


class PersonSeat:
    """A person at the table; implements match.Seat."""

    def __init__(self, queue: InputQueue, seat: int, isolation: str = PERSON) -> None:
        """`isolation`: as the record of the match has it."""
        self.isolation = isolation
        self.wants_forced = queue.ticks is not None  # a tick takes its time, also where there is nothing to choose
        self._queue = queue
        self._seat = seat

    def start(self, info: StartInfo) -> Fault | None:
        """Take part."""
        self._queue.begin(self._seat, info)
        return None

    def ask(self, view: View) -> None:
        """Put a decision to the person's browsers."""
        self._queue.ask(self._seat, view)

    def answer(self) -> Answer | Fault:
        """Wait for the person, without a clock; in real time until the tick is over."""
        return self._queue.answer(self._seat)

    def end(self, result: EndInfo) -> None:
        """Do nothing: the table tells the end itself."""


def _answer_of(substitute: Seat | None, view: View, *, is_asked: bool) -> Answer | Fault:
    """Return what a person's substitute plays. Its faults are not the person's: then it is any action that does little harm."""
    if substitute is not None:
        if not is_asked:
            substitute.ask(view)
        answer = substitute.answer()
        if isinstance(answer, Answer) and (answer.action in view.legal or _is_index(answer.action, len(view.legal))):
            return answer
        report(f"a bot that plays for a person failed: {answer}")
    return harmless(view)


def _is_index(action: object, count: int) -> bool:
    return type(action) is int and 0 <= action < count


def harmless(view: View) -> Answer:
    """Return what is played for a seat that nobody plays for at the moment: to wait, or else the first legal action."""
    return Answer(WAIT if WAIT in view.legal else view.legal[0], 0.0, 0.0)


def report(trouble: str) -> None:
    """A line for who runs the server."""
    print(f"table: {one_line(printable(trouble))}", file=sys.stderr, flush=True)
