"""The driver loop: hands chunks of the plan to a backend until every match has its result or is named as failed.

A chunk lasts about a quarter of a second. A lost worker makes the matches of its chunk suspects: they are tried again singly,
beside other work. A match that is lost a second time is tried with nothing beside it, so that no other can be to blame (a
machine short of memory kills whom it likes); after three such attempts it is void, never silently missing. On a pool that
loses all chunks in flight with one worker, suspects are tried with nothing beside them from the start.

One estimate of a match's time serves for all. In a model of this loop (20,000 matches, 2 to 64 slots, a third of them 100 times
as long as the others, or a tenth 1,000 times) chunks cut by every match's true mean gained 0.3 % at most.
What costs more is that a stretch of the plan ends before the next one begins (retirement.py): in the same model 64 slots were
idle for a third of the time where matches took up to 5 s, 2 slots for less than 1 %.
"""

import itertools
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from arena.workers.backend import Backend, Lost, Ticket
from arena.workers.worker import NO_KILLS, Chunk, Failure

CHUNK_SECONDS = 0.25  # Ray's cost of 0.5 ms a task is then 0.2 %
CHUNK_MATCHES = 512
IN_FLIGHT = 2  # chunks per slot: one running, one waiting
ATTEMPTS = 3  # singly
WAIT_SECONDS = 0.2
SMOOTHING = 0.3  # of the newest chunk in the estimate of a match's time
SLOWNESS = 10.0  # times the estimate that a chunk may take, beyond the patience


@dataclass
class Tally:
    """What a run cost; shown in the last lines of its output."""

    match_cpu: float = 0.0
    worker_cpu: float = 0.0
    timed_matches: int = 0
    """How many matches the CPU times cover: all but those of each worker's first chunk."""
    lost_chunks: int = 0
    overdue_chunks: int = 0
    """How many of the lost chunks were cancelled because they took too long."""
    failed_attempts: int = 0
    """How many attempts at matches failed: the chunk was lost, or the match ended in a host fault."""
    void_matches: int = 0
    duplicates: int = 0
    """How many results came twice. They were equal, or the run would have stopped."""

    @property
    def efficiency(self) -> float | None:
        """Share of the workers' CPU time, after each one's first chunk, that was spent inside matches."""
        return self.match_cpu / self.worker_cpu if self.worker_cpu else None


@dataclass
class _Sent:
    """A chunk that was sent and is not answered yet."""

    indices: list[int]
    since: float | None = None
    """When the chunk came to the front of the queue and may have started; None: not yet."""
    is_overdue: bool = False


@dataclass
class Driver:
    """Plays stretches of a plan on one backend."""

    backend: Backend
    on_chunk: Callable[[Chunk, Mapping[int, Sequence[Failure]]], None]
    """Stores a chunk's records; is given the earlier failed attempts of each match, by index."""
    on_void: Callable[[int, int, str], None]
    """Stores a match that could not be played: its index, the number of attempts, the reason."""
    on_tick: Callable[[], None]
    """Called several times a second, for progress."""
    patience: float
    """Seconds that one match may take beyond all estimates before its worker is killed."""
    tally: Tally = field(default_factory=Tally)
    _match_seconds: float | None = None

    def run(self, indices: Iterable[int], count: int) -> None:
        """Play the matches `indices`, `count` of them at most (chunks are shorter towards the end)."""
        todo = iter(indices)
        left = count
        again: deque[int] = deque()  # singly
        alone: deque[int] = deque()  # with nothing beside it
        earlier: defaultdict[int, list[Failure]] = defaultdict(list)  # failed attempts
        charges: Counter[int] = Counter()  # those that count
        pending: dict[Ticket, _Sent] = {}  # in order of submission
        is_quiet = False
        while left or again or alone or pending:
            if not pending:
                is_quiet = bool(alone)
            if is_quiet and not pending:
                self._submit([alone.popleft()], pending, earlier)
            while not is_quiet and not alone and len(pending) < IN_FLIGHT * self.backend.slots and (again or left):
                chunk = [again.popleft()] if again else self._take(todo, left)
                if not chunk:
                    left = 0
                    break
                left -= 0 if chunk[0] in earlier else len(chunk)
                self._submit(chunk, pending, earlier)
            in_flight = len(pending)
            for ticket, outcome in self.backend.wait(WAIT_SECONDS):
                chunk = pending.pop(ticket).indices
                is_single = len(chunk) == 1
                for index, failure in self._accept(outcome, chunk, earlier).items():
                    earlier[index].append(failure)
                    charges[index] += is_single and (in_flight == 1 or not self.backend.falls_together)
                    if charges[index] >= ATTEMPTS:
                        self.tally.void_matches += 1
                        self.on_void(index, len(earlier[index]), failure.reason)
                    else:
                        (alone if is_single or self.backend.falls_together else again).append(index)
            self._cancel_overdue(pending)
            self.on_tick()

    def _submit(self, chunk: list[int], pending: dict[Ticket, _Sent], earlier: Mapping[int, Sequence[Failure]]) -> None:
        kills = _kills(earlier[chunk[0]]) if chunk[0] in earlier else NO_KILLS
        pending[self.backend.submit(chunk, kills)] = _Sent(chunk)

    def _take(self, todo: Iterator[int], left: int) -> list[int]:
        """The next chunk: adapted to the time that a match takes, never more than a fair share of the rest."""
        size = 1
        if self._match_seconds is not None:
            fair = max(1, left // (IN_FLIGHT * self.backend.slots))
            size = max(1, min(CHUNK_MATCHES, fair, int(CHUNK_SECONDS / max(self._match_seconds, 1e-6))))
        return list(itertools.islice(todo, size))

    def _accept(
        self, outcome: Chunk | Lost, indices: list[int], earlier: Mapping[int, Sequence[Failure]]
    ) -> dict[int, Failure]:
        """Store what a chunk brought; returns the matches that have to be tried again, with the reason."""
        if isinstance(outcome, Lost):
            self.tally.lost_chunks += 1
            self.tally.failed_attempts += len(indices)
            return dict.fromkeys(indices, Failure(outcome.reason))
        silent = set(indices).difference(outcome.failures, (record.index for record in outcome.records))
        failures = {**outcome.failures, **dict.fromkeys(sorted(silent), Failure("its worker gave no result"))}
        self.tally.failed_attempts += len(failures)
        self.tally.match_cpu += outcome.match_cpu
        self.tally.worker_cpu += outcome.worker_cpu
        self.tally.timed_matches += len(indices) if outcome.worker_cpu else 0
        newest = outcome.seconds / len(indices)
        before = self._match_seconds
        self._match_seconds = newest if before is None else before + SMOOTHING * (newest - before)
        self.on_chunk(outcome, {record.index: earlier.get(record.index, ()) for record in outcome.records})
        return failures

    def _cancel_overdue(self, pending: dict[Ticket, _Sent]) -> None:
        """Cancel chunks that take too long. One match of a chunk may use up the whole patience, the others the estimate."""
        now = time.monotonic()
        for ticket, sent in itertools.islice(pending.items(), self.backend.slots):  # chunks start in order
            if sent.since is None:
                sent.since = now
            limit = self.patience + SLOWNESS * (self._match_seconds or 0.0) * len(sent.indices)
            if now - sent.since > limit:
                self.tally.overdue_chunks += not sent.is_overdue
                sent.is_overdue = True
                self.backend.cancel(ticket)


def _kills(failures: Sequence[Failure]) -> Counter[int]:
    """How often each seat was killed from outside, by seat number."""
    return Counter(failure.seat for failure in failures if failure.was_killed and failure.seat is not None)
