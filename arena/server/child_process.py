"""A child process of the server: JSON lines over its pipes. Whatever happens to it, the server goes on."""

import asyncio
import contextlib
import logging
import os
import signal
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Generic, TypeVar

import msgspec

from arena.match.sandbox import memory_kills
from arena.server import limits
from arena.server.limits import cpu_seconds

LOG = logging.getLogger("arena.server")
OWN_WORDS = "arena: "
"""How a line begins that is for whoever runs the server, such as that compiled code was damaged."""
LONGEST_LINE = 8 << 20
"""Bytes of a line of the process: an evaluation over a long match is the longest."""
MOST_UNREAD = 1 << 20
"""Bytes that may wait for the process. One that reads no more is ended."""
ERROR_LINES = 40
"""Lines of the process's error output that are kept for the log of the server."""
COUNT_SECONDS = 2.0
"""How often it is looked how much CPU time it has used."""
START_SECONDS = 1.0
"""CPU seconds that its start takes, about."""
FAREWELL_SECONDS = 0.5
"""How long a process that is not `lasting` may take to end by itself."""

H = TypeVar("H")


class ChildProcess(Generic[H]):
    """One child process, in a process group of its own, with limits of memory."""

    def __init__(
        self, command: Sequence[str], heard: msgspec.json.Decoder[H], *, most_heard: int | None = None,
        environment: Mapping[str, str] = MappingProxyType({}), lasting: bool = False,
        complain: Callable[[str], object] = lambda line: None,
    ) -> None:  # fmt: skip
        """`heard`: reads what the process says; `most_heard`: bytes after which it is ended; None: any number.

        `environment`: variables beside those of the server. `lasting`: a process that was told to end takes the time that it
        needs, even if that is longer than the server is there. `complain`: is told each line of the error output, and what was
        wrong with what the process said.
        """
        self._command = tuple(command)
        self._heard, self._most_heard, self._environment = heard, most_heard, dict(environment)
        self._is_lasting, self._complain = lasting, complain
        self._process: asyncio.subprocess.Process | None = None
        self._errors: deque[str] = deque(maxlen=ERROR_LINES)
        self._early: list[msgspec.Struct] = []
        """What was said before the process was there."""
        self._is_ending = False
        self.spent: Callable[[float], object] = lambda seconds: None
        """Is told, while the process runs, how many CPU seconds it and all that it has started have used since it was told."""
        self._counted = 0.0
        self.ran_out = False
        """Whether it ended because it took more memory than there was."""

    @property
    def pid(self) -> int | None:
        """The number of the process while it runs."""
        return self._process.pid if self._process is not None and self._process.returncode is None else None

    @property
    def errors(self) -> str:
        """The last lines of its error output."""
        return "\n".join(self._errors)

    async def run(self, setup: msgspec.Struct, hear: Callable[[H], Awaitable[None] | None]) -> int:
        """Run until the process ends, telling `hear` what it says; return its exit code. Raises OSError.

        `setup`: the first thing that it is told. Afterwards nothing of the process is left, unless it is `lasting`, was told to
        end, and this task was cancelled.
        """
        self._process = await asyncio.create_subprocess_exec(
            *self._command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            start_new_session=True, limit=LONGEST_LINE, env={**os.environ, **self._environment},
        )  # fmt: skip
        group, kills = limits.bound_memory(self._process.pid), memory_kills()
        errors = asyncio.create_task(self._read_errors(self._process))
        counting = asyncio.create_task(self._count_on())
        try:
            for message in (setup, *self._early):
                self._write(message)
            if self._is_ending:  # it was told to end before it had begun
                self.end()
            await self._listen(self._process, hear)
            if not self._is_lasting:
                self._kill()
            return await self._process.wait()
        finally:
            counting.cancel()
            self._count()
            if not (self._is_lasting and self._is_ending and self._process.returncode is None):
                self._kill()
                was_killed = await self._process.wait() == -signal.SIGKILL
                self.ran_out = was_killed and (memory_kills() > kills or (group is not None and group.ran_out))
                if group is not None:
                    group.remove()
            errors.cancel()
            await asyncio.gather(errors, counting, return_exceptions=True)

    def send(self, message: msgspec.Struct) -> None:
        """Tell the process something; nothing happens if it has ended."""
        if self._process is None:
            self._early.append(message)
        elif not self._is_ending:
            self._write(message)

    def end(self) -> None:
        """Close its input, which ends it at once; kill it if it does not."""
        self._is_ending = True
        if self._process is not None and self._process.returncode is None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            if not self._is_lasting:
                asyncio.get_running_loop().call_later(FAREWELL_SECONDS, self._kill)

    def _write(self, message: msgspec.Struct) -> None:
        if self._process is None or self._process.returncode is not None:
            return
        assert self._process.stdin is not None
        pipe = self._process.stdin
        if pipe.transport.get_write_buffer_size() > MOST_UNREAD:
            self._kill()
        elif not pipe.is_closing():
            pipe.write(msgspec.json.encode(message) + b"\n")

    async def _listen(self, process: asyncio.subprocess.Process, hear: Callable[[H], Awaitable[None] | None]) -> None:
        assert process.stdout is not None
        total = 0
        while True:
            try:
                line = await process.stdout.readline()
                if not line:
                    return
                total += len(line)
                if self._most_heard is not None and total > self._most_heard:
                    self._note(f"it said more than {self._most_heard:,} bytes")
                    break
                heard = self._heard.decode(line)
            except (ValueError, msgspec.DecodeError) as error:  # the first: a line that is too long
                self._note(f"it said what the server does not understand: {error}")
                break
            if (heard_on := hear(heard)) is not None:
                await heard_on
        self._kill()

    async def _read_errors(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        while part := await process.stderr.read(1 << 14):
            for line in part.decode("utf-8", "replace").splitlines():
                self._note(line)

    def _note(self, line: str) -> None:
        self._errors.append(line)
        self._complain(line)
        if line.startswith(OWN_WORDS):
            LOG.warning("%s", line)

    async def _count_on(self) -> None:
        self.spent(START_SECONDS)  # of what lives too shortly to be seen
        self._counted = START_SECONDS
        while True:
            await asyncio.sleep(COUNT_SECONDS)
            self._count()

    def _count(self) -> None:
        if self.pid is not None and (now := cpu_seconds(self.pid)) > self._counted:
            self.spent(now - self._counted)
            self._counted = now

    def _kill(self) -> None:
        """Kill the whole group: what the process has started goes with it."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
