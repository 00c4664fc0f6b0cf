"""Seats for command bots: the program of an untrusted one in a locked child, that of a trusted one as a plain process.

Both read and write JSON lines, with the clock and the protocol of every command bot. A trusted program has the same user, and
no lock or memory limit. It may start processes of its own: their CPU time is not counted, and they are killed with it unless
they leave its group.
"""

import contextlib
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from arena.agent import BotFiles, EndInfo, StartInfo, unpack
from arena.agent.command_bot import CommandBot
from arena.agent.view import View, read_notes
from arena.errors import BotError
from arena.match import Answer, Fault, Spent, protocol, seconds_of_match
from arena.match.sandbox import wire
from arena.match.sandbox.child import Child, Trouble
from arena.match.sandbox.held import END_SECONDS, LOCK_SECONDS, HeldSeat, signal_name
from arena.match.sandbox.levels import PROCESS
from arena.match.sandbox.program import Executable, find
from arena.match.sandbox.supervisor import Supervisor
from arena.match.sandbox.wire import Pipes
from arena.records import DEFAULT_LIMITS, Ending, Limits


class CommandSeat(HeldSeat):
    """Runs a command bot's program in a locked child of the supervisor's zygote. A context manager; implements match.Seat."""

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
        """Prepare the seat; see HeldSeat. `limits.memory` is what the program may fill, not what it may reserve."""
        super().__init__(supervisor, bot, seed=seed, params=params, limits=limits, earlier_kills=earlier_kills)
        self._command = command_of(bot)
        self.wants_forced = self._command.wants_forced

    def start(self, info: StartInfo) -> Fault | None:
        """Run the program, and wait until it says that it is ready."""
        try:
            self._child = child = self._launched()
            self._hear(child)
            self._id = self._new_id()
            self.has_begun = True
            self._request(child, self._line(self._greeting(info)))
            self._limit = info.clock.start
            spent, self.spent = self.spent, Spent()  # the start has a limit of its own
            ready, _ = self._replied(protocol.Ready)
            spent.asleep_around += child.asleep
            self.spent = spent
            if not ready.ok:
                raise Trouble(Ending.STARTUP, "says that it is not ready")
            child.refuse_names()
        except Trouble as trouble:
            fault = self._failed(trouble)
            return fault if fault.ending in (Ending.HOST, Ending.MEMORY) else replace(fault, ending=Ending.STARTUP)
        self._match_seconds = seconds_of_match(info.clock)
        return None

    def ask(self, view: View) -> None:
        """Send the decision: the bot works from now on."""
        if self._fault is not None:
            return
        self._id = self._new_id()
        self._limit = view.clock.move + view.clock.bank
        question = protocol.Act(
            id=self._id, position=view.position, legal=view.legal, events=view.events, clock=view.clock
        )  # fmt: skip
        self._tell(question)

    def answer(self) -> Answer | Fault:
        """Wait for the bot's reply. It costs the CPU time of all its threads since the last reply."""
        if self._fault is not None:
            return self._fault
        try:
            choice, used = self._replied(protocol.Choice)
        except Trouble as trouble:
            return self._failed(trouble)
        if self._listens:
            self._notes = read_notes(choice.notes)
        return self._answer(choice.action, used)

    def end(self, result: EndInfo) -> None:
        """Tell the bot how the match ended, and give it a moment to exit. Nothing that it does now can change the result."""
        if self._fault is not None or self._child is None:
            return
        _ = self.memory_peak  # the last chance to look
        self._id = self._new_id()
        self._tell(protocol.End(id=self._id, places=list(result.places), scores=list(result.scores)))
        if self._fault is None:
            self._child.end_input()
            self._child.has_ended(END_SECONDS)

    def close(self) -> None:
        """Kill the bot's process, if it still runs, and without a lock what it may have started."""
        if self._child is not None and self._child.is_open and self._isolation == PROCESS:
            with contextlib.suppress(OSError):
                os.killpg(self._child.pid, signal.SIGKILL)
        super().close()

    def _launched(self) -> Child:
        """A locked child that has become the program. Raises Trouble."""
        folder = self._supervisor.path(self._bot)
        program = self._found(folder)
        self._isolation = self._supervisor.level
        to_program, to_host = os.pipe(), os.pipe()
        handle = os.open(program.path, os.O_RDONLY | os.O_CLOEXEC)
        theirs = (to_program[0], to_host[1], handle)
        pipes = Pipes(to_host[0], to_program[1])
        try:
            self._child = child = self._supervisor.spawn(*theirs)
        except BaseException:
            pipes.close()
            raise
        finally:
            for number in theirs:
                os.close(number)
        try:
            self._lock(child, program)
            child.hand_over(pipes, protocol.Lines(), LOCK_SECONDS)
        except Trouble as trouble:
            pipes.close()
            raise Trouble(Ending.HOST, f"a seat could not be locked: {trouble.reason} {child.output}".strip()) from None
        self._supervisor.watch.add(child, self._limits)
        return child

    def _lock(self, child: Child, program: Executable) -> None:
        bot = wire.Bot(
            folder=self._supervisor.folder(self._bot), main=self._bot.main, limits=self._limits,
            command=(str(program.path), *self._command.command[1:]), loader=program.system_loader, is_public=program.is_public,
        )  # fmt: skip
        child.send(wire.frame(bot))
        child.take_gate()
        locked = child.receive(0.0, LOCK_SECONDS, decode=wire.decode_reply, beyond_is=Ending.HOST, is_last=False)
        if not isinstance(locked, wire.Locked):
            raise Trouble(Ending.HOST, "another message than that it is locked")
        self._cpu = child.cpu()

    def _found(self, folder: Path) -> Executable:
        try:
            return find(self._command, folder)
        except BotError as error:  # it was there when the bots were admitted: another machine, which lacks it
            raise Trouble(Ending.HOST, str(error)) from None

    def _greeting(self, info: StartInfo) -> protocol.Start:
        return protocol.Start(
            id=self._id, protocol=protocol.VERSION, game=info.game, options=info.options, seats=info.seats, seat=info.seat,
            seed=f"{self._seed:032x}", clock=info.clock, params=self._params,
        )  # fmt: skip

    def _replied(self, kind: type[protocol.R]) -> tuple[protocol.R, float]:
        """The bot's reply to the last request, and its CPU seconds since the one before. Raises Trouble."""
        assert self._child is not None
        reply, used = self._reply(self._child, partial(protocol.decode, kind=kind))
        if reply.id != self._id:
            raise Trouble(Ending.PROTOCOL, "a reply to another request than the last one")
        return reply, used

    def _tell(self, message: protocol.Request) -> None:
        assert self._child is not None
        try:
            self._request(self._child, self._line(message))
        except Trouble as trouble:
            self._failed(trouble)

    def _line(self, message: protocol.Request) -> bytes:
        try:
            return protocol.line(message)
        except ValueError as error:
            raise Trouble(Ending.HOST, str(error)) from None

    def _new_id(self) -> int:
        return self._ids.randrange(1, protocol.LARGEST_ID)


