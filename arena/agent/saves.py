"""Notices when a bot was saved: its files have other times or sizes than before, and have rested since."""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from arena.agent.files import BotFiles, read_bot
from arena.agent.plain_files import belongs
from arena.errors import BotError

REST = 0.2
"""Seconds that the files must stay as they are: an editor writes in several steps."""
ABSENCE = 1.0
"""Seconds after which a bot that is not there is said to be gone: some editors put a new file in the place of the old one."""

Stamp = tuple[tuple[str, int, int, int, int], ...]
"""The path, inode and size of each file, and when its content and its entry changed, in ns; empty: no file is there."""


class Saved(NamedTuple):
    """A bot as it was saved."""

    files: BotFiles | None
    """The files; None: they are no bot."""
    trouble: str = ""
    """Why they are no bot, with the file and the line; empty if they are one."""


class Saves:
    """Looks at the files of one bot now and then."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.monotonic) -> None:
        """`path`: the bot's file or folder; `clock`: gives seconds."""
        self._path, self._clock = path, clock
        self._seen: Stamp | None = None
        self._since = 0.0
        self._told: Stamp | None = None
        self._content = ""  # SHA-256 of the bot that was told last

    def look(self) -> Saved | None:
        """What was saved since the last time that there was something, the first time what is there; None: nothing new.

        Files that are saved with the same content are nothing new.
        """
        stamp, now = _stamp(self._path), self._clock()
        if stamp != self._seen:
            self._seen, self._since = stamp, now
        if stamp == self._told or now - self._since < (REST if stamp else ABSENCE):
            return None
        saved = self._read() if stamp else Saved(None, f"{self._path}: not there; it is looked for")
        if _stamp(self._path) != stamp:  # it was written while it was read
            return None
        self._told = stamp
        before, self._content = self._content, "" if saved.files is None else saved.files.sha256
        return saved if saved.files is None or self._content != before else None

    def _read(self) -> Saved:
        try:
            return Saved(read_bot(self._path))
        except BotError as error:
            return Saved(None, str(error))


def _stamp(path: Path) -> Stamp:
    files = _files(path) if path.is_dir() else [path]
    found = []
    for file in files:
        try:
            status = file.stat()
        except OSError:  # it went, or is put in place just now
            continue
        found.append((str(file), status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns))
    return tuple(sorted(found))


def _files(folder: Path) -> Iterator[Path]:
    """All files in a folder that may belong to a bot."""
    for here, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if belongs(name)]
        yield from (Path(here, name) for name in names if belongs(name))
