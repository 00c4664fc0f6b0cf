"""A seat for a trusted command bot: its program as a plain process of the same user, without lock or memory limit.

Its clock and the protocol are those of every command bot. It may start processes of its own: their CPU time is not counted,
and they are killed with it unless they leave its group.
"""

import contextlib
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import Any

from arena.agent import BotFiles, unpack
from arena.match import protocol
from arena.match.sandbox.channel import Pipes
from arena.match.sandbox.child import Child
from arena.match.sandbox.command_seat import CommandSeat
from arena.match.sandbox.held import signal_name
from arena.match.sandbox.keeper import Keeper
from arena.match.sandbox.levels import PROCESS
from arena.records import DEFAULT_LIMITS, Ending


class OpenCommandSeat(CommandSeat):
    """Runs a command bot's program for an organiser who trusts it. A context manager; implements match.Seat."""

    def __init__(self, bot: BotFiles, *, seed: int, params: Mapping[str, Any]) -> None:
        nobody = Keeper(())  # its zygote is never started, so nothing is locked and nothing limited
        super().__init__(nobody, bot, seed=seed, params=params, limits=DEFAULT_LIMITS)

    @property
    def isolation(self) -> str:
        """The isolation level of the bot."""
        return PROCESS

    def close(self) -> None:
        """Kill the bot's process, if it still runs."""
        if self._child is not None and self._child.is_open:
            self._keeper.turns.remove(self._child)
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
        """Whether the process is over, waiting for that at most `seconds`. It is not buried yet: its clock can be read."""
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
