"""A seat in this process, for trusted bots: no isolation, and a clock that is only read after each decision."""

import math
import os
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any, Protocol

from arena.agent import Agent, EndInfo, StartInfo
from arena.agent.agent import plain_action
from arena.agent.view import Notes, View, notes_on
from arena.engine import readiness
from arena.errors import BotError, short_trace
from arena.match import MATCH_FACTOR, Answer, Fault, Spent, Starved, awake, seconds_of_match
from arena.records import Ending, copied

ISOLATION = "none"
BACKSTOP_FACTOR, BACKSTOP_SECONDS = 4.0, 1.0  # wall time of a decision, from its CPU time: nobody can tell what it waited for


class HasAgent(Protocol):
    """A bot's code, ready to run: a LoadedBot, or anything else with an Agent class."""

    @property
    def agent_class(self) -> Callable[[], Agent[Any]]:
        """Gives the agent that plays."""
        ...


class InProcessSeat:
    """Runs a bot's code by plain calls. A context manager; implements match.Seat."""

    isolation = ISOLATION

    def __init__(
        self,
        load: Callable[[], AbstractContextManager[HasAgent]],
        seed: int,
        params: Mapping[str, Any],
        *,
        heeds_ctrl_c: bool = False,
    ) -> None:
        """`load` gets the bot's code ready (`LoadedBot`); `seed`: for the bot's own random generator.

        `heeds_ctrl_c`: a KeyboardInterrupt is the user's, not the bot's (in a worker, which ignores Ctrl-C, it is the bot's).
        """
        self.wants_forced = False
        self.asks_outside = False
        """Whether the bot says that it asks something outside itself; known once it was started."""
        self.end_fault = ""
        """What went wrong when the bot was told the end; it changes no result."""
        self.spent = Spent()
        """What its decisions have taken in this match; only wall time is known."""
        self._match_seconds = math.inf
        self._load = load
        self._seed = seed
        self._params = copied(dict(params))  # a bot may do to them what it likes
        self._passed_on = (KeyboardInterrupt,) if heeds_ctrl_c else ()
        self._agent: Agent[Any] | None = None
        self._view: View | None = None
        self._loaded: AbstractContextManager[HasAgent] | None = None

    def __enter__(self) -> "InProcessSeat":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Forget the bot; there is no process to end."""
        if self._loaded is not None:
            self._loaded.__exit__(None, None, None)
            self._loaded = None

    def listen(self) -> None:
        """Do nothing: the view of a decision has its notes, and what the bot prints is printed here."""

    def take_notes(self) -> Notes:
        """Return what the bot has noted about the decision that was put last; nothing the second time."""
        view, self._view = self._view, None
        return Notes() if view is None else notes_on(view)

    def start(self, info: StartInfo) -> Fault | None:
        """Execute the bot's module and make its agent. Raises NotCompiled like `answer`."""
        ledger = readiness.ledger()
        began, spent = time.thread_time(), ledger.cpu
        ledger.refusal = None
        try:
            self._loaded = self._load()
            agent = self._loaded.__enter__().agent_class()
            self.asks_outside = bool(agent.asks_outside)
            agent._seed = self._seed
            agent.params = self._params
            agent.start(info)
            self.wants_forced = bool(agent.wants_forced)
        except self._passed_on:
            raise
        except BotError as error:
            return Fault(Ending.STARTUP, str(error))
        except BaseException:  # SystemExit too: whatever a bot does is the bot's fault, and must not end this process
            _raise_refusal(ledger)
            return Fault(Ending.STARTUP, short_trace())
        _raise_refusal(ledger)
        used = time.thread_time() - began - (ledger.cpu - spent)
        if used > info.clock.start:
            return Fault(Ending.STARTUP, f"used {used:.1f} s of CPU time to start, {info.clock.start:g} s are allowed")
        self._agent = agent
        self._match_seconds = seconds_of_match(info.clock)
        awake.now()
        return None

    def ask(self, view: View) -> None:
        """Keep the decision: the bot runs in `answer`."""
        self._view = view

    def answer(self) -> Answer | Fault:
        """Let the bot choose.

        Raises NotCompiled if the bot asks for a part of a game that this process neither has nor may compile.
        """
        agent, view, ledger = self._agent, self._view, readiness.ledger()
        assert agent is not None and view is not None
        clock = view.clock
        limit = clock.move + clock.bank
        ledger.refusal = None
        spent_cpu, spent_wall = ledger.cpu, ledger.wall
        missed = awake.missed()
        began, cpu = time.perf_counter(), time.thread_time()
        try:
            action: object = agent.act(view)
            if type(action) is not int and type(action) is not str:
                action = plain_action(action)
        except self._passed_on:
            raise
        except BaseException:
            _raise_refusal(ledger)
            return Fault(Ending.CRASH, short_trace())
        seconds = time.thread_time() - cpu
        waited = time.perf_counter() - began
        if ledger.refusal is not None:
            _raise_refusal(ledger)
        seconds += view.thread_seconds - (ledger.cpu - spent_cpu)  # what it took to load or compile a search is not charged
        waited -= ledger.wall - spent_wall
        if waited > limit:
            awake.now()
            waited -= awake.missed() - missed
        answer = Answer(action, seconds, waited, is_timed=view.is_timed, asleep=max(0.0, waited - seconds))
        left = MATCH_FACTOR * self._match_seconds - self.spent.wall
        self.spent.wall += waited
        return _late(answer, limit, left) or answer

    def end(self, result: EndInfo) -> None:
        """Tell the bot how the match ended. Nothing that it does now can change the result."""
        assert self._agent is not None
        try:
            self._agent.end(result)
        except self._passed_on:
            raise
        except BaseException:
            self.end_fault = short_trace()


def _raise_refusal(ledger: readiness.Ledger) -> None:
    """Raise the NotCompiled that the bot met, whatever it made of it: the match is to be played again."""
    refusal, ledger.refusal = ledger.refusal, None
    if refusal is not None:
        raise refusal from None


def _late(answer: Answer, limit: float, left: float) -> Fault | None:
    """A fault if the decision took too much wall time, as a sleeping bot does. A host fault if the machine was slow.

    `left`: of the wall time for all decisions of the match.
    """
    backstop = min(BACKSTOP_FACTOR * limit + BACKSTOP_SECONDS, left)
    if answer.wall_seconds <= backstop:
        return None
    if answer.cpu_seconds < limit / 2 and _is_short_of_cpu():
        reason = f"a decision took {answer.wall_seconds:.1f} s of wall time on a machine short of CPU"
        return Fault(Ending.HOST, reason, starved=Starved(answer.wall_seconds))
    return Fault(Ending.TIMEOUT, f"took {answer.wall_seconds:.1f} s of wall time, {backstop:.1f} s are the backstop")


def _is_short_of_cpu() -> bool:
    return os.getloadavg()[0] > (os.cpu_count() or 1)
