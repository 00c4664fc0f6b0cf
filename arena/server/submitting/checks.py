"""Submissions to the server: the inbox, how much each author may send, and the checks of what comes in.

Two checks side by side, each in a process of its own, from the queue in the site's file. Whatever ends a check early (its
process is killed, the server dies, the disk is full) only puts the submission back into its place. A submission is void after
three checks that failed by the machine's fault. Lives in the event loop.
"""

import asyncio
import contextlib
import logging
import shutil
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import msgspec
from starlette.concurrency import run_in_threadpool

from arena.agent.loading import house_bots
from arena.agent.plain_files import BOT_BYTES
from arena.agent.submissions import Submissions
from arena.errors import StoreError
from arena.results.accounts import Accounts
from arena.results.inbox import AT_ONCE, MOST_ATTEMPTS, MOST_RESTARTS, Inbox, QuotaReached, Sent, State
from arena.results.lock import FolderLock
from arena.results.site_file import HOST, Account
from arena.server.child_process import ChildProcess
from arena.server.contest.checker import UNPACKED
from arena.server.contest.messages import Check, Checked, Checking, FromChecker
from arena.server.contest.settings import Contest, Quotas
from arena.server.limits import Computing
from arena.server.problems import Problem
from arena.server.running_contest.running import RunningContest
from arena.server.visitors import Visitor
from arena.tournament.check_report import refused
from arena.tournament.workers.processes import HASH_SEED

LOG = logging.getLogger("arena.server")
COMMAND = (sys.executable, "-P", "-m", "arena.server.contest.checker")
"""What checks a submission."""
FIRST_SECONDS = 300.0
"""How long a check may take by the clock on the wall at first; one that takes longer begins anew when nobody else waits."""
CHECK_SECONDS = 900.0
"""How long it may take then. What takes longer is refused."""
MOST_SAID = 16 << 20
"""Bytes that a check may say; its report is a small part of that."""
LEAST_FREE = 64 << 20
"""Bytes on the disk below which nothing is checked: an accepted bot could not be stored."""
OUT_OF_MEMORY = "its check took more memory than this machine has for one, twice: its files, or what they make, are too large"
LOOK_SECONDS = 5.0
"""How often to look for submissions that another server of the folder has received, and whether the disk has room again."""
PAUSES = (1.0, 5.0)
"""Seconds before a submission is checked a second and a third time."""


