"""A seat with a note-taker beside it: what each decision cost, the slowest ones, and what the bot saw last."""

import heapq
from dataclasses import dataclass

from arena.agent import EndInfo, StartInfo
from arena.agent.view import View
from arena.match import Answer, Fault, Seat

SLOWEST = 3  # decisions kept of each match


@dataclass(frozen=True)
class Slow:
    """A decision that took long."""

    cpu_seconds: float
    number: int
    """Among those that the bot was asked for in the match, from 0."""
    view: View


class WatchedSeat:
    """Passes all through to another seat, which its maker closes; implements match.Seat."""

    def __init__(self, seat: Seat) -> None:
        self.cpu_seconds: list[float] = []
        """Of every decision that the bot answered."""
        self.view: View | None = None
        """Of the decision that was put last; None: none was."""
        self.wants_forced = False
        self._seat = seat
        self._slowest: list[tuple[float, int, Slow]] = []  # a heap

    @property
    def isolation(self) -> str:
        """What holds the bot."""
        return self._seat.isolation

    @property
    def slowest(self) -> list[Slow]:
        """The slowest first."""
        return [slow for _, _, slow in sorted(self._slowest, reverse=True)]

    def start(self, info: StartInfo) -> Fault | None:
        """Make the bot ready."""
        fault = self._seat.start(info)
        self.wants_forced = self._seat.wants_forced
        return fault

    def ask(self, view: View) -> None:
        """Put a decision to the bot."""
        self.view = view
        self._seat.ask(view)

    def answer(self) -> Answer | Fault:
        """What the bot says, noted."""
        found = self._seat.answer()
        if isinstance(found, Answer):
            self._note(found.cpu_seconds)
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
