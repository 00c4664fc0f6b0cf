"""The submitted bots as pages need them, at once: the files of a bot are read again only after its folder has changed."""

import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from arena.agent.submissions import Submission, Submissions, Withdrawal
from arena.errors import StoreError


@dataclass(frozen=True)
class SubmittedBot:
    """A submitted bot."""

    versions: tuple[Submission, ...]
    """The versions, oldest first."""
    withdrawal: Withdrawal | None
    """Why it plays no new tournaments; None if it does."""
    trouble: str = ""
    """Why its versions cannot be read; empty if they can."""


class SubmittedBots:
    """All submitted bots of a results folder. Threads may share it."""

    def __init__(self, results: Path) -> None:
        self._store = Submissions(results)
        self._known: dict[str, tuple[tuple[int, int], SubmittedBot]] = {}
        self._lock = threading.Lock()

    def all(self) -> Mapping[str, SubmittedBot]:
        """Every submitted bot by its name, sorted. A bot whose files are damaged has no versions, and says why."""
        stamps = self._stamps()
        with self._lock:
            self._known = {
                name: known
                if (known := self._known.get(name)) is not None and known[0] == stamps[name]
                else (stamps[name], self._read(name))
                for name in sorted(stamps)
            }
            return {name: bot for name, (_, bot) in self._known.items() if bot.versions or bot.trouble}

    def of(self, name: str) -> SubmittedBot | None:
        """One submitted bot; None: there is none of this name. Raises StoreError for damaged files."""
        found = self._read(name)
        if found.trouble:
            raise StoreError(found.trouble)
        return found if found.versions else None

    def _stamps(self) -> dict[str, tuple[int, int]]:
        """When the folder of each bot was last changed: every version, and every withdrawal, is a new file there."""
        try:
            with os.scandir(self._store.folder / "versions") as entries:
                found = {entry.name: entry.stat() for entry in entries if entry.is_dir()}
        except OSError:
            return {}
        return {name: (one.st_mtime_ns, one.st_ino) for name, one in found.items()}

    def _read(self, name: str) -> SubmittedBot:
        try:
            versions = tuple(self._store.versions(name))
            return SubmittedBot(versions, self._store.withdrawal(name) if versions else None)
        except (StoreError, OSError) as error:
            return SubmittedBot((), None, str(error))
