"""What all seats with a process for the bot have in common: the process, how it ended, and whose fault that was."""

import math
import os
import random
import secrets
import signal
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from arena.agent import BotFiles, EndInfo, StartInfo
from arena.agent.view import Notes, View
from arena.errors import PRINTED
from arena.match import BACKSTOP_FACTOR, BACKSTOP_SECONDS, MATCH_FACTOR, SLEEP_SECONDS, Answer, Fault, Spent
from arena.match.sandbox import processor
from arena.match.sandbox.child import DIED, Child, Trouble
from arena.match.sandbox.supervisor import Supervisor
from arena.records import Ending, Limits

KILLS_UNTIL_BLAME = 3
"""How many SIGKILLs from outside in one match put the blame on the bot: the kernel kills what takes too much memory."""
KILLED = "killed by the host"
"""How the process of a bot ended that broke a rule or a limit, in FaultRecord.exit."""
LOCK_SECONDS = 10.0  # CPU time of our own steps before the bot's first line
END_SECONDS = 0.2  # to take note of the end
AROUND_SECONDS = 2 * BACKSTOP_SECONDS + BACKSTOP_FACTOR * (LOCK_SECONDS + END_SECONDS) + LOCK_SECONDS + 1.0
"""The most wall seconds that a seat takes before and after its bot's start and decisions: to lock it, to hand over, to end."""
_NOTE_CHARACTERS = 2000  # of the bot's output in the note of its fault

R = TypeVar("R")
S = TypeVar("S", bound="HeldSeat")


