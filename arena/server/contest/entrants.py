"""Who plays the ladder of a contest: its reference bots, and of each submitted bot the newest version and the one before;
and how a bot leaves: what was sent before, and waits or is checked, does not bring it back.
"""

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

import msgspec

from arena.agent.submissions import FOLDER, Submission, Submissions
from arena.errors import StoreError
from arena.results.inbox import Inbox
from arena.server.contest.messages import Checked
from arena.server.contest.settings import Contest
from arena.tournament.check_report import refused
from arena.tournament.config import Bot

WITHDRAWN = "the bot was withdrawn before this was checked"


@contextlib.contextmanager
def dropped(inbox: Inbox, bot: str, why: str) -> Iterator[None]:
    """Refuse what waits or is checked under the name of a bot, together with what is done within. Raises StoreError."""
    with inbox.dropping(bot, msgspec.json.encode(Checked(report=refused(bot, why)))):
        yield


@contextlib.contextmanager
def dropped_in(results: Path, bot: str) -> Iterator[None]:
    """The same for a command that takes a bot out of a results folder, which may belong to a server. Raises StoreError."""
    inbox = Inbox(results)
    try:
        with dropped(inbox, bot, WITHDRAWN) if inbox.path.exists() else contextlib.nullcontext():
            yield
    finally:
        inbox.close()


class Entrants:
    """The submitted bots of a results folder as the ladder reads them again and again: what it knows already is not read again.

    A version never changes, so its files are read once.
    """

    def __init__(self, contest: Contest, results: Path, say: Callable[[str], None]) -> None:
        """`say`: is told once of each bot that cannot take part, and why."""
        self._contest, self._say = contest, say
        self._submissions, self._inbox = Submissions(results), Inbox(results)
        self._versions_folder = results / FOLDER / "versions"
        self._bots: dict[tuple[str, int], Bot] = {}
        self._names: dict[str, tuple[int, tuple[Submission, ...]]] = {}
        self._told: set[str] = set()
        self.declared: dict[str, tuple[str, ...]] = {}
        """The games that each submitted bot declared when it was checked, by content hash: nobody has to ask it again."""
        self.left_out = self._inbox.left_out()
        """The versions that take part no more because they slept while others waited for them."""

    def mark(self) -> Mapping[str, int]:
        """A value that differs from the one before when a version was submitted or a bot was withdrawn: cheap to ask for."""
        found: dict[str, int] = {}
        with contextlib.suppress(OSError), os.scandir(self._versions_folder) as names:
            for entry in names:
                with contextlib.suppress(OSError):
                    found[entry.name] = entry.stat().st_mtime_ns
        return MappingProxyType(found)

    def withdrawn(self) -> set[str]:
        """The names of the submitted bots that are withdrawn now. Raises StoreError."""
        return {name for name in self.mark() if self._submissions.withdrawal(name) is not None}

    def owners(self) -> dict[str, str]:
        """The owner of each submitted bot that has one. Raises StoreError."""
        return self._inbox.owners()

    def leave_out(self, bot: tuple[str, int], asleep: float) -> None:
        """Let a version that has slept for so many seconds take part no more, in this run of the server and in later ones."""
        self.left_out.add(bot)
        try:
            self._inbox.leave_out(*bot, asleep)
        except StoreError as error:
            self._tell(f"{bot[0]}@{bot[1]} takes part again when the server is started anew: {error}")

    def bots(self) -> list[Bot]:
        """The versions that take part, bot by bot, oldest version first. Raises StoreError."""
        found = []
        for name, changed in sorted(self.mark().items()):
            for version in self._chosen(name, changed):
                if (name, version.version) in self.left_out:
                    continue
                with self._telling(name):
                    found.append(self._bot(version))
        return found

    def _chosen(self, name: str, changed: int) -> tuple[Submission, ...]:
        """The versions of a bot that take part; read again only if its folder has changed."""
        known = self._names.get(name)
        if known is not None and known[0] == changed:
            return known[1]
        chosen: tuple[Submission, ...] = ()
        if name in self._contest.reference_bots:
            self._tell(f"{name}: submitted under the name of a reference bot: it does not take part")
        else:
            with self._telling(name):
                versions = self._submissions.versions(name)
                if versions and self._submissions.withdrawal(name) is None:
                    chosen = tuple(version for version in versions[-2:] if self._plays(version))
        self._names[name] = (changed, chosen)
        return chosen

    def _plays(self, version: Submission) -> bool:
        return not version.games or any(game.game in version.games for game in self._contest.games)

    def _bot(self, version: Submission) -> Bot:
        key = (version.name, version.version)
        if key not in self._bots:
            files = self._submissions.files(version)
            self.declared[files.sha256] = version.games
            self._bots[key] = Bot(version.name, Path(version.reference), files, {}, False, None, version.version)
        return self._bots[key]

    @contextlib.contextmanager
    def _telling(self, name: str) -> Iterator[None]:
        """Leave out a bot whose files are damaged."""
        try:
            yield
        except StoreError as error:
            self._tell(f"{name} does not take part: {error}")

    def _tell(self, text: str) -> None:
        if text not in self._told:
            self._told.add(text)
            self._say(text)
