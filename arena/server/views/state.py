"""How far a tournament is, for all pages that say so."""

from pathlib import Path

import msgspec

from arena.records import Ending
from arena.results.journal import JOURNAL_FILE
from arena.results.lock import LOCK_FILE, running_process
from arena.results.manifest import MANIFEST_FILE
from arena.results.status import Status, read_status
from arena.server.library import Library


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """How far a tournament is."""

    state: str
    """`starting`, `running`, `stopped`, `finished` or `unreadable`."""
    is_running: bool
    done: int
    """Matches with a result."""
    total: int
    """Matches to play; 0 before it is known."""
    void: int
    """Matches that the host could not finish."""
    endings: dict[Ending, int]
    """How many seats ended in each way."""
    rate: float | None
    """Matches per second of the newest run."""
    seconds_left: float | None
    """What the rest takes at this rate; None if nobody is playing."""


UNREADABLE = Progress(
    state="unreadable", is_running=False, done=0, total=0, void=0, endings={}, rate=None, seconds_left=None
)  # fmt: skip
"""The progress of a tournament whose files are damaged."""


def progress_of(library: Library, name: str, folder: Path) -> Progress:
    """Return how far a tournament is. Read anew while it is played; kept after that. Raises StoreError."""
    if running_process(folder) is not None:
        return progress(read_status(folder))
    files = (MANIFEST_FILE, JOURNAL_FILE, f"{JOURNAL_FILE}-wal", LOCK_FILE)
    return library.kept(("progress", name), folder, lambda: progress(read_status(folder)), files)


def progress(found: Status) -> Progress:
    """A status as pages show it."""
    is_running = found.process is not None
    state = "running" if found.total else "starting"
    return Progress(
        state="finished" if found.is_finished else state if is_running else "stopped", is_running=is_running, done=found.done,
        total=found.total, void=found.void, endings=found.endings, rate=found.rate, seconds_left=found.seconds_left,
    )  # fmt: skip