class HeldSeat(ABC):
    """A bot in a child process of its own. A context manager; its kinds implement match.Seat."""

    def __init__(
        self,
        supervisor: Supervisor,
        bot: BotFiles,
        *,
        seed: int,
        params: Mapping[str, Any],
        limits: Limits,
        earlier_kills: int = 0,
    ) -> None:
        """`seed`: for the bot's own random generator; `earlier_kills`: how often this seat was killed in this match before."""
        self.wants_forced = False
        self.end_fault = ""
        """What went wrong when the bot was told the end; it changes no result."""
        self.was_killed = False
        """Whether the bot's process died by a SIGKILL from outside."""
        self._supervisor = supervisor
        self._bot = bot
        self._seed = seed
        self._params = params
        self._limits = limits
        self._earlier_kills = earlier_kills
        self.spent = Spent()
        """What its decisions have taken in this match, those of earlier attempts in the same worker included."""
        self.has_begun = False
        """Whether the bot's own code may have run: before that, all failures are the host's."""
        self._isolation = ""
        self._memory_seen: int | None = None
        self._child: Child | None = None
        self._fault: Fault | None = None
        self._ids = random.Random(secrets.randbits(64))  # a bot cannot reply to a request that it has not seen
        self._id = 0
        self._cpu = 0.0
        self._began = 0.0
        self._limit = 0.0
        self._match_seconds = math.inf
        self._asleep = self._overslept = 0.0  # before the last reply; see Answer
        self._listens = False
        self._notes = Notes()  # on the decision that was answered last, if somebody listens

    def __enter__(self: S) -> S:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def isolation(self) -> str:
        """The isolation level of the bot; after its start it does not change, even if the zygote is lost."""
        return self._isolation or self._supervisor.level

    @property
    def pid(self) -> int:
        """The process id of the bot, once it has started."""
        assert self._child is not None
        return self._child.pid

    @property
    def output(self) -> str:
        """The beginning of what the bot printed."""
        return self._child.output if self._child else ""

    @property
    def memory_peak(self) -> int | None:
        """The most bytes that the bot's process had in use, as far as was seen; None: not known."""
        if self._child is not None and self._child.is_open:
            self._memory_seen = self._child.memory_peak("VmHWM") or self._memory_seen
        return self._memory_seen

    @property
    def unanswered_cpu(self) -> float:
        """CPU seconds that the bot has used since its last reply; 0 if it does not run any more."""
        if self._child is None or not self._child.is_open:
            return 0.0
        try:
            return self._child.cpu() - self._cpu
        except Trouble:
            return 0.0

    def listen(self) -> None:
        """Keep what the bot notes and all that it prints; called before `start`."""
        self._listens = True

    def take_notes(self) -> Notes:
        """Return what the bot noted about the decision that it answered last, if somebody listens; nothing the second time."""
        notes, self._notes = self._notes, Notes()
        return notes

    def take_output(self) -> str:
        """Return what the bot has printed since this was called last, if somebody listens; not made printable."""
        if self._child is None:
            return ""
        if self._child.is_open:
            self._child.read_output()
        return self._child.take_heard()

    def _hear(self, child: Child) -> None:
        if self._listens:
            child.hear_all()

    @abstractmethod
    def start(self, info: StartInfo) -> Fault | None:
        """Get the bot ready to play."""

    @abstractmethod
    def ask(self, view: View) -> None:
        """Put a decision to the bot."""

    @abstractmethod
    def answer(self) -> Answer | Fault:
        """Wait for the bot's answer to the decision that was put last."""

    @abstractmethod
    def end(self, result: EndInfo) -> None:
        """Tell the bot how the match ended."""

    def close(self) -> None:
        """Kill the bot's process, if it still runs."""
        if self._child is not None and self._child.is_open:
            self._supervisor.watch.remove(self._child)
            self._supervisor.turns.remove(self._child)
            self._child.close()
            if not self._child.is_reaped:
                self._supervisor.drop(self._child)

    def _request(self, child: Child, data: bytes) -> None:
        """Send what the bot has to answer next: its clock begins. Raises Trouble."""
        if self._limits.clean_caches:
            processor.forget_caches()
        self._began = time.perf_counter()
        self._supervisor.turns.ask(child)
        child.send(data)

    def _reply(self, child: Child, decode: Callable[[bytes], R]) -> tuple[R, float]:
        """The bot's reply to the last request, and its CPU seconds since the one before; then it rests. Raises Trouble."""
        spent, sleep, before = self.spent, self._sleep_left(), self._cpu
        try:
            reply = child.receive(
                before, self._limit, decode=decode, beyond_is=Ending.TIMEOUT, sleep=sleep,
                busy_left=self._match_seconds - spent.busy, wall_left=MATCH_FACTOR * self._match_seconds - spent.wall,
                when_slow=self._supervisor.slow,
            )  # fmt: skip
        finally:
            asleep = child.asleep
            spent.wall += child.waited
            spent.asleep += asleep
        self._cpu = child.cpu()
        used = self._cpu - before
        self._asleep, self._overslept = asleep, max(0.0, asleep - sleep)
        spent.busy += asleep + used
        self._supervisor.turns.rest(child)
        if self._limits.clean_caches:
            child.pause()
        return reply, used

    def _answer(self, action: object, used: float, *, is_timed: bool = False) -> Answer:
        """The bot's choice, and what it cost."""
        wall = time.perf_counter() - self._began
        return Answer(action, used, wall, self._output_end, is_timed, self._asleep, self._overslept)

    def _sleep_left(self) -> float:
        """For how long the bot may still sleep in this match."""
        return max(0.0, SLEEP_SECONDS - self.spent.asleep)

    def _failed(self, trouble: Trouble) -> Fault:
        """End the child; returns the fault, which says who is to blame."""
        ending, reason, ended = trouble.ending, trouble.reason, KILLED
        if trouble.reason == DIED and self._child is not None:
            ending, reason, ended = self._cause_of_death(self._child)
        self.close()
        self._fault = replace(self._fault_of(ending, reason, ended), starved=trouble.starved)
        return self._fault

    def _cause_of_death(self, child: Child) -> tuple[Ending, str, str]:
        """The ending, the reason in words, and how the process ended."""
        ran_out = self._supervisor.watch.ran_out(child)
        self._supervisor.watch.remove(child)
        if child.killed_for:
            return Ending.MEMORY, child.killed_for, KILLED
        try:
            status = self._supervisor.status(child)
        except Trouble as trouble:
            return trouble.ending, trouble.reason, ""
        child.is_reaped = True
        if not os.WIFSIGNALED(status):
            code = f"exit code {os.WEXITSTATUS(status)}"
            return Ending.CRASH, f"its process ended itself ({code})", code
        name = signal_name(os.WTERMSIG(status))
        if name != "SIGKILL":
            return Ending.CRASH, f"its process died by {name}", name
        if ran_out:
            return Ending.MEMORY, f"took more memory than the {self._limits.memory / 1e6:,.0f} MB that are allowed", KILLED
        self.was_killed = True
        if self._earlier_kills + 1 >= KILLS_UNTIL_BLAME:
            return Ending.MEMORY, f"killed from outside, {KILLS_UNTIL_BLAME} times in this match: out of memory", name
        return Ending.HOST, "a seat was killed from outside", name

    def _fault_of(self, ending: Ending, reason: str, ended: str = "") -> Fault:
        """A fault with the end of what the bot printed; `ended`: how its process ended."""
        output = self._output_end()
        if output:
            reason += f"{PRINTED}{output[-_NOTE_CHARACTERS:]}"
        return Fault(ending, reason, output, ended)

    def _output_end(self) -> str:
        """The end of what the bot has printed so far."""
        if self._child is None:
            return ""
        if self._child.is_open:
            self._child.read_output()
        return self._child.output_end


def signal_name(number: int) -> str:
    """The name of a signal; real-time signals have none but their number."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
