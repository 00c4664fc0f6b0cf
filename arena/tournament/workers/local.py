"""The local backend: worker processes on this machine, without Ray. Its results are the same as on Ray."""

import concurrent.futures
import contextlib
import multiprocessing
import os
import queue
from collections.abc import Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from weakref import WeakKeyDictionary

from arena.errors import ArenaError
from arena.tournament.formats.tables import Stage
from arena.tournament.workers.backend import FIRST, NOTE_BYTES, Chunk, Lost, Past, Ticket, waited_for
from arena.tournament.workers.processes import HASH_SEED, PipeSemaphore, SharedMemory, WorkerPool, uninterrupted
from arena.tournament.workers.worker import Job, Worker


class LocalBackend:
    """A pool of fresh Python processes. A context manager; implements backend.Backend."""

    falls_together = True  # a pool that loses a process takes no more work

    def __init__(self, job: Job, workers: int) -> None:
        self.slots = workers
        self.stage: Stage | None = None
        self._job = job
        self._notes: WeakKeyDictionary[WorkerPool, Notes] = WeakKeyDictionary()
        self._pool = self._start()
        self._require_start()
        self._futures: dict[int, tuple[WorkerPool, concurrent.futures.Future[Chunk], Sequence[int]]] = {}
        self._ended: queue.SimpleQueue[int] = queue.SimpleQueue()  # tickets; to wait for all futures would look at each of them
        self._serial = 0

    def __enter__(self) -> "LocalBackend":
        return self

    def __exit__(self, *_: object) -> None:
        with uninterrupted():
            self.close()

    def submit(self, indices: Sequence[int], past: Past = FIRST) -> Ticket:
        """Queue a chunk for the next free worker."""
        self._serial += 1
        try:
            future = self._pool.submit(_play, list(indices), past, self.stage)
        except BrokenProcessPool:  # it broke since the last wait, which will report its chunks
            self._restart()
            future = self._pool.submit(_play, list(indices), past, self.stage)
        ticket = self._serial
        self._futures[ticket] = (self._pool, future, indices)
        future.add_done_callback(lambda _: self._ended.put(ticket))
        return ticket

    def wait(self, seconds: float) -> list[tuple[Ticket, Chunk | Lost]]:
        """The chunks that have ended, after at most `seconds`."""
        ended: list[tuple[Ticket, Chunk | Lost]] = []
        for ticket in self._tickets(seconds):
            pool, future, matches = self._futures.pop(ticket)
            try:
                ended.append((ticket, future.result()))
            except BrokenProcessPool:
                ended.append((ticket, Lost("a worker process died", self._notes[pool].waited_for(matches))))
                if pool is self._pool:
                    self._restart()
        return ended

    def _tickets(self, seconds: float) -> Iterator[int]:
        """Yield the tickets of chunks that have ended, and wait for the first one at most so many seconds."""
        if self._futures:
            with contextlib.suppress(queue.Empty):
                yield self._ended.get(timeout=seconds)
                while True:
                    yield self._ended.get_nowait()

    def compile(self, _game: str, _part: str) -> bool:
        """Do nothing: the workers are on this machine."""
        return False

    def cancel(self, _ticket: Ticket) -> None:
        """Kill all workers: a pool cannot say which one runs what. All their chunks are then reported as lost."""
        for process in self._processes():
            process.kill()

    def close(self) -> None:
        """End all workers, busy ones too."""
        processes = self._processes()
        for process in processes:
            process.kill()
        with contextlib.suppress(RuntimeError):  # where its thread could not be started, there is none to wait for
            self._pool.shutdown(wait=True, cancel_futures=True)

    def _processes(self) -> list[multiprocessing.Process]:
        return list((getattr(self._pool, "_processes", None) or {}).values())  # no public way to reach them

    def _require_start(self) -> None:
        """Raise ArenaError if worker processes die before they play: else every match would be blamed for it."""
        try:
            self._pool.submit(os.getpid).result()
        except BrokenProcessPool:
            self.close()
            raise ArenaError(
                "worker processes die as they start; a script that plays a tournament must do so below "
                '`if __name__ == "__main__":`, because its workers import it'
            ) from None
        except BaseException:
            self.close()
            raise

    def _restart(self) -> None:
        """Replace the pool: one that lost a process takes no more work."""
        self.close()
        self._pool = self._start()

    def _start(self) -> WorkerPool:
        os.environ.update(HASH_SEED)  # the pool has no other way to set its workers' environment
        notes = Notes(self.slots)
        pool = WorkerPool(self.slots, _prepare, self._job, notes)
        self._notes[pool] = notes
        return pool


_worker: list[Worker] = []  # this process's worker: a pool's functions have no other place to keep it


def _prepare(job: Job, notes: "Notes") -> None:
    worker = job.worker()
    worker.keep_note(notes.claim())
    _worker[:] = [worker]


class Notes:
    """The notes of a pool's workers, in memory that they share with this process; see tournament/workers/backend.py."""

    def __init__(self, workers: int) -> None:
        self._memory = SharedMemory((1 + workers) * NOTE_BYTES)  # the first place counts those that are claimed
        self._lock = PipeSemaphore()

    def claim(self) -> memoryview:
        """A place for the note of one more worker."""
        counter = self._memory.bytes[:NOTE_BYTES].cast("q")
        with self._lock:
            counter[0] += 1
            first = counter[0] * NOTE_BYTES
        return self._memory.bytes[first : first + NOTE_BYTES]

    def waited_for(self, matches: Sequence[int]) -> dict[int, int]:
        """The seats that some of these matches waited for when their workers ended."""
        notes = bytes(self._memory.bytes)
        return waited_for((notes[first : first + NOTE_BYTES] for first in range(NOTE_BYTES, len(notes), NOTE_BYTES)), matches)


def _play(indices: list[int], past: Past, stage: Stage | None) -> Chunk:
    return _worker[0].play(indices, past, stage)
