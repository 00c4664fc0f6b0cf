"""A seat that takes notes on another one: the cost of each decision, the slowest decisions, and the last view."""

import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass

from arena.agent import EndInfo, StartInfo
from arena.agent.view import View
from arena.match import Answer, Fault, Seat

SLOWEST = 3  # decisions kept of each match


@dataclass(frozen=True)
class Slow:
    """One of the slowest decisions of a match, with its view."""

    cpu_seconds: float
    number: int
    """The number of the decision among those that the bot was asked for in the match, from 0."""
    view: View


class WaitsTooLong(Exception):
    """Raised when the bot has waited longer than it may, for something else than the CPU."""


class WatchedSeat:
    """Passes everything on to another seat and takes notes; implements match.Seat. Does not close the other seat."""

    def __init__(self, seat: Seat, *, patience: float = math.inf, say: Callable[[int], object] = lambda decision: None) -> None:
        """`patience`: seconds that the bot may wait before WaitsTooLong is raised; `say` gets each decision's number."""
        self.cpu_seconds: list[float] = []
        """CPU seconds of every decision that the bot answered."""
        self.view: View | None = None
        """The view of the decision that was put last; None before the first one."""
        self.wants_forced = False
        self.waited = 0.0
        """Seconds asleep, in all decisions that the bot answered."""
        self.slowest_wall = 0.0
        """The most wall seconds of a decision."""
        self._patience = patience
        self._say = say
        self._seat = seat
        self._slowest: list[tuple[float, int, Slow]] = []  # a heap

    @property
    def isolation(self) -> str:
        """The isolation level of the other seat."""
        return self._seat.isolation

    @property
    def slowest(self) -> list[Slow]:
        """The slowest decisions, the slowest first."""
        return [slow for _, _, slow in sorted(self._slowest, reverse=True)]

    def start(self, info: StartInfo) -> Fault | None:
        """Get the bot ready to play."""
        fault = self._seat.start(info)
        self.wants_forced = self._seat.wants_forced
        return fault

    def ask(self, view: View) -> None:
        """Put a decision to the bot."""
        if self.waited > self._patience:
            raise WaitsTooLong
        self._say(len(self.cpu_seconds))
        self.view = view
        self._seat.ask(view)

    def answer(self) -> Answer | Fault:
        """The other seat's answer, of which a note is taken."""
        found = self._seat.answer()
        if isinstance(found, Answer):
            self._note(found.cpu_seconds)
            self.waited += found.asleep
            self.slowest_wall = max(self.slowest_wall, found.wall_seconds)
        return found

    def end(self, result: EndInfo) -> None:
        """Tell the bot how the match ended."""
        self._seat.end(result)

    def _note(self, cpu_seconds: float) -> None:
        assert self.view is not None
        number = len(self.cpu_seconds)
        self.cpu_seconds.append(cpu_seconds)
        if len(self._slowest) < SLOWEST:
            heapq.heappush(self._slowest, (cpu_seconds, number, Slow(cpu_seconds, number, self.view)))
        elif cpu_seconds > self._slowest[0][0]:
            heapq.heapreplace(self._slowest, (cpu_seconds, number, Slow(cpu_seconds, number, self.view)))
