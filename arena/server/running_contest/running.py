"""The contest that a server holds: its file, its marks, and the ladder that plays it in a process of its own.

Whatever ends the ladder, it is started again, where it was, after a longer wait each time it fails at once. It ends when its
input does, so nothing is left behind when the server is killed.

The marks as its page shows them are the frozen ones, or those of some seconds ago. All rows are read for them.
"""

import asyncio
import logging
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from arena.errors import StoreError
from arena.results.inbox import Inbox
from arena.server.child_process import ChildProcess
from arena.server.contest.marks import Marks, frozen_marks, marks_of, without
from arena.server.contest.messages import Begin, Entered, Freeze, FromLadder, LadderState, LookNow, Rated, Said
from arena.server.contest.settings import Contest, read_contest
from arena.server.library import SubmittedBots
from arena.tournament.session import Settings, check_settings

LOG = logging.getLogger("arena.server")
COMMAND = (sys.executable, "-P", "-m", "arena.server.contest.ladder")
FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0
"""Seconds before the ladder is started again; twice as long each time it has ended soon after its start."""
SOON = 120.0
"""A ladder that ran this many seconds has not failed at once."""
FAREWELL_SECONDS = 1.5
"""How long the end of the server waits for the ladder, which then ends by itself when all is written."""
LINES = 100
"""How many lines of the ladder are kept for the organiser."""


class RunningContest:
    """A contest while the server is open. `look` may be called from any thread."""

    def __init__(
        self, file: Path, results: Path, *, address: str | None = None, workers: int | None = None,
        command: Sequence[str] = COMMAND,
    ) -> None:  # fmt: skip
        """Read the contest's file. Raises ConfigError or BotError.

        `address`: of a Ray cluster; None: the ladder plays on this machine, with `workers` processes.
        """
        check_settings(Settings(out=results, address=address, workers=workers))
        self.contest: Contest = read_contest(file, results)
        self.file = file
        self.results = results
        self.folder = results / self.contest.name
        """The folder of the ladder, as of any tournament."""
        self.marks = RecentMarks(self.contest, results)
        self.state = LadderState(doing="starting")
        """What the ladder said last."""
        self.said: deque[str] = deque(maxlen=LINES)
        """The ladder's last lines for the organiser, oldest first."""
        self._begin = Begin(contest=str(file), results=str(results), address=address, workers=workers)
        self._command = tuple(command)
        self._inbox = Inbox(results)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._child: ChildProcess[FromLadder] | None = None
        self._is_ending = False
        self._complaint = ""  # what the terminal said last of a ladder that failed

    @property
    def pid(self) -> int | None:
        """The number of the ladder's process while it runs."""
        return None if self._child is None else self._child.pid

    def look(self) -> None:
        """Tell the ladder that something has changed: a version was accepted or withdrawn."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._tell, LookNow())

    def freeze(self) -> None:
        """Have the marks frozen now."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._tell, Freeze())

    def start(self) -> None:
        """Start the ladder, in the loop that is running."""
        self._loop = asyncio.get_running_loop()
        self._task = self._loop.create_task(self._supervise())

    async def close(self) -> None:
        """Have the ladder stop as Ctrl-C stops a tournament. It ends by itself if that takes long."""
        self._is_ending = True
        if self._task is None:
            return
        if self._child is not None:
            self._child.end()
        await asyncio.wait([self._task], timeout=FAREWELL_SECONDS)
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        self._inbox.close()

    async def _supervise(self) -> None:
        wait = FIRST_WAIT
        while not self._is_ending:
            began = time.monotonic()
            self.state = LadderState(doing="starting", matches=self.state.matches)
            try:
                why = await self._run()
            except OSError as error:
                why = f"cannot be started: {error.strerror}"
            if self._is_ending:
                return
            wait = FIRST_WAIT if time.monotonic() - began > SOON else min(LONGEST_WAIT, 2 * wait)
            text = self.state.text if self.state.doing == "failed" and self.state.text else f"the ladder {why}"
            if text != self._complaint:
                self._complaint = text
                LOG.error("the ladder of the contest %s has failed: %s", self.contest.name, text)
            self.state = LadderState(doing="failed", text=text, matches=self.state.matches)
            self._note(f"the ladder {why}; it starts again in {wait:.0f} s")
            await asyncio.sleep(wait)

    async def _run(self) -> str:
        """Run the ladder's process until it ends; how it ended, in words."""
        decoder: msgspec.json.Decoder[FromLadder] = msgspec.json.Decoder(FromLadder)
        child = self._child = ChildProcess(self._command, decoder, lasting=True, complain=self._note)
        if self._is_ending:
            child.end()
        code = await child.run(self._begin, lambda heard: asyncio.to_thread(self._hear, heard))
        return f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"

    def _hear(self, heard: FromLadder) -> None:
        try:
            match heard:
                case LadderState():
                    self.state = heard
                case Said():
                    self._note(heard.text)
                case Entered():
                    self._inbox.mark_entered(heard.bot, heard.version)
                case Rated():
                    self._inbox.mark_rated(heard.bot, heard.version)
        except StoreError as error:  # it is said again when the ladder starts
            self._note(str(error))

    def _tell(self, message: LookNow | Freeze) -> None:
        if self._child is not None:
            self._child.send(message)

    def _note(self, text: str) -> None:
        self.said.append(text)
        LOG.info("%s", text)


FRESH_SECONDS = 15.0
"""How long marks are shown before they are computed again."""
SHARE = 10.0
"""How many times as long as it took, if that is longer: reading a long ladder shall not keep a core busy."""


class RecentMarks:
    """The marks of one contest. Threads may share it: one computes, the others wait for it."""

    def __init__(self, contest: Contest, results: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._contest, self._folder, self._clock = contest, results / contest.name, clock
        self._submitted = SubmittedBots(results)
        self._lock = threading.Lock()
        self._known: Marks | None = None
        self._until = float("-inf")

    def now(self) -> Marks:
        """The marks, frozen or provisional; a bot that is withdrawn leaves provisional ones at once. Raises StoreError."""
        found = self._computed()
        return found if found.is_frozen else without(found, self._submitted.withdrawn())

    def _computed(self) -> Marks:
        with self._lock:
            if self._known is not None and (self._known.is_frozen or self._clock() < self._until):
                if self._known.is_frozen or (frozen := frozen_marks(self._folder)) is None:
                    return self._known
                self._known = frozen
                return frozen
            began = self._clock()
            self._known = frozen_marks(self._folder) or marks_of(self._contest, self._folder)
            now = self._clock()
            self._until = now + max(FRESH_SECONDS, SHARE * (now - began))
            return self._known
