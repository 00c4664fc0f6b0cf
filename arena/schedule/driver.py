"""The driver loop: hands chunks of the plan to a backend until every match has its result or is named as failed.

A chunk lasts about a quarter of a second. A lost worker makes the matches of its chunk suspects. Those are tried one by one
with nothing beside them (a pool that loses one process may lose the chunks of the others too), so that a match that always
kills its worker is found and no other is blamed; after three such attempts it is void, never silently missing.
"""

import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from arena.schedule.backend import Backend, Lost, Ticket
from arena.schedule.worker import NO_KILLS, Chunk, Failure

CHUNK_SECONDS = 0.25  # Ray's cost of 0.5 ms a task is then 0.2 %
CHUNK_MATCHES = 512
IN_FLIGHT = 2  # chunks per slot: one running, one waiting
ATTEMPTS = 3  # alone
WAIT_SECONDS = 0.2
SMOOTHING = 0.3  # of the newest chunk in the estimate of a match's time


@dataclass
class Tally:
    """What a run cost, for the last lines of its output."""

    match_cpu: float = 0.0
    worker_cpu: float = 0.0
    lost_chunks: int = 0

    @property
    def efficiency(self) -> float | None:
        """Share of the workers' CPU time, after each one's first chunk, that was spent inside matches."""
        return self.match_cpu / self.worker_cpu if self.worker_cpu else None


@dataclass
class Driver:
    """Plays stretches of a plan on one backend."""

    backend: Backend
    on_chunk: Callable[[Chunk, Mapping[int, Sequence[Failure]]], None]
    """Keeps a chunk's records; gets the earlier failed attempts of each, by index."""
    on_void: Callable[[int, int, str], None]
    """Keeps a match that failed: index, attempts, reason."""
    on_tick: Callable[[], None]
    """Called several times a second, for progress."""
    patience: float
    """Seconds that one match may take beyond all estimates before its worker is killed."""
    tally: Tally = field(default_factory=Tally)
    _match_seconds: float | None = None

    def run(self, indices: Iterable[int], count: int) -> None:
        """Play the matches `indices`, `count` of them."""
        todo = iter(indices)
        left = count
        suspects: deque[int] = deque()
        earlier: defaultdict[int, list[Failure]] = defaultdict(list)  # failed attempts
        charges: Counter[int] = Counter()  # those in which the match ran alone
        pending: dict[Ticket, tuple[list[int], float]] = {}
        while left or suspects or pending:
            if suspects and not pending:
                suspect = suspects.popleft()
                self._submit([suspect], pending, _kills(earlier[suspect]))
            while left and not suspects and len(pending) < IN_FLIGHT * self.backend.slots:
                chunk = self._take(todo, left)
                left -= len(chunk)
                self._submit(chunk, pending, NO_KILLS)
            in_flight = len(pending)
            for ticket, outcome in self.backend.wait(WAIT_SECONDS):
                chunk, _ = pending.pop(ticket)
                for index, failure in self._accept(outcome, chunk, earlier).items():
                    earlier[index].append(failure)
                    charges[index] += len(chunk) == in_flight == 1
                    if charges[index] >= ATTEMPTS:
                        self.on_void(index, len(earlier[index]), failure.reason)
                    else:
                        suspects.append(index)
            self._cancel_overdue(pending)
            self.on_tick()

    def _submit(self, chunk: list[int], pending: dict[Ticket, tuple[list[int], float]], kills: Mapping[int, int]) -> None:
        pending[self.backend.submit(chunk, kills)] = (chunk, time.monotonic())

    def _take(self, todo: Iterator[int], left: int) -> list[int]:
        """The next chunk: adapted to the time that a match takes, never more than a fair share of the rest."""
        size = 1
        if self._match_seconds is not None:
            fair = max(1, left // (2 * self.backend.slots))
            size = max(1, min(CHUNK_MATCHES, fair, int(CHUNK_SECONDS / max(self._match_seconds, 1e-6))))
        return [index for _, index in zip(range(size), todo)]

    def _accept(
        self, outcome: Chunk | Lost, indices: list[int], earlier: Mapping[int, Sequence[Failure]]
    ) -> dict[int, Failure]:
        """Keep what came; returns the matches that have to be tried again, with the reason."""
        if isinstance(outcome, Lost):
            self.tally.lost_chunks += 1
            return dict.fromkeys(indices, Failure(outcome.reason))
        self.tally.match_cpu += outcome.match_cpu
        self.tally.worker_cpu += outcome.worker_cpu
        newest = outcome.seconds / len(indices)
        before = self._match_seconds
        self._match_seconds = newest if before is None else before + SMOOTHING * (newest - before)
        self.on_chunk(outcome, {record.index: earlier.get(record.index, ()) for record in outcome.records})
        return outcome.failures

    def _cancel_overdue(self, pending: dict[Ticket, tuple[list[int], float]]) -> None:
        """Chunks run in order of submission: what is older than all that the slots could have run is stuck."""
        now = time.monotonic()
        for ticket, (indices, since) in pending.items():
            expected = (self._match_seconds or 0.0) * len(indices)
            if now - since > IN_FLIGHT * (self.patience * len(indices) + 10 * expected):
                self.backend.cancel(ticket)


def _kills(failures: Sequence[Failure]) -> Counter[int]:
    """By seat: how often it was killed from outside."""
    return Counter(failure.seat for failure in failures if failure.was_killed and failure.seat is not None)
