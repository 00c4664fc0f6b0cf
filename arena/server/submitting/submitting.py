"""Submitting to the hall: the inbox, the checks of what comes in, and how much each author may send."""

from collections.abc import Sequence
from pathlib import Path

from arena.agent.naming import house_bots
from arena.agent.plain_files import BOT_BYTES
from arena.agent.submissions import Submissions
from arena.results.account_rows import HOST, Account
from arena.results.accounts import Accounts
from arena.results.inbox import Inbox, QuotaReached, Sent
from arena.server.computing import Computing
from arena.server.contest.settings import Contest, Quotas
from arena.server.problems import Problem
from arena.server.running_contest.running import RunningContest
from arena.server.submitting.checks import COMMAND, Checks
from arena.server.visitors import Visitor


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
        """The contest of the hall; None: it has none."""
        return None if self._running is None else self._running.contest

    def quotas_of(self, account: Account) -> Quotas | None:
        """How much an account may send; None: as much as it likes."""
        if account.is_organiser:
            return None
        return Quotas() if self.contest is None else self.contest.quotas

    def most_bytes(self, account: Account) -> int:
        """The most bytes of one submission of an account."""
        quotas = self.quotas_of(account)
        return BOT_BYTES if quotas is None else quotas.bytes

    def seconds_to_wait(self, account: Account) -> int:
        """How long an account has to wait before it may send anything; 0: it may at once. Raises StoreError."""
        quotas = self.quotas_of(account)
        if quotas is None:
            return 0
        try:
            self.inbox.check_quotas(account.id, quotas.versions_a_day, quotas.pending)
        except QuotaReached as reached:
            return reached.seconds
        return 0

    def is_taken(self, name: str) -> bool:
        """Whether a bot of this name is known otherwise than by the inbox: shipped, of the staff, submitted in a terminal."""
        if name in house_bots() or (self.contest is not None and name in self.contest.staff):
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
