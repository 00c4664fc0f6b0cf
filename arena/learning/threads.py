"""Threads that share out what one call does, each a part of it.

They stand ready all the time: what they do at once takes less than a millisecond, and so would starting them.
"""

import threading
import weakref
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import Any, Generic, TypeAlias, TypeVar

T = TypeVar("T")

_Outcome: TypeAlias = tuple[Any, BaseException | None]
_Asked: TypeAlias = tuple[Callable[[], Any], SimpleQueue[_Outcome]]


class Threads(Generic[T]):
    """Some threads, of which the one that calls `run` is the first. The others end when nobody has this any more."""

    def __init__(self, count: int) -> None:
        """`count`: at least 1."""
        self._inboxes: list[SimpleQueue[_Asked | None]] = [SimpleQueue() for _ in range(count - 1)]
        for inbox in self._inboxes:
            threading.Thread(target=_serve, args=(inbox,), name="tables", daemon=True).start()
        weakref.finalize(self, _dismiss, self._inboxes)

    def run(self, calls: Sequence[Callable[[], T]]) -> list[T]:
        """Do some calls at once, at most as many as there are threads, always the same place in the same thread.

        Gives what they return. Raises what one of them raised, when all have ended.
        """
        outboxes: list[SimpleQueue[_Outcome]] = []  # new ones each time: an interrupt may leave something in them
        try:
            for inbox, call in zip(self._inboxes, calls[1:]):
                outbox: SimpleQueue[_Outcome] = SimpleQueue()
                inbox.put((call, outbox))
                outboxes.append(outbox)
            found = [call() for call in calls[:1]]
        finally:
            outcomes = [outbox.get() for outbox in outboxes]
        for value, error in outcomes:
            if error is not None:
                raise error
            found.append(value)
        return found


def _serve(inbox: "SimpleQueue[_Asked | None]") -> None:
    """Do what is asked for, until nothing more is."""
    while (asked := inbox.get()) is not None:
        call, outbox = asked
        try:
            outbox.put((call(), None))
        except BaseException as error:
            outbox.put((None, error))
        del asked, call, outbox  # what waits must keep nothing alive


def _dismiss(inboxes: "list[SimpleQueue[_Asked | None]]") -> None:
    for inbox in inboxes:
        inbox.put(None)
