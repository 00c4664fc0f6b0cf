"""A stranger's bot at the table: a locked child process behind the protocol of match.Seat."""

import os
import random
import secrets
import signal
import time
from collections.abc import Mapping
from typing import Any

import msgspec

from arena.agent import BotFiles, EndInfo, StartInfo
from arena.errors import printable
from arena.match import Answer, Fault
from arena.records import Ending
from arena.seats.sandbox import wire
from arena.seats.sandbox.child import DIED, Child, Trouble
from arena.seats.sandbox.keeper import Keeper
from arena.view import View

KILLS_UNTIL_BLAME = 3
"""The n-th SIGKILL of a seat in one match that is not ours is its bot's: the kernel kills what takes too much memory."""
_END_SECONDS = 0.2  # CPU time to take note of the end
_NOTE_BYTES = 2000  # of the bot's output in the note of its fault


class LockedSeat:
    """Runs a bot in a locked child of the keeper's zygote. A context manager; implements match.Seat."""

    def __init__(
        self, keeper: Keeper, bot: BotFiles, *, seed: int, params: Mapping[str, Any], memory: int, earlier_kills: int = 0
    ) -> None:
        """`seed`: of the bot's own generator; `memory`: bytes; `earlier_kills`: of this seat in this match."""
        self.wants_forced = False
        self.was_killed = False
        """Whether it died by a SIGKILL that was not ours."""
        self._keeper = keeper
        self._bot = bot
        self._seed = seed
        self._params = params
        self._memory = memory
        self._earlier_kills = earlier_kills
        self._isolation = ""
        self._child: Child | None = None
        self._fault: Fault | None = None
        self._ids = random.Random(secrets.randbits(64))  # a bot cannot reply to a request that it has not seen
        self._id = wire.START_ID
        self._cpu = 0.0
        self._began = 0.0
        self._limit = 0.0

    def __enter__(self) -> "LockedSeat":
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

    def start(self, info: StartInfo) -> Fault | None:
        """Have a child forked, locked, and the bot made ready in it."""
        try:
            self._spawn(info, info.clock.start)
        except Trouble as trouble:
            fault = self._failed(trouble)
            return fault if fault.ending in (Ending.HOST, Ending.MEMORY) else Fault(Ending.STARTUP, fault.reason)
        return None

    def declared(self, seconds: float) -> list[str]:
        """Instead of `start`: the games that the bot says it plays. Raises Trouble."""
        try:
            return self._spawn(None, seconds).games
        except Trouble as trouble:
            raise Trouble(self._failed(trouble).ending, trouble.reason) from None

    def ask(self, view: View) -> None:
        """Send the decision: the bot works from now on."""
        if self._fault is not None:
            return
        self._id = self._ids.getrandbits(62) + 1
        clock = view.clock
        state = view.state.tobytes()
        question = wire.Ask(self._id, state, view.seat, list(view.codes), view.events, clock.move, clock.bank, clock.start)
        self._limit = clock.move + clock.bank
        self._request(question)

    def answer(self) -> Answer | Fault:
        """What the bot replied, and what it cost: all CPU time since its last reply."""
        if self._fault is not None:
            return self._fault
        assert self._child is not None
        try:
            reply = self._child.receive(self._cpu, self._limit, self._began, beyond_is=Ending.TIMEOUT)
            cpu = self._child.cpu()
            used, self._cpu = cpu - self._cpu, cpu
            if reply.id != self._id:
                raise Trouble(Ending.PROTOCOL, "a reply to another request than the last one")
            if isinstance(reply, wire.Action):
                return Answer(reply.action, used, time.perf_counter() - self._began, reply.is_timed)
            return self._refused(reply)
        except Trouble as trouble:
            return self._failed(trouble)

    def end(self, result: EndInfo) -> None:
        """Tell the bot; what it does then can change nothing."""
        if self._fault is not None or self._child is None:
            return
        self._id = self._ids.getrandbits(62) + 1
        self._request(wire.End(self._id, EndInfo(list(result.places), list(result.scores))))
        try:
            if self._fault is None:
                self._child.receive(self._cpu, _END_SECONDS, self._began, beyond_is=Ending.TIMEOUT)
        except Trouble:
            return

    def close(self) -> None:
        """Kill the bot's process, if it still runs."""
        if self._child is not None and self._child.is_open:
            self._child.close()
            if not self._child.is_reaped:
                self._keeper.drop(self._child)

    def _spawn(self, info: StartInfo | None, seconds: float) -> wire.Ready:
        start = wire.Start(
            folder=self._keeper.folder(self._bot), main=self._bot.main, memory=self._memory, seed=f"{self._seed:x}",
            params=msgspec.json.encode(self._params), info=info,
        )  # fmt: skip
        self._isolation = self._keeper.level
        self._child = child = self._keeper.spawn()
        self._began = time.perf_counter()
        child.send(wire.frame(start))
        try:
            locked = child.receive(0.0, _LOCK_SECONDS, self._began, beyond_is=Ending.HOST, is_last=False)
        except Trouble as trouble:
            raise Trouble(Ending.HOST, f"a seat could not be locked: {trouble.reason} {child.output}".strip()) from None
        if not isinstance(locked, wire.Locked):
            raise Trouble(Ending.HOST, "a seat could not be locked")
        self._cpu = locked.cpu_seconds
        ready = child.receive(self._cpu, seconds, time.perf_counter(), beyond_is=Ending.TIMEOUT)
        self._cpu = child.cpu()
        if isinstance(ready, wire.Failed):
            raise Trouble(Ending.STARTUP, printable(ready.reason))
        if not isinstance(ready, wire.Ready) or ready.id != wire.START_ID:
            raise Trouble(Ending.PROTOCOL, "another message than that it is ready")
        self.wants_forced = ready.wants_forced
        return ready

    def _request(self, message: wire.Request) -> None:
        assert self._child is not None
        self._began = time.perf_counter()
        try:
            self._child.send(wire.frame(message))
        except Trouble as trouble:
            self._failed(trouble)

    def _refused(self, reply: wire.Reply) -> Fault:
        """The bot raised, or returned what is no answer; its process lives on."""
        if not isinstance(reply, wire.Failed):
            raise Trouble(Ending.PROTOCOL, f"a message that is no action: {type(reply).__name__}")
        if reply.ending not in (Ending.CRASH, Ending.MEMORY, Ending.MALFORMED):
            raise Trouble(Ending.PROTOCOL, "an ending that a bot cannot claim")
        return Fault(Ending(reply.ending), self._with_output(printable(reply.reason)))

    def _failed(self, trouble: Trouble) -> Fault:
        """End the child, and say whose fault it was."""
        ending, reason = trouble.ending, trouble.reason
        if trouble.reason == DIED and self._child is not None:
            ending, reason = self._cause_of_death(self._child)
        self.close()
        self._fault = Fault(ending, self._with_output(reason))
        return self._fault

    def _cause_of_death(self, child: Child) -> tuple[Ending, str]:
        try:
            status = self._keeper.status(child)
        except Trouble as trouble:
            return trouble.ending, trouble.reason
        child.is_reaped = True
        if not os.WIFSIGNALED(status):
            return Ending.CRASH, f"its process ended itself (exit code {os.WEXITSTATUS(status)})"
        number = os.WTERMSIG(status)
        if number != signal.SIGKILL:
            return Ending.CRASH, f"its process died by {signal.Signals(number).name}"
        self.was_killed = True
        if self._earlier_kills + 1 >= KILLS_UNTIL_BLAME:
            return Ending.MEMORY, f"killed from outside, {KILLS_UNTIL_BLAME} times in this match: out of memory"
        return Ending.HOST, "a seat was killed from outside"

    def _with_output(self, reason: str) -> str:
        printed = self.output[-_NOTE_BYTES:].strip()
        return f"{reason}\nit printed: {printed}" if printed else reason


_LOCK_SECONDS = 10.0  # CPU time of our own steps before the bot's first line