def command_of(bot: BotFiles) -> CommandBot:
    """The content of a command bot's bot.toml."""
    command = bot.command
    assert command is not None, f"{bot.main} is no command bot"
    return command


class OpenCommandSeat(CommandSeat):
    """Runs a command bot's program for an organiser who trusts it. A context manager; implements match.Seat."""

    def __init__(self, bot: BotFiles, *, seed: int, params: Mapping[str, Any]) -> None:
        nobody = Supervisor(())  # its zygote is never started, so nothing is locked and nothing limited
        super().__init__(nobody, bot, seed=seed, params=params, limits=DEFAULT_LIMITS)
        self.asks_outside = self._command.asks_outside
        """Whether the bot says that it asks something outside itself: the program of a locked seat cannot."""

    @property
    def isolation(self) -> str:
        """The isolation level of the bot."""
        return PROCESS

    def close(self) -> None:
        """Kill the bot's process, if it still runs."""
        if self._child is not None and self._child.is_open:
            self._supervisor.turns.remove(self._child)
            self._child.close()

    def _sleep_left(self) -> float:
        return math.inf  # its own processes may compute meanwhile

    def _launched(self) -> Child:
        folder = unpack(self._bot)
        program = self._found(folder)
        process = subprocess.Popen(
            [str(program.path), *self._command.command[1:]], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
        return OpenChild(process)

    def _cause_of_death(self, child: Child) -> tuple[Ending, str, str]:
        assert isinstance(child, OpenChild)
        code = child.exit_code()
        if code >= 0:
            return Ending.CRASH, f"its process ended itself (exit code {code})", f"exit code {code}"
        name = signal_name(-code)
        return Ending.CRASH, f"its process died by {name}", name


class OpenChild(Child):
    """A process that was started here; killed by `close` at the latest, with its group."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process
        self._began = time.perf_counter()
        assert process.stdin and process.stdout and process.stderr
        numbers = [os.dup(file.fileno()) for file in (process.stdout, process.stdin, process.stderr)]
        for file in (process.stdin, process.stdout, process.stderr):
            file.close()
        os.set_blocking(numbers[2], False)
        pipes = Pipes(numbers[0], numbers[1])
        super().__init__(process.pid, os.open(os.devnull, os.O_RDONLY), pipes, numbers[2])
        self.use(pipes, protocol.Lines())

    def cpu(self) -> float:
        """CPU seconds that it has used; wall time where the system does not tell."""
        if sys.platform != "linux":
            return time.perf_counter() - self._began
        return super().cpu()

    def kill(self) -> None:
        """End it and its group at once."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)

    def has_ended(self, seconds: float = 0.0) -> bool:
        """Return whether the process is over, waiting for that at most `seconds`.

        It is not buried yet: its clock can be read.
        """
        if not hasattr(os, "waitid"):
            return self._process.poll() is not None
        deadline = time.monotonic() + seconds
        while os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            if time.monotonic() >= deadline:
                return False
            time.sleep(_LOOK_SECONDS)
        return True

    def exit_code(self) -> int:
        """The exit code of the ended process, as subprocess gives it."""
        return self._process.wait()

    def close(self) -> None:
        """Kill it, bury it, and give the descriptors back."""
        super().close()
        self._process.wait()


_LOOK_SECONDS = 0.002
