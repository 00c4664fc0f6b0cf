"""Real time: ticks on an absolute grid that nobody can hold up."""

import math
from typing import Protocol

from arena.server.table_process.messages import ToTable

READY_TICKS = 24
"""Ticks before the first one of a round, in which people look at how the last one ended, and at their cards."""


class Inbox(Protocol):
    """What people say to the table, and the time. Tests drive it with a time of their own."""

    def now(self) -> float:
        """Seconds since some moment."""
        ...

    def take(self, seconds: float | None) -> ToTable | None:
        """The next message. None: there was none within so many seconds; without a number it waits for one."""
        ...


class Ticks:
    """The deadlines of a match in real time. They lie on a grid: a late process skips some, and never hurries after them."""

    def __init__(self, inbox: Inbox, milliseconds: int) -> None:
        """`milliseconds`: of a tick."""
        self._inbox = inbox
        self._length = milliseconds / 1000
        self._deadline = 0.0

    def begin_round(self) -> None:
        """Give people some ticks to look at new cards: the grid begins anew."""
        self._deadline = self._inbox.now() + READY_TICKS * self._length

    def left(self) -> float:
        """Seconds until the tick ends; not above 0 if it is over."""
        return self._deadline - self._inbox.now()

    def end(self) -> None:
        """The tick is over: the next one ends at the first point of the grid that is still to come."""
        late = -self.left()
        self._deadline += self._length * (1 + max(0, math.floor(late / self._length)))