class Checks:
    """Takes submissions from the inbox, one after the other."""

    def __init__(
        self, inbox: Inbox, results: Path, *, contest: Path | None = None, accepted: Callable[[Sent], object] = lambda _: None,
        command: Sequence[str] = COMMAND, seconds: tuple[float, float] = (FIRST_SECONDS, CHECK_SECONDS),
        pauses: Sequence[float] = PAUSES, charge: Callable[[str, float], object] = lambda account, seconds: None,
    ) -> None:  # fmt: skip
        """`contest`: its file, if the server has one; `accepted`: is told of every version that may enter.

        `seconds`: of a check at first, and when it begins anew; `charge`: is told the CPU seconds of an account's check.
        """
        self._charge = charge
        self._inbox, self._results, self._contest = inbox, results, contest
        self._accepted, self._command, self._seconds, self._pauses = accepted, tuple(command), seconds, tuple(pauses)
        self._lock: FolderLock | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._news = asyncio.Event()
        self._turn = asyncio.Lock()
        """Whoever holds it looks for the next submission."""
        self._texts: dict[str, str] = {}
        """How far each check that runs is, in words, by the id of its submission."""
        self.trouble = ""
        """Why nothing is checked at present, in words for people; empty: all is well."""

    def text_of(self, sent: Sent) -> str:
        """Return how far the check of a submission is, in words; empty: it is not checked now, or not here."""
        return self._texts.get(sent.id, "")

    def start(self) -> None:
        """Begin to check."""
        self._tasks = [asyncio.create_task(self._run()) for _ in range(AT_ONCE)]

    def poke(self) -> None:
        """Look at the queue now: something was received."""
        self._news.set()

    async def close(self) -> None:
        """End the checks that run, which are not counted, and all that they have started."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._lock is not None:
            self._lock.__exit__()
            self._lock = None

    async def _run(self) -> None:
        while True:
            try:
                has_checked = await self._one()
            except StoreError as error:
                self._complain(str(error))
                has_checked = False
            except Exception as error:  # a mistake of ours must not end all checks
                LOG.error("checking: %s", error, exc_info=error)
                has_checked = False
            if not has_checked:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(LOOK_SECONDS):
                        await self._news.wait()
            self._news.clear()

    async def _one(self) -> bool:
        """Check the next submission; returns whether there was one that could be checked."""
        async with self._turn:
            if not await run_in_threadpool(self._may_begin):
                return False
            sent = await run_in_threadpool(self._inbox.begin)
            if sent is None:
                return False
            self._texts[sent.id] = ""
        try:
            outcome = await self._outcome(sent)
            if outcome is None:
                self._give_back(sent)
                return True
            ended = await run_in_threadpool(self._ended, sent, outcome)
        except asyncio.CancelledError:
            self._give_back(sent, is_counted=False)
            raise
        except BaseException:
            self._give_back(sent)
            raise
        finally:
            del self._texts[sent.id]
            await asyncio.shield(run_in_threadpool(self._clear, sent))
            self._news.set()  # another one of the account may begin
        if ended is None:
            await asyncio.sleep(self._pauses[min(sent.attempts, len(self._pauses)) - 1])
        elif ended.state is State.ACCEPTED:
            self._accepted(ended)
        return True

    def _may_begin(self) -> bool:
        """Return whether a check may begin here now. Raises StoreError."""
        if not self._inbox.path.exists() or not self._inbox.pending():
            return False
        if self._lock is None:
            lock = FolderLock(self._inbox.folder)
            try:
                lock.__enter__()
            except StoreError:
                return False  # another server of this folder checks
            self._lock = lock
            self._inbox.sweep()
        self._recover()
        free = shutil.disk_usage(self._inbox.folder).free
        if free < LEAST_FREE:
            self._complain(f"the disk is nearly full ({free >> 20} MiB are free): checks wait until there is room")
            return False
        self.trouble = ""
        return True

    def _recover(self) -> None:
        """Put back what a server that died was checking, and what could not be noted as it should. Raises StoreError."""
        for sent in self._inbox.interrupted():
            if sent.id in self._texts:
                continue  # it is checked now
            if sent.attempts >= MOST_RESTARTS:
                self._void(sent, f"its check was cut short {sent.attempts} times")
            else:
                self._inbox.give_back(sent)

    async def _outcome(self, sent: Sent) -> Checked | None:
        """The outcome of a check; None: it takes long, and others come first. One that was cut short: trouble."""
        said: list[Checked] = []

        def hear(message: FromChecker) -> None:
            if isinstance(message, Checking):
                self._texts[sent.id] = message.text
            else:
                said.append(message)

        decoder: msgspec.json.Decoder[FromChecker] = msgspec.json.Decoder(FromChecker)
        child = ChildProcess(self._command, decoder, most_heard=MOST_SAID, environment=HASH_SEED)
        child.spent = partial(self._charge, sent.account)
        contest = None if self._contest is None else str(self._contest)
        asked = Check(
            submission=sent.id, bot=sent.bot, file=str(self._inbox.path_of(sent)), results=str(self._results), contest=contest
        )
        is_first = sent.attempts == 1
        seconds = self._seconds[0 if is_first else 1]
        try:
            async with asyncio.timeout(seconds):
                await child.run(asked, hear)
        except TimeoutError:
            if is_first and not said:
                return None
            reason = (
                f"too slow to take part: its check was stopped after {seconds / 60:g} minutes, so that others can be checked"
            )
            return said[-1] if said else Checked(report=refused(sent.bot, f"{reason}. It has to decide faster"))
        except OSError as error:
            return Checked(report=None, trouble=f"the check could not be started: {error.strerror}")
        if said:
            return said[-1]
        LOG.error("the check of %s was cut short: %s", sent.id, child.errors)
        return Checked(report=None, trouble="the check was cut short", ran_out=child.ran_out)

    def _ended(self, sent: Sent, outcome: Checked) -> Sent | None:
        """Note how a check has ended; None: it is to be checked again. Raises StoreError."""
        if outcome.ran_out and sent.attempts > 1:
            outcome = Checked(report=refused(sent.bot, OUT_OF_MEMORY))
        if outcome.report is None:
            LOG.error("the machine failed the check of %s: %s", sent.id, outcome.trouble)
            if sent.attempts < MOST_ATTEMPTS:
                self._inbox.give_back(sent)
                return None
            return self._void(sent, outcome.trouble)
        sha256 = outcome.report.sha256 or None
        if outcome.version is None:
            return self._inbox.end(sent, State.REFUSED, msgspec.json.encode(outcome), sha256=sha256)
        if sent.attempts > 1 and self._inbox.of_version(sent.bot, outcome.version) is None:
            outcome = msgspec.structs.replace(
                outcome, is_new=True
            )  # an earlier check of this one was killed after it was stored
        return self._inbox.end(
            sent, State.ACCEPTED, msgspec.json.encode(outcome), sha256=sha256, version=outcome.version
        )  # fmt: skip

    def _void(self, sent: Sent, trouble: str) -> Sent:
        return self._inbox.end(sent, State.VOID, msgspec.json.encode(Checked(report=None, trouble=trouble)))

    def _give_back(self, sent: Sent, *, is_counted: bool = True) -> None:
        with contextlib.suppress(StoreError):  # then it is found as interrupted at the next start
            self._inbox.give_back(sent, is_counted=is_counted)

    def _clear(self, sent: Sent) -> None:
        path = self._inbox.path_of(sent)
        shutil.rmtree(path.with_name(path.name + UNPACKED), ignore_errors=True)

    def _complain(self, trouble: str) -> None:
        if trouble != self.trouble:
            LOG.error("checking: %s", trouble)
        self.trouble = trouble


class Submitting:
    """What all handlers of submissions share."""

    def __init__(
        self, results: Path, accounts: Accounts, contest: RunningContest | None = None, *, command: Sequence[str] = COMMAND
    ) -> None:
        """`command`: what checks a submission."""
        self.inbox, self.store = Inbox(results), Submissions(results)
        self._accounts, self._running = accounts, contest
        file = None if contest is None else contest.file
        self.computing = Computing((Quotas() if self.contest is None else self.contest.quotas).cpu_seconds)
        self.checks = Checks(
            self.inbox, results, contest=file, accepted=self._accepted, command=command, charge=self.computing.charge
        )  # fmt: skip

    @property
    def contest(self) -> Contest | None:
        """The contest of the server; None: it has none."""
        return None if self._running is None else self._running.contest

    def quotas_of(self, account: Account) -> Quotas | None:
        """Return how much an account may send; None: as much as it likes."""
        if account.is_organiser:
            return None
        return Quotas() if self.contest is None else self.contest.quotas

    def most_bytes(self, account: Account) -> int:
        """The most bytes of one submission of an account."""
        quotas = self.quotas_of(account)
        return BOT_BYTES if quotas is None else quotas.bytes

    def seconds_to_wait(self, account: Account) -> int:
        """Return how long an account has to wait before it may send anything; 0: it may at once. Raises StoreError."""
        quotas = self.quotas_of(account)
        if quotas is None:
            return 0
        try:
            self.inbox.check_quotas(account.id, quotas.versions_a_day, quotas.pending)
        except QuotaReached as reached:
            return reached.seconds
        return 0

    def is_taken(self, name: str) -> bool:
        """Return whether a bot of this name is known, but not by the inbox: shipped, for reference, or sent in a terminal."""
        if name in house_bots() or (self.contest is not None and name in self.contest.reference_bots):
            return True
        return self.inbox.owner_of(name) is None and bool(self.store.versions(name))

    def names(self) -> dict[str, str]:
        """The names of all accounts by their ids, for organisers."""
        return {HOST.id: HOST.name} | {member.account.id: member.account.name for member in self._accounts.members()}

    async def close(self) -> None:
        """End the check that runs, and close the file."""
        await self.checks.close()
        self.inbox.close()

    def _accepted(self, _sent: Sent) -> None:
        if self._running is not None:
            self._running.look()


def author_of(visitor: Visitor) -> Account:
    """The account of somebody who may submit bots. Raises Problem."""
    if visitor.account is None or not visitor.is_author:
        raise Problem(403, "submit_no_author")
    return visitor.account
