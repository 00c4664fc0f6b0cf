"""Verbs of the command line as tools: each runs as a process of its own, so what it costs and how it fails is its own.

A long one goes on while its caller is told to ask again: nobody waits longer than clients have patience.
"""

import asyncio
import contextlib
import os
import secrets
import signal
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from arena.errors import ConfigError, printable
from arena.mcp.answers import Refused
from arena.mcp.foreign import marked
from arena.mcp.sessions import PATIENCE
from arena.results_folder import RESULTS_VARIABLE

MOST_RUNNING = 2
"""Commands that run at the same time; the others wait for their turn."""
MOST_KEPT = 16
"""Commands that wait, run, or are done and were not asked for."""
MOST_WAITING = 24
"""Commands that run or wait, those of whoever asks for a page, too."""
KEPT_SECONDS = 1800.0
"""The time for which what a command printed is kept."""
MOST_BYTES = 1 << 20
"""Bytes that are kept of what a command prints."""
LONGEST = 3600.0
"""Seconds after which a command is ended."""
FINE = (0, 1, 3)
"""Exit codes that are answers: yes, no, not decided."""
_COLUMNS = "110"
_COMPLAINT = "arena: "
_LINES = 4  # kept of a traceback


@dataclass
class Job:
    """A command that runs, or is done."""

    words: tuple[str, ...]
    printed: str = ""
    """All that it printed, once it is done."""
    code: int | None = None
    """The exit code, once the command is done."""
    done: asyncio.Event = field(default_factory=asyncio.Event)


class Commands:
    """The commands of a server; a context manager, which ends those that run."""

    def __init__(self, results: Path, folder: Path | None = None) -> None:
        """`results`: the folder of all results; `folder`: where the commands run, None for where the server does."""
        self._results, self._folder = results, folder
        self._jobs: dict[str, Job] = {}
        self._tasks: dict[asyncio.Task[None], Job] = {}
        self._turn = asyncio.Semaphore(MOST_RUNNING)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in self._tasks:
            if not task.cancelling():  # a second time would cut short how it ends its process
                task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def text(self, *words: str) -> str:
        """What a short command prints; one that is asked for again while it runs is not begun twice.

        Raises ConfigError with its message where it fails, or takes too long.
        """
        job = next((one for one in self._tasks.values() if one.words == words), None) or self._started(words)
        await self._wait(job)
        if not job.done.is_set():
            raise ConfigError(f"arena {words[0]}: it takes longer than {PATIENCE:g} s; ask again")
        return self._printed(job)

    async def begun(self, *words: str) -> str:
        """What a command prints; if that takes longer than somebody waits, how to ask for it later."""
        if len(self._jobs) >= MOST_KEPT:
            raise Refused(f"{MOST_KEPT} commands run or were not asked for; ask for one with job first")
        job, handle = self._started(words), secrets.token_urlsafe(6)
        self._jobs[handle] = job
        asyncio.get_running_loop().call_later(LONGEST + KEPT_SECONDS, self._jobs.pop, handle, None)
        return await self.later(handle)

    async def later(self, handle: str) -> str:
        """What a command prints that was begun before. Raises Refused for one that there is not."""
        job = self._jobs.get(handle)
        if job is None:
            raise Refused(f"job: no {printable(handle, 40)!r} here; what was told once is forgotten")
        await self._wait(job)
        if not job.done.is_set():
            return f'arena {job.words[0]} still runs. Call job(job="{handle}"): it waits.'
        self._jobs.pop(handle, None)
        return self._printed(job)

    def _started(self, words: tuple[str, ...]) -> Job:
        """Begin a command, or have it wait for its turn. Raises Refused where too many wait."""
        if len(self._tasks) >= MOST_WAITING:
            raise Refused(f"{MOST_WAITING} commands run or wait here already; try again later")
        job = Job(words)
        task = asyncio.create_task(self._run(job))
        self._tasks[task] = job
        task.add_done_callback(self._tasks.pop)
        return job

    async def _wait(self, job: Job) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                await job.done.wait()

    def _printed(self, job: Job) -> str:
        if job.code not in FINE:
            said = job.printed.strip() or f"arena {job.words[0]} ended with exit code {job.code}"
            raise ConfigError(marked(said))  # a bot's traceback may be in it
        return job.printed.rstrip()

    async def _run(self, job: Job) -> None:
        async with self._turn:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-P", "-m", "arena", *job.words, stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, start_new_session=True, cwd=self._folder,
                env={**os.environ, RESULTS_VARIABLE: str(self._results), "COLUMNS": _COLUMNS, "NO_COLOR": "1"},
            )  # fmt: skip
            try:
                async with asyncio.timeout(LONGEST):
                    out, err = await asyncio.gather(_read(process.stdout), _read(process.stderr))
                    job.code = await process.wait()
                job.printed = out if job.code in FINE else _complaint(err)
            except TimeoutError:
                job.code, job.printed = -1, f"arena {job.words[0]} took longer than {LONGEST:g} s and was ended"
            finally:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
                await process.wait()
                job.done.set()


async def _read(stream: asyncio.StreamReader | None) -> str:
    """All that comes, of which the first MOST_BYTES are kept."""
    assert stream is not None
    kept = bytearray()
    while part := await stream.read(1 << 16):
        kept += part[: MOST_BYTES - len(kept)]
    return kept.decode("utf-8", "replace")


def _complaint(errors: str) -> str:
    """What a command said last that it could not do, without the news before it; of a bug the end of its traceback."""
    _, found, text = f"\n{errors}".rpartition(f"\n{_COMPLAINT}")
    return text.strip() if found else "\n".join(errors.strip().splitlines()[-_LINES:])
