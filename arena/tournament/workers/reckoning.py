"""The luck of many stored matches, worked out on all cores: a few batches in flight, whatever the size of the tournament."""

import concurrent.futures
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool

from arena import games
from arena.errors import ArenaError
from arena.ratings.match_luck import luck_of, no_luck
from arena.records import MatchLuck, MatchRecord
from arena.tournament.formats.plan import Plan
from arena.tournament.workers.batches import IN_FLIGHT, Batch, batches
from arena.tournament.workers.pool import WorkerPool

BATCH_ACTIONS = 20_000  # of the logs of a batch: some tenths of a second
MATCHES_FOR_ALL = 500  # below, starting more processes takes longer than it saves


class Reckoner:
    """Works out the luck of stored matches in several processes, or in this one; a context manager.

    The part CHANCE of each game should be compiled before: else it is compiled where it is first needed.
    """

    def __init__(self, plan: Plan, workers: int) -> None:
        self._plan, self._workers = plan, workers
        self._pool = WorkerPool(workers, _prepare, plan) if workers > 1 else None

    def __enter__(self) -> "Reckoner":
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)

    def reckon(self, records: Iterable[MatchRecord]) -> Iterator[MatchLuck]:
        """The luck of each match, in the order of the records."""
        parts = batches(records, BATCH_ACTIONS)
        if self._pool is None:
            for batch in parts:
                yield from _reckon(self._plan, batch)
            return
        waiting: deque[concurrent.futures.Future[list[MatchLuck]]] = deque()
        try:
            for batch in parts:
                waiting.append(self._pool.submit(_reckon_here, batch))
                if len(waiting) >= IN_FLIGHT * self._workers:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()
        except BrokenProcessPool:
            raise ArenaError("a process that worked out luck was killed; run the same command again") from None


_plan: list[Plan] = []  # this process's plan: a pool's functions have no other place to keep it


def _prepare(plan: Plan) -> None:
    _plan[:] = [plan]


def _reckon_here(batch: Batch) -> list[MatchLuck]:
    return _reckon(_plan[0], batch)


def _reckon(plan: Plan, batch: Batch) -> list[MatchLuck]:
    return [
        luck_of(games.load(record.game), plan.setup(record.index), record) if games.has_luck(record.game) else no_luck(record)
        for record in batch
    ]
