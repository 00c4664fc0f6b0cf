"""What one driver holds from many workers that only pretend to play: part of what `arena bench scale` prints.

The workers are processes as in a tournament, but a match takes only time there, no work: so many fit on few CPUs.
"""

import contextlib
import functools
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from arena.cli.measuring.scale import PER_DEAL, WARMING, Meter, Table, alone, pretended
from arena.records import MatchRecord
from arena.results.rows import packed
from arena.tournament.formats.tables import Stage
from arena.tournament.run import run_tournament
from arena.tournament.session import LOCAL, Observer, Progress, Settings
from arena.tournament.workers.backend import FIRST, Chunk, Past
from arena.tournament.workers.worker import Job, Worker

WORKERS = 64
LEAST_WORKERS = 2
LOADS = (20_000, None)  # matches that they finish in a second, all together; None: as many as they can
MATCHES = 400_000
_LARGER = 5  # times the matches that are played: as in a large tournament, workers seldom wait for a checkpoint


class Load(msgspec.Struct, frozen=True, kw_only=True):
    """What one driver holds from many workers that only pretend to play."""

    backend: str
    workers: int
    offered: int | None
    """Matches a second that the workers finish; None: as many as they can."""
    matches: int
    per_second: float
    driver_cpu_us: float
    """CPU time of the driver per match, checkpoints included, in microseconds."""
    driver_share: float
    """CPU time of the driver as a share of the time that passed."""
    start_mb: float
    playing_mb: float
    """Largest memory of the driver while playing."""


def loads(scale: float = 1.0, backend: str = LOCAL) -> Iterator[Load]:
    """What one driver holds from workers that pretend; `scale`: of the usual number of workers, and of matches."""
    workers = max(LEAST_WORKERS, round(scale * WORKERS))
    matches = max(PER_DEAL * workers, round(scale * MATCHES))
    for offered in LOADS:
        with Table(False, _LARGER * matches) as table:
            make_job = functools.partial(AnswerJob, seconds=0.0 if offered is None else workers / offered)
            settings = Settings(out=table / "out", backend=backend, workers=workers, job=make_job)
            yield alone(_load, table, settings, matches, offered)


class AnswerJob(Job, frozen=True, kw_only=True):
    """A job whose matches take time, but no work: many workers fit on few CPUs."""

    seconds: float = 0.0
    """How long a match takes."""

    def worker(self) -> Worker:
        """A worker that waits and answers."""
        return _AnsweringWorker(self, self.seconds)


class _AnsweringWorker(Worker):
    def __init__(self, job: Job, seconds: float) -> None:
        super().__init__(job)
        self._seconds = seconds
        self._tables: list[MatchRecord] = []

    def play(self, indices: Sequence[int], past: Past = FIRST, stage: Stage | None = None) -> Chunk:
        began = time.perf_counter()
        if not self._tables:
            played = self.play_match(indices[0], past)
            assert isinstance(played, MatchRecord)
            self._tables = [pretended(played, self._job.plan.setup(index)) for index in range(PER_DEAL)]
        finished = packed(
            msgspec.structs.replace(
                self._tables[index % PER_DEAL], index=index, match_id=f"{index:024x}", deal=index // PER_DEAL
            )
            for index in indices
        )
        time.sleep(max(0.0, began + self._seconds * len(indices) - time.perf_counter()))
        return Chunk(finished, {}, time.perf_counter() - began, 0.0, 0.0)


def _load(folder: Path, settings: Settings, matches: int, offered: int | None) -> Load:
    meter = Meter(int(WARMING * matches))
    with contextlib.suppress(_Enough):
        run_tournament(folder / "scale.yaml", settings, _Until(matches, meter))
    seconds, cpu, played = meter.costs()
    return Load(
        backend=settings.backend, workers=settings.workers or 1, offered=offered, matches=meter.last[2],
        per_second=played / seconds, driver_cpu_us=1e6 * cpu / played, driver_share=cpu / seconds,
        start_mb=meter.start_mb, playing_mb=meter.peak_mb,
    )  # fmt: skip


class _Enough(Exception):
    """So many matches are there; the rest of the tournament, and its files, are not wanted."""


class _Until(Observer):
    def __init__(self, matches: int, meter: Meter) -> None:
        self._matches, self._meter = matches, meter

    def progress(self, progress: Progress) -> None:
        self._meter.progress(progress)
        if progress.played_now >= self._matches:
            raise _Enough
