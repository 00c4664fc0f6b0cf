"""The hall's referee, waiting for seats that are asked from outside: it plays in a thread of its own until it needs an answer.

Of all referees of a process one plays at a time (searches and compiled games share arrays), and those that wait are none of
them. So many matches of a process wait for models together, but their bots think one after the other: for more, take more
processes.
"""

import threading
from collections.abc import Callable

from arena.agent import EndInfo, StartInfo
from arena.agent.view import View
from arena.match import Answer, Fault
from arena.records import MatchRecord

_playing = threading.Lock()  # held by the referee that plays


class Closed(Exception):
    """Raised in the referee's thread when nobody will answer any more: it ends."""


class Exchange:
    """One match between the thread of its referee and whoever answers for some of its seats. Holds no seat of a bot."""

    def __init__(self) -> None:
        self.views: dict[int, View] = {}
        """The decisions that were put and not answered, by seat."""
        self.record: MatchRecord | None = None
        """The match, once it is over."""
        self.error: BaseException | None = None
        """What ended it otherwise."""
        self._changed = threading.Condition()
        self._replies: dict[int, Answer | Fault] = {}
        self._waits_for: int | None = None
        self._is_closed = False

    def begin(self, play: Callable[[], MatchRecord]) -> None:
        """Have `play` played until it waits for an answer, or is over."""
        threading.Thread(target=self._run, args=(play,), name="referee", daemon=True).start()
        self._wait_for_referee()

    def reply(self, seat: int, reply: Answer | Fault) -> None:
        """Answer the decision of a seat; where all seats that choose now have answered, wait until others are asked."""
        with self._changed:
            del self.views[seat]
            self._replies[seat] = reply
            if self._waits_for == seat:
                self._waits_for = None
                self._changed.notify_all()
        self._wait_for_referee()

    def close(self) -> None:
        """End the referee's thread where it waits; does nothing to a match that is over."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    @property
    def is_over(self) -> bool:
        """Whether nobody will be asked any more."""
        return self.record is not None or self.error is not None

    def _wait_for_referee(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._waits_for is not None or self.is_over)

    def _run(self, play: Callable[[], MatchRecord]) -> None:
        with _playing:
            try:
                record, error = play(), None
            except BaseException as raised:
                record, error = None, raised
        with self._changed:
            self.record, self.error = record, error
            self._changed.notify_all()

    def _asked(self, seat: int, view: View) -> None:
        with self._changed:
            self.views[seat] = view

    def _awaited(self, seat: int) -> Answer | Fault:
        """The answer of a seat; in the referee's thread. Raises Closed."""
        _playing.release()
        try:
            with self._changed:
                if seat not in self._replies:
                    self._waits_for = seat
                    self._changed.notify_all()
                    self._changed.wait_for(lambda: seat in self._replies or self._is_closed)
                if seat not in self._replies:
                    raise Closed
                return self._replies.pop(seat)
        finally:
            _playing.acquire()


class OutsideSeat:
    """A seat that is answered for from outside; implements match.Seat."""

    wants_forced = False
    isolation = "none"

    def __init__(self, exchange: Exchange, seat: int) -> None:
        self._exchange = exchange
        self._seat = seat

    def start(self, info: StartInfo) -> Fault | None:
        """Do nothing: who answers is there already."""
        return None

    def ask(self, view: View) -> None:
        """Show the decision to who answers."""
        self._exchange._asked(self._seat, view)

    def answer(self) -> Answer | Fault:
        """Wait for the answer. Raises Closed."""
        return self._exchange._awaited(self._seat)

    def end(self, result: EndInfo) -> None:
        """Do nothing: the record says how the match ended."""


def answered(action: str) -> Answer:
    """An answer for which no time is charged."""
    return Answer(action, 0.0, 0.0)
