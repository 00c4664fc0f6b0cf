"""The board of a tournament that is being played: read from its journal beside the run, only what is new each time."""

import contextlib
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Iterable
from pathlib import Path
from typing import Any, TypeVar, cast

import msgspec

from arena.disk import is_there
from arena.errors import StoreError
from arena.ratings.rows import Bot, Collector, PoolRows
from arena.ratings.settings import RatingSettings, headline_model
from arena.ratings.stored import stored_field, stored_settings, stored_weights
from arena.records import Outcome
from arena.reports.board import asking_bots, chosen_pools, headline_ratings, online_beside, why_no_overall
from arena.reports.table import Phrase
from arena.results.journal import JOURNAL_FILE, Journal, has_log
from arena.results.lock import running_process
from arena.results.manifest import MANIFEST_FILE, Manifest, read_manifest
from arena.results.status import Pace, Score, read_status
from arena.server.live_board.order import OrderedRatings
from arena.server.views.hidden import hidden_bots
from arena.server.views.ladders import is_ladder
from arena.server.views.state import Progress, progress
from arena.server.views.tables import BoardRow, WithoutRank, board_rows, bots_without_rank

AT_ONCE = 2_000
"""Matches that are read in one transaction: a reader that stays long keeps the journal from shrinking."""
MOST_READ = 20_000
"""Matches that are read at one look: some tenths of a second, after which others have their turn."""
RECENT = 300
"""Matches that are remembered as the last ones."""
MOST_ANSWERS = 1_000
"""Answers of one board that are kept."""
T = TypeVar("T")
_KEPT = 16  # boards
_CLOSING_SECONDS = 0.5


class Arrival(msgspec.Struct, frozen=True):
    """A match as it came in."""

    match_id: str
    outcome: Outcome


class Seen(msgspec.Struct, frozen=True):
    """What a board shows at one moment."""

    progress: Progress
    pools: tuple[str, ...]
    """The pools that have a table, the overall one first if there is one."""
    tables: dict[str, tuple[BoardRow, ...]]
    """The rows of each pool, best first."""
    without_rank: tuple[WithoutRank, ...] = ()
    """The bots that are not on the overall board, because they lack a pool."""
    no_overall: Phrase | None = None
    """Why there is no overall table; None: there is one, or nobody would expect it."""
    behind: int = 0
    """Matches that are stored and not in the tables yet: a journal of millions is read bit by bit."""


