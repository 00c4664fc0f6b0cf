"""How far a tournament scales: what `arena bench scale` prints. Figures of this machine; never a test.

Stub matches go through all that real ones do (plan, backend, driver, journal, checkpoints, files); only the play itself is
replaced by a fixed amount of work, and the record by that of a real match with other numbers in it. Every run has a process of
its own, so that its memory can be told.

Workers are measured without the tournament, too, by what it sends them; and the driver by many workers that only pretend to
play: they are processes as in a tournament, but a match takes only time there, no work, so many fit on few CPUs.
"""

import concurrent.futures
import contextlib
import functools
import hashlib
import math
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from arena.match import MatchSetup
from arena.records import MatchRecord
from arena.results import journal
from arena.results.journal import packed
from arena.results.status import read_status
from arena.tournament.formats.tables import Stage
from arena.tournament.run import run_tournament
from arena.tournament.session import LOCAL, RAY, Interrupted, Observer, Progress, Settings
from arena.tournament.workers.backend import FIRST, Chunk, Failure, Past
from arena.tournament.workers.processes import SPAWNING, die_with_parent
from arena.tournament.workers.worker import Job, Worker


class _GotJob(Exception):
    """Ends a tournament before it starts workers; carries the job that they would have been sent."""

    def __init__(self, job: Job) -> None:
        super().__init__()
        self.job = job


def job_of(config: Path, make_job: Callable[..., Job] = Job) -> Job:
    """The job of the tournament of a config. The tournament's folder is made beside the config."""

    def give(*arguments: Any, **named: Any) -> Job:
        raise _GotJob(make_job(*arguments, **named))

    try:
        run_tournament(config, Settings(out=config.parent / "bare", backend=LOCAL, job=give))
    except _GotJob as got:
        return got.job
    raise AssertionError("a tournament without workers")


SIZES = (10_000, 100_000, 1_000_000)  # matches
LARGE_PLAN = 10_000_000
STUB_SECONDS = 0.005
THROUGHPUT_SECONDS = 10.0  # of bare play
BACKENDS = (LOCAL, RAY)
BARE = "bare"
STUB, TRUSTED, LOCKED = "stub of 5 ms", "naga, trusted bots", "naga, locked bots"
_LARGER = 10  # times the matches that are played: chunks are as in a large tournament
WARMING = 0.1  # share of the matches before the clock starts: workers start and load
_LOOK_SECONDS = 0.2  # between looks at the memory, which take a tenth of a millisecond
_PROBE = 100  # matches to find out how long they take
PER_DEAL = 20  # 5 bots, tables of 2, both rotations
_BOT = """
from arena.agent import Agent

class First(Agent):
    def act(self, view):
        return view.legal[0]
"""

T = TypeVar("T")


class Throughput(msgspec.Struct, frozen=True, kw_only=True):
    """How many matches a second one way of playing them reaches."""

    play: str
    backend: str
    """BARE: a plain loop in each process, without a driver."""
    workers: int
    matches: int
    per_second: float
    worker_cpu_ms: float
    """CPU time of the worker and its children per match, in ms."""
    driver_cpu_us: float
    """CPU time of the driver per match, in microseconds."""
    efficiency: float | None
    """CPU time spent inside matches as a share of that of the workers and their children; None if it was not measured."""
    of_bare: float
    """Matches a second, as a share of one bare loop's times the workers."""
    of_bare_by_cpu: float
    """The bare loop's CPU time per match as a share of the CPU time that was spent here, driver included.

    What other programs on the machine take does not count.
    """


class Size(msgspec.Struct, frozen=True, kw_only=True):
    """What a tournament of so many stub matches of no work costs its driver; memory is resident, in MB."""

    matches: int
    seconds: float
    driver_cpu_us: float
    """CPU time of the driver per match while playing, checkpoints included, in microseconds."""
    start_mb: float
    playing_mb: float
    """Largest memory of the driver while playing."""
    finish_mb: float
    """Largest memory of the driver while the files are written and the ratings worked out."""
    finish_s: float
    finish_cpu_us: float
    """CPU time of the driver per match for writing and rating, in microseconds."""
    journal_mb: float
    resume_s: float
    """Seconds from the call to the first match when a run resumes with all these matches in the journal."""
    resume_cpu_s: float
    status_s: float
    """What `arena status` takes to read it."""


