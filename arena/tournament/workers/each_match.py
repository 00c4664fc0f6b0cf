"""Something is worked out for each of many stored matches, on several processes: in order, with a few batches in flight."""

import concurrent.futures
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from arena.errors import ArenaError
from arena.records import MatchRecord
from arena.tournament.formats.plan import Plan
from arena.tournament.workers.processes import WorkerPool

BATCH_ACTIONS = 10_000  # of the logs of a batch: some tenths of a second
BATCH_MATCHES = 256
BATCHES_IN_FLIGHT = 2  # of each process

R = TypeVar("R")
Work = Callable[[Plan, MatchRecord], R]


def each_match(
    work: Work[R], plan: Plan, records: Iterable[MatchRecord], workers: int,
    known: Callable[[MatchRecord], R | None] = lambda _: None,
) -> Iterator[R]:  # fmt: skip
    """What `work` makes of each match of the plan, in the order of the records; one worker is this process.

    `work`: a function of a module, which other processes can import; `known`: what it is known to make of a match, None where
    that is to be worked out. Raises ArenaError if a process was killed.
    """
    if workers == 1:
        for record in records:
            found = known(record)
            yield work(plan, record) if found is None else found
        return
    pool = WorkerPool(workers, _prepare, plan)
    waiting: deque[tuple[list[R | None], concurrent.futures.Future[list[R]] | None]] = deque()
    try:
        for batch in _batches(records):
            told = [known(record) for record in batch]
            left = [record for record, found in zip(batch, told) if found is None]
            waiting.append((told, pool.submit(_work_here, work, left) if left else None))
            if len(waiting) >= BATCHES_IN_FLIGHT * workers:
                yield from _filled(*waiting.popleft())
        while waiting:
            yield from _filled(*waiting.popleft())
    except BrokenProcessPool:
        raise ArenaError("a process that worked on stored matches was killed; run the same command again") from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _filled(told: list[R | None], worked: concurrent.futures.Future[list[R]] | None) -> Iterator[R]:
    """What was told, with what was worked out in the places where nothing was."""
    found = iter(() if worked is None else worked.result())
    for one in told:
        yield next(found) if one is None else one


def _batches(records: Iterable[MatchRecord]) -> Iterator[list[MatchRecord]]:
    """The records in their order; a batch ends with the match that reaches BATCH_ACTIONS, which is what work on it costs."""
    batch: list[MatchRecord] = []
    actions = 0
    for record in records:
        batch.append(record)
        actions += len(record.actions)
        if actions >= BATCH_ACTIONS or len(batch) >= BATCH_MATCHES:
            yield batch
            batch, actions = [], 0
    if batch:
        yield batch


_plan: list[Plan] = []  # this process's plan: a pool's functions have no other place to keep it


def _prepare(plan: Plan) -> None:
    _plan[:] = [plan]


def _work_here(work: Work[R], batch: list[MatchRecord]) -> list[R]:
    return [work(_plan[0], record) for record in batch]