class LiveBoard:
    """One tournament's journal, followed. Threads may share it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.recent: deque[Arrival] = deque(maxlen=RECENT)
        """The last matches, oldest first."""
        self._lock = threading.Lock()
        self._journal: Journal | None = None
        self._inode = 0
        self._mark: object = None
        self._seen: Seen | None = None
        self._forget()

    def refresh(self) -> bool:
        """Read what is new; whether anything has changed since the last time. Raises StoreError for a damaged journal."""
        with self._lock:
            process = running_process(self.folder)
            has_read = self._read()
            mark = (process, self._manifest_state())
            changed, self._mark = has_read or mark != self._mark, mark
            if changed:
                self._seen = None
            return changed

    def seen(self) -> Seen:
        """The board of all matches that have been read. Raises StoreError."""
        with self._lock:
            if self._seen is None:
                self._seen = self._look()
            return self._seen

    def rows(self, pool: str) -> PoolRows | None:
        """The matches of a pool that have been read, in the order of their arrival; only of a ladder, else None."""
        with self._lock:
            collector = self._rows.get(pool)
            return None if collector is None else collector.rows()

    def kept(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what `make` finds in the rows, made anew only when there are more of them."""
        with self._lock:
            known, last = self._answers.get(key), self._last
        if known is not None and known[0] == last:
            return cast(T, known[1])
        value = make()
        with self._lock:
            if len(self._answers) >= MOST_ANSWERS:
                self._answers.clear()
            self._answers[key] = (last, value)
        return value

    def close(self) -> None:
        """Close the journal; not if a thread reads it just now, which only happens when the process ends."""
        if self._lock.acquire(timeout=_CLOSING_SECONDS):
            try:
                self._close()
            finally:
                self._lock.release()

    def _look(self) -> Seen:
        manifest = self._manifest
        if manifest is None or self._ratings is None:
            return Seen(self._progress(), (), {})
        everything, progress = self._ratings.ratings(), self._progress()
        ratings = headline_ratings(manifest, everything)
        online = online_beside(headline_model(manifest.config), everything)
        pools = tuple(chosen_pools(manifest, ratings))
        hidden, asking = hidden_bots(manifest, ratings), asking_bots(manifest)
        tables = {pool: board_rows(ratings, pool, hidden=hidden, online=online, asking=asking) for pool in pools}
        return Seen(
            progress, pools, tables, bots_without_rank(ratings, pools), why_no_overall(ratings, pools),
            max(0, progress.done - self._score.done),
        )  # fmt: skip

    def _forget(self) -> None:
        self._last, self._version, self._score = 0, -1, Score()
        self._is_behind = False
        self._seen = None
        self._manifest: Manifest | None = None
        self._rated_by: tuple[RatingSettings, dict[str, list[Bot]]] | None = None
        self._ratings: OrderedRatings | None = None
        self._rows: dict[str, Collector] = {}
        self._answers: dict[Hashable, tuple[int, Any]] = {}
        self.recent.clear()

    def _close(self) -> None:
        if self._journal is not None:
            self._journal.close()
        self._journal = None

    def _read(self) -> bool:
        """Read rows that are new; whether there were any."""
        journal = self._open()
        if journal is None:
            return False
        version = journal.data_version()
        if version == self._version and self._ratings is not None and not self._is_behind:
            return False
        if journal.last_arrival() < self._last:  # rows were dropped: the run was resumed after damage
            self._forget()
        self._look_at_manifest()
        changed = version != self._version or self._is_behind
        self._is_behind = self._ratings is not None and not self._take_in(journal, self._ratings)
        self._version = version
        return changed

    def _take_in(self, journal: Journal, ratings: OrderedRatings) -> bool:
        """Rate matches that are new; whether all that are stored have been read."""
        for _ in range(MOST_READ // AT_ONCE):
            found = journal.arrivals(self._last, AT_ONCE)
            if found:
                self._last = found[-1][0]
            self._score = self._score.plus(tuple(seat.ending for seat in outcome.seats) for _, _, outcome in found)
            ratings.add(outcome for _, _, outcome in found)
            self._collect(outcome for _, _, outcome in found)
            self.recent.extend(Arrival(match_id, outcome) for _, match_id, outcome in found)
            if len(found) < AT_ONCE:
                return True
        return False

    def _collect(self, found: Iterable[Outcome]) -> None:
        """Keep the rows of a ladder, in which versions are compared."""
        has_measured = self._rated_by is not None and self._rated_by[0].measured
        for outcome in found:
            collector = self._rows.get(outcome.pool)
            if collector is not None and (has_measured or not outcome.is_measured):
                collector.add(outcome)

    def _open(self) -> Journal | None:
        """The journal, opened again if another file has taken its place; None if there is none."""
        try:
            found = (self.folder / JOURNAL_FILE).stat()
        except OSError:
            found = None
        if found is None or not found.st_size:  # an empty one is being made, or was left so
            self._close()
            return None
        inode = found.st_ino
        has_changed = self._journal is not None and self._journal.is_still and has_log(self.folder)
        if self._journal is None or inode != self._inode or has_changed:
            self._close()
            self._forget()
            self._journal, self._inode = Journal(self.folder, is_read_only=True), inode
        return self._journal

    def _look_at_manifest(self) -> None:
        """Begin anew where the field of bots or the settings have changed."""
        if not is_there(self.folder / MANIFEST_FILE):
            return
        manifest = read_manifest(self.folder)
        rated_by = (stored_settings(manifest, self.folder), stored_field(manifest))
        if rated_by != self._rated_by:
            self._forget()
            self._rated_by, self._ratings = rated_by, OrderedRatings(*rated_by, stored_weights(manifest, rated_by[0]))
            self._rows = {pool: Collector(bots) for pool, bots in rated_by[1].items()} if is_ladder(manifest) else {}
        self._manifest = manifest

    def _manifest_state(self) -> int:
        with contextlib.suppress(OSError):
            return (self.folder / MANIFEST_FILE).stat().st_mtime_ns
        return 0

    def _progress(self) -> Progress:
        process = running_process(self.folder)
        pace = None if self._journal is None else Pace.of(self._journal)
        if process is None or pace is None or self._journal is None or self._manifest is None:
            return progress(read_status(self.folder))
        score = Score.of(self._journal) or self._score
        rate = pace.played / pace.seconds if pace.seconds else None
        return Progress(
            state="running" if pace.total else "starting", is_running=True, done=score.done, total=pace.total,
            void=score.void, endings=score.endings, rate=rate,
            seconds_left=max(0, pace.total - score.done) / rate if rate else None,
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
        """Return what the board of a folder shows now. Raises StoreError."""
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
