"""What the seats of strangers' bots have in common: a child process, what is said of its end, and whose fault that was."""

import os
import random
import secrets
import signal
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, TypeVar

from arena.agent import BotFiles, EndInfo, StartInfo
from arena.agent.view import View
from arena.match import Answer, Fault
from arena.records import Ending, Limits
from arena.seats.sandbox.child import DIED, Child, Trouble
from arena.seats.sandbox.keeper import Keeper

KILLS_UNTIL_BLAME = 3
"""The n-th SIGKILL of a seat in one match that is not ours is its bot's: the kernel kills what takes too much memory."""
KILLED = "killed by the hall"
"""How the process of a bot ended that broke a rule or a limit."""
LOCK_SECONDS = 10.0  # CPU time of our own steps before the bot's first line
END_SECONDS = 0.2  # to take note of the end
_NOTE_CHARACTERS = 2000  # of the bot's output in the note of its fault

S = TypeVar("S", bound="HeldSeat")


class HeldSeat(ABC):
    """A bot in a child process of its own. A context manager; its kinds implement match.Seat."""

    def __init__(
        self, keeper: Keeper, bot: BotFiles, *, seed: int, params: Mapping[str, Any], limits: Limits, earlier_kills: int = 0
    ) -> None:
        """`seed`: of the bot's own generator; `earlier_kills`: of this seat in this match, from outside."""
        self.wants_forced = False
        self.was_killed = False
        """Whether it died by a SIGKILL that was not ours."""
        self._keeper = keeper
        self._bot = bot
        self._seed = seed
        self._params = params
        self._limits = limits
        self._earlier_kills = earlier_kills
        self._isolation = ""
        self._memory_seen: int | None = None
        self._child: Child | None = None
        self._fault: Fault | None = None
        self._ids = random.Random(secrets.randbits(64))  # a bot cannot reply to a request that it has not seen
        self._id = 0
        self._cpu = 0.0
        self._began = 0.0
        self._limit = 0.0

    def __enter__(self: S) -> S:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def isolation(self) -> str:
        """What holds the bot; as it was at its start, should the zygote be lost meanwhile."""
        return self._isolation or self._keeper.level

    @property
    def pid(self) -> int:
        """Of the bot's process, once started."""
        assert self._child is not None
        return self._child.pid

    @property
    def output(self) -> str:
        """The first of what the bot printed."""
        return self._child.output if self._child else ""

    @property
    def memory_peak(self) -> int | None:
        """Bytes that the bot's process had in use, at most, when it was last looked at; None: not known."""
        if self._child is not None and self._child.is_open:
            self._memory_seen = self._child.memory_peak("VmHWM") or self._memory_seen
        return self._memory_seen

    @abstractmethod
    def start(self, info: StartInfo) -> Fault | None:
        """Make the bot ready."""

    @abstractmethod
    def ask(self, view: View) -> None:
        """Put a decision to the bot."""

    @abstractmethod
    def answer(self) -> Answer | Fault:
        """What the bot says to the decision put last."""

    @abstractmethod
    def end(self, result: EndInfo) -> None:
        """Tell the bot how the match ended."""

    def close(self) -> None:
        """Kill the bot's process, if it still runs."""
        if self._child is not None and self._child.is_open:
            self._keeper.watch.remove(self._child)
            self._child.close()
            if not self._child.is_reaped:
                self._keeper.drop(self._child)

    def _failed(self, trouble: Trouble) -> Fault:
        """End the child, and say whose fault it was."""
        ending, reason, ended = trouble.ending, trouble.reason, KILLED
        if trouble.reason == DIED and self._child is not None:
            ending, reason, ended = self._cause_of_death(self._child)
        self.close()
        self._fault = self._fault_of(ending, reason, ended)
        return self._fault

    def _cause_of_death(self, child: Child) -> tuple[Ending, str, str]:
        """Whose fault it was, in words, and how the process ended."""
        self._keeper.watch.remove(child)
        if child.killed_for:
            return Ending.MEMORY, child.killed_for, KILLED
        try:
            status = self._keeper.status(child)
        except Trouble as trouble:
            return trouble.ending, trouble.reason, ""
        child.is_reaped = True
        if not os.WIFSIGNALED(status):
            code = f"exit code {os.WEXITSTATUS(status)}"
            return Ending.CRASH, f"its process ended itself ({code})", code
        name = signal.Signals(os.WTERMSIG(status)).name
        if name != "SIGKILL":
            return Ending.CRASH, f"its process died by {name}", name
        self.was_killed = True
        if self._earlier_kills + 1 >= KILLS_UNTIL_BLAME:
            return Ending.MEMORY, f"killed from outside, {KILLS_UNTIL_BLAME} times in this match: out of memory", name
        return Ending.HOST, "a seat was killed from outside", name

    def _fault_of(self, ending: Ending, reason: str, ended: str = "") -> Fault:
        """With the end of what the bot printed; `ended`: how its process did."""
        output = self._output_end()
        if output:
            reason += f"\nit printed: {output[-_NOTE_CHARACTERS:]}"
        return Fault(ending, reason, output, ended)

    def _output_end(self) -> str:
        """The last of what the bot printed, up to now."""
        if self._child is None:
            return ""
        if self._child.is_open:
            self._child.read_output()
        return self._child.output_end
