"""A stored match played again: seats that repeat what the action log has of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.agent import EndInfo, StartInfo
from arena.agent.view import View
from arena.engine.room import Game
from arena.match import Answer, Fault, MatchSetup
from arena.records import MatchRecord


@dataclass(frozen=True)
class LoggedChoice:
    """A decision in the action log."""

    index: int
    code: int
    delay: int
    """The ticks that the decision took, in games that measure thinking time."""


def own_decisions(game: Game, record: MatchRecord, setup: MatchSetup) -> list[list[LoggedChoice]]:
    """The decisions of the action log, by seat."""
    logs: list[list[LoggedChoice]] = [[] for _ in record.seats]
    states = game.deal(len(record.seats), setup.options, setup.deal_seed)
    delays = record.delays or (0,) * len(record.actions)
    timed = game.timed_log(record.actions, record.delays)
    for index, (code, action) in enumerate(zip(record.actions, timed)):
        mover = int(game.engine.current_seat(states))
        logs[mover].append(LoggedChoice(index, code, delays[index]))
        game.engine.advance(states, action)
    return logs


class LoggedSeat:
    """A seat that repeats its decisions from the action log; implements match.Seat."""

    isolation = "none"
    wants_forced = True

    def __init__(self, log: Sequence[LoggedChoice], ms_per_tick: int | None) -> None:
        self._log = iter(log)
        self._ms_per_tick = ms_per_tick or 0
        self._view: View | None = None

    def start(self, info: StartInfo) -> Fault | None:
        """Do nothing: a replay starts no bot."""
        return None

    def ask(self, view: View) -> None:
        """Keep the view."""
        self._view = view

    def answer(self) -> Answer | Fault:
        """The next decision of the log, with the delay that it had."""
        assert self._view is not None
        return self._logged(self._view, next(self._log))

    def end(self, result: EndInfo) -> None:
        """Do nothing: there is no bot to tell the result to."""

    def _logged(self, view: View, choice: LoggedChoice) -> Answer:
        return self._as_logged(list(view.codes), choice)

    def _as_logged(self, codes: Sequence[int], choice: LoggedChoice) -> Answer:
        cpu_seconds = (choice.delay + 0.5) * self._ms_per_tick / 1000 if self._ms_per_tick else 0.0
        return Answer(codes.index(choice.code), cpu_seconds, 0.0)
