"""The board of a tournament that is being played: read from its journal beside the run, only what is new each time."""

import contextlib
import threading
from collections import OrderedDict, deque
from pathlib import Path

import msgspec

from arena.errors import StoreError
from arena.ratings.rows import Bot
from arena.ratings.settings import RatingSettings
from arena.ratings.stored import stored_field, stored_settings
from arena.records import Outcome
from arena.report.selection.boards import chosen_pools
from arena.site.live.order import OrderedRatings
from arena.site.views.state import Progress, progress
from arena.site.views.tables import BoardRow, board_rows
from arena.store.journal import JOURNAL_FILE, Journal
from arena.store.lock import running_process
from arena.store.manifest import MANIFEST_FILE, Manifest, read_manifest
from arena.store.status import Pace, Score, read_status

AT_ONCE = 2_000
"""Matches that are read in one transaction: a reader that stays long keeps the journal from shrinking."""
RECENT = 300
"""Matches that are remembered as the last ones."""
_KEPT = 16  # boards


class Arrival(msgspec.Struct, frozen=True):
    """A match as it came in."""

    match_id: str
    outcome: Outcome


class Seen(msgspec.Struct, frozen=True):
    """What a live board shows at one moment."""

    progress: Progress
    pools: tuple[str, ...]
    """The pools that have a table, the overall one first if there is one."""
    tables: dict[str, tuple[BoardRow, ...]]
    """The rows of each pool, best first."""


class LiveBoard:
    """One tournament's journal, followed. Threads may share it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.recent: deque[Arrival] = deque(maxlen=RECENT)
        """The last matches, oldest first."""
        self._lock = threading.Lock()
        self._journal: Journal | None = None
        self._inode = 0
        self._version = -1
        self._mark: object = None
        self._forget()

    def refresh(self) -> bool:
        """Read what is new; whether anything has changed since the last time. Raises StoreError for a damaged journal."""
        with self._lock:
            process = running_process(self.folder)
            has_read = self._read()
            mark = (process, self._manifest_state())
            changed, self._mark = has_read or mark != self._mark, mark
            return changed

    def seen(self) -> Seen:
        """The board of all matches that have been read. Raises StoreError."""
        with self._lock:
            manifest = self._manifest
            if manifest is None or self._ratings is None:
                return Seen(self._progress(), (), {})
            ratings = self._ratings.ratings()
            pools = tuple(chosen_pools(manifest, ratings))
            return Seen(self._progress(), pools, {pool: board_rows(ratings, pool) for pool in pools})

    def close(self) -> None:
        """Close the journal."""
        with self._lock:
            self._close()

    def _forget(self) -> None:
        self._last, self._score = 0, Score()
        self._manifest: Manifest | None = None
        self._rated_by: tuple[RatingSettings, dict[str, list[Bot]]] | None = None
        self._ratings: OrderedRatings | None = None
        self.recent.clear()

    def _close(self) -> None:
        if self._journal is not None:
            self._journal.close()
        self._journal = None

    def _read(self) -> bool:
        """Read the rows that are new; whether there were any."""
        journal = self._open()
        if journal is None:
            return False
        version = journal.data_version()
        if version == self._version and self._ratings is not None:
            return False
        if journal.last_arrival() < self._last:  # rows were dropped: the run was resumed after damage
            self._forget()
        self._look_at_manifest()
        while self._ratings is not None and (found := journal.arrivals(self._last, AT_ONCE)):
            self._last = found[-1][0]
            self._score = self._score.plus(tuple(seat.ending for seat in outcome.seats) for _, _, outcome in found)
            self._ratings.add(outcome for _, _, outcome in found)
            self.recent.extend(Arrival(match_id, outcome) for _, match_id, outcome in found)
        changed, self._version = version != self._version, version
        return changed

    def _open(self) -> Journal | None:
        """The journal, opened again if another file has taken its place; None if there is none."""
        try:
            inode = (self.folder / JOURNAL_FILE).stat().st_ino
        except OSError:
            self._close()
            return None
        if self._journal is None or inode != self._inode:
            self._close()
            self._forget()
            self._journal, self._inode, self._version = Journal(self.folder, is_read_only=True), inode, -1
        return self._journal

    def _look_at_manifest(self) -> None:
        """Begin anew where the field of bots or the settings have changed."""
        if not (self.folder / MANIFEST_FILE).exists():
            return
        manifest = read_manifest(self.folder)
        rated_by = (stored_settings(manifest, self.folder), stored_field(manifest))
        if rated_by != self._rated_by:
            self._forget()
            self._rated_by, self._ratings = rated_by, OrderedRatings(*rated_by)
        self._manifest = manifest

    def _manifest_state(self) -> int:
        with contextlib.suppress(OSError):
            return (self.folder / MANIFEST_FILE).stat().st_mtime_ns
        return 0

    def _progress(self) -> Progress:
        process = running_process(self.folder)
        pace = None if self._journal is None else Pace.of(self._journal)
        if process is None or pace is None or self._manifest is None:
            return progress(read_status(self.folder))
        rate = pace.played / pace.seconds if pace.seconds else None
        done, total = self._score.done, pace.total
        return Progress(
            state="running" if total else "starting", is_running=True, done=done, total=total, void=self._score.void,
            endings=self._score.endings, rate=rate, seconds_left=(total - done) / rate if rate else None,
        )  # fmt: skip


class LiveBoards:
    """The boards that somebody has looked at lately."""

    def __init__(self) -> None:
        self._boards: OrderedDict[Path, LiveBoard] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, folder: Path) -> LiveBoard:
        """The board of a tournament's folder."""
        with self._lock:
            board = self._boards.setdefault(folder, LiveBoard(folder))
            self._boards.move_to_end(folder)
            old = [self._boards.popitem(last=False)[1] for _ in range(len(self._boards) - _KEPT)]
        for one in old:
            one.close()
        return board

    def seen(self, folder: Path) -> Seen:
        """What the board of a folder shows now. Raises StoreError."""
        board = self.of(folder)
        try:
            board.refresh()
        except StoreError:
            board.close()
            raise
        return board.seen()

    def close(self) -> None:
        """Close all journals."""
        with self._lock:
            boards = list(self._boards.values())
            self._boards.clear()
        for board in boards:
            board.close()