class Start(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds from the call to the first match under way."""

    backend: str
    matches: int
    seconds: float
    cpu_s: float
    """CPU seconds of the driver."""


class StubJob(Job, frozen=True, kw_only=True):
    """A job whose matches are only pretended."""

    rounds: int = 0
    """How many rounds of hashing each match does, to use CPU time."""

    def worker(self) -> Worker:
        """A worker that pretends."""
        return _StubWorker(self, self.rounds)


class _StubWorker(Worker):
    def __init__(self, job: Job, rounds: int) -> None:
        super().__init__(job)
        self._plan, self._rounds = job.plan, rounds
        self._template: MatchRecord | None = None

    def play_match(self, index: int, past: Past = FIRST) -> MatchRecord | Failure:
        if self._template is None:
            played = super().play_match(index, past)
            if isinstance(played, Failure):
                return played
            self._template = played
        work(self._rounds)
        return pretended(self._template, self._plan.setup(index))


def work(rounds: int) -> None:
    """A fixed amount of CPU work."""
    if rounds:
        hashlib.pbkdf2_hmac("sha256", b"stub", b"match", rounds)


def rounds_of(seconds: float) -> int:
    """Return how many rounds of `work` take so much CPU time here."""
    rounds = 1000
    while True:
        began = time.process_time()
        work(rounds)
        taken = time.process_time() - began
        if taken > 0.05:
            return max(1, round(rounds * seconds / taken))
        rounds *= 2


def pretended(template: MatchRecord, setup: MatchSetup) -> MatchRecord:
    """The record of a match that was not played, like another one's."""
    winner = int(setup.match_id[:4], 16) % len(template.seats)
    seats = tuple(
        msgspec.structs.replace(seat, bot=player.bot, bot_sha256=player.sha256, place=1 + (number != winner))
        for number, (seat, player) in enumerate(zip(template.seats, setup.players))
    )
    return msgspec.structs.replace(
        template, index=setup.index, match_id=setup.match_id, deal=setup.deal, rotation=setup.rotation, seats=seats
    )


def throughputs(backends: Sequence[str] = BACKENDS, scale: float = 1.0) -> Iterator[Throughput]:
    """Bare loops first, then each backend with 1 and 2 workers; `scale`: of the usual number of matches."""
    rounds = rounds_of(STUB_SECONDS)
    for play in (STUB, TRUSTED, LOCKED):
        make_job = functools.partial(StubJob, rounds=rounds) if play == STUB else Job
        with Table(play == LOCKED, PER_DEAL) as table:
            job = job_of(table / "scale.yaml", make_job)
        rate, _ = _bare_loops(job, _PROBE, 1)
        matches = PER_DEAL * max(5, round(scale * THROUGHPUT_SECONDS * rate / PER_DEAL))
        one, two = (_bare_loops(job, matches, workers) for workers in (1, 2))
        for workers, (rate, cpu) in ((1, one), (2, two)):
            yield Throughput(
                play=play, backend=BARE, workers=workers, matches=matches * workers, per_second=rate, worker_cpu_ms=1e3 * cpu,
                driver_cpu_us=0.0, efficiency=None, of_bare=rate / (workers * one[0]), of_bare_by_cpu=one[1] / cpu,
            )  # fmt: skip
        for backend in backends:
            for workers in (1, 2):
                with Table(play == LOCKED, _LARGER * matches * workers) as table:
                    settings = Settings(out=table / "out", backend=backend, workers=workers, job=make_job)
                    yield alone(_throughput, table, settings, play, one)


def sizes(matches: Sequence[int] = SIZES, backend: str = LOCAL) -> Iterator[Size]:
    """Yield what a tournament of each size costs its driver."""
    for size in matches:
        with Table(False, size + max(size // 20, 10 * PER_DEAL)) as table:  # a bit more, so that it can go on
            settings = Settings(out=table / "out", backend=backend, workers=2, job=StubJob)
            played = alone(_play_until, table, settings, size)
            resume_s, resume_cpu_s = alone(_start_seconds, table, settings)
            yield alone(_with_resume, table, played, resume_s, resume_cpu_s)


def starts(matches: Sequence[int] = (PER_DEAL, LARGE_PLAN), backends: Sequence[str] = BACKENDS) -> Iterator[Start]:
    """Yield how long a small and a large plan take from the call to the first match, with each backend."""
    for backend in backends:
        for size in matches:
            with Table(False, size) as table:
                settings = Settings(out=table / "out", backend=backend, workers=2, job=StubJob)
                seconds, cpu_s = alone(_start_seconds, table, settings)
            yield Start(backend=backend, matches=size, seconds=seconds, cpu_s=cpu_s)


class Table:
    """A folder with a config of about so many matches; a context manager."""

    def __init__(self, is_locked: bool, matches: int) -> None:
        self._is_locked, self._deals = is_locked, max(1, matches // PER_DEAL)
        self._folder = tempfile.TemporaryDirectory(prefix="arena-scale-")

    def __enter__(self) -> Path:
        folder = Path(self._folder.name)
        (folder / "first.py").write_text(_BOT)
        bots = [{"path": "first.py", "name": f"first{number}", "trusted": not self._is_locked} for number in range(5)]
        config = {
            "name": "scale", "seed": 1, "games": [{"game": "naga", "seats": 2}], "bots": bots, "deals": self._deals,
            "ratings": {"luck": False},  # matches that are only pretended have none
        }  # fmt: skip
        (folder / "scale.yaml").write_bytes(msgspec.json.encode(config))  # JSON is YAML
        return folder

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()


def alone(run: Callable[..., T], *arguments: Any) -> T:
    """Call a function in a process of its own, so that its CPU time and memory can be told."""
    with processes(1) as pool:
        return pool.submit(run, *arguments).result()


def processes(number: int) -> concurrent.futures.ProcessPoolExecutor:
    """Fresh processes that end with this one."""
    return concurrent.futures.ProcessPoolExecutor(number, SPAWNING, die_with_parent, (os.getpid(),))


def _bare_loops(job: Job, matches: int, loops: int) -> tuple[float, float]:
    """Matches a second of so many plain loops side by side, `matches` each, and CPU seconds per match."""
    with processes(loops) as pool:
        running = [pool.submit(_bare_loop, job, matches) for _ in range(loops)]
        costs = [loop.result() for loop in running]
    return sum(1 / seconds for seconds, _ in costs), sum(cpu for _, cpu in costs) / loops


def _bare_loop(job: Job, matches: int) -> tuple[float, float]:
    """Wall and CPU seconds per match."""
    worker = job.worker()
    try:
        worker.play(range(PER_DEAL))  # it loads the game; from here on its CPU time is told
        began = time.perf_counter()
        chunk = worker.play([index % PER_DEAL for index in range(matches)])
        return (time.perf_counter() - began) / matches, chunk.worker_cpu / matches
    finally:
        worker.close()


class Meter(Observer):
    """Takes notes of a run as it goes; raises KeyboardInterrupt once `stop_at` matches are there."""

    def __init__(self, warm: int, stop_at: int = sys.maxsize) -> None:
        self._warm, self._stop_at = warm, stop_at
        self.marks: list[tuple[float, float, int]] = []  # wall, CPU, matches: at the first look, when warm, and at the last
        self.start_mb = self.peak_mb = self._looked = 0.0

    def progress(self, progress: Progress) -> None:
        """Take a note."""
        now = (time.perf_counter(), time.process_time(), progress.played_now)
        if not self.marks:
            self.start_mb = resident_mb()
        if now[0] - self._looked > _LOOK_SECONDS:
            self.peak_mb, self._looked = max(self.peak_mb, resident_mb()), now[0]
        if not self.marks or (len(self.marks) == 1 and progress.played_now >= self._warm):
            self.marks.append(now)
        self.last = now
        if progress.played_now >= self._stop_at:
            raise KeyboardInterrupt

    def costs(self) -> tuple[float, float, int]:
        """Wall seconds, CPU seconds and matches since it was warm."""
        first = self.marks[-1]
        return self.last[0] - first[0], self.last[1] - first[1], self.last[2] - first[2]


def _throughput(folder: Path, settings: Settings, play: str, bare: tuple[float, float]) -> Throughput:
    matches = msgspec.json.decode((folder / "scale.yaml").read_bytes())["deals"] * PER_DEAL // _LARGER
    meter = Meter(int(WARMING * matches), matches)
    try:
        tally = run_tournament(folder / "scale.yaml", settings, meter).tally
    except Interrupted as stopped:
        tally = stopped.tally
    seconds, driver_cpu, played = meter.costs()
    workers, (rate, bare_cpu) = settings.workers or 1, bare
    worker_cpu = tally.worker_cpu / tally.timed_matches
    return Throughput(
        play=play, backend=settings.backend, workers=workers, matches=matches, per_second=played / seconds,
        worker_cpu_ms=1e3 * worker_cpu, driver_cpu_us=1e6 * driver_cpu / played, efficiency=tally.efficiency,
        of_bare=played / seconds / (workers * rate), of_bare_by_cpu=bare_cpu / (worker_cpu + driver_cpu / played),
    )  # fmt: skip


def _play_until(folder: Path, settings: Settings, matches: int) -> Size:
    meter = Meter(int(WARMING * matches), matches)
    began = time.perf_counter()
    with contextlib.suppress(Interrupted):
        run_tournament(folder / "scale.yaml", settings, meter)
    finished, cpu = time.perf_counter(), time.process_time()
    _, playing_cpu, played = meter.costs()
    return Size(
        matches=meter.last[2], seconds=meter.last[0] - began, driver_cpu_us=1e6 * playing_cpu / played,
        start_mb=meter.start_mb, playing_mb=meter.peak_mb, finish_mb=resident_mb(peak=True),
        finish_s=finished - meter.last[0], finish_cpu_us=1e6 * (cpu - meter.last[1]) / meter.last[2],
        journal_mb=0.0, resume_s=0.0, resume_cpu_s=0.0, status_s=0.0,
    )  # fmt: skip


class _Started(Exception):
    """The first match is under way."""


def _start_seconds(folder: Path, settings: Settings) -> tuple[float, float]:
    """Wall and CPU seconds from the call to the first match under way."""
    began, cpu = time.perf_counter(), time.process_time()
    taken = (0.0, 0.0)

    class Clock(Observer):
        def progress(self, progress: Progress) -> None:
            nonlocal taken
            taken = (time.perf_counter() - began, time.process_time() - cpu)
            raise _Started

    try:
        run_tournament(folder / "scale.yaml", settings, Clock())
    except _Started:
        return taken
    raise AssertionError("nothing was left to play")


def resident_mb(*, peak: bool = False) -> float:
    """Resident memory of this process, or the most that it ever had (Linux; elsewhere nan)."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return math.nan
    return int(status.partition("VmHWM:" if peak else "VmRSS:")[2].split()[0]) / 1e3


def _with_resume(folder: Path, played: Size, resume_s: float, resume_cpu_s: float) -> Size:
    results = folder / "out" / "scale"
    began = time.perf_counter()
    read_status(results)
    return msgspec.structs.replace(
        played, resume_s=resume_s, resume_cpu_s=resume_cpu_s, status_s=time.perf_counter() - began,
        journal_mb=sum(path.stat().st_size for path in results.glob(f"{journal.JOURNAL_FILE}*")) / 1e6,
    )  # fmt: skip


WORKERS = 64
LEAST_WORKERS = 2
LOADS = (20_000, None)  # matches that they finish in a second, all together; None: as many as they can
MATCHES = 400_000
_LARGER_LOAD = 5  # times the matches that are played: as in a large tournament, workers seldom wait for a checkpoint


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
    """Yield what one driver holds from workers that pretend; `scale`: of the usual number of workers, and of matches."""
    workers = max(LEAST_WORKERS, round(scale * WORKERS))
    matches = max(PER_DEAL * workers, round(scale * MATCHES))
    for offered in LOADS:
        with Table(False, _LARGER_LOAD * matches) as table:
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
