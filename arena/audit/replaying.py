"""Playing stored matches again, in several processes: a few batches in flight, whatever the size of the tournament."""

import concurrent.futures
from collections.abc import Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool

from arena import games
from arena.audit.match_audit import match_problems
from arena.errors import ArenaError
from arena.records import MatchRecord
from arena.tournament.formats.plan import Plan
from arena.tournament.workers.processes import BATCHES_IN_FLIGHT, WorkerPool, batches

BATCH_ACTIONS = 10_000  # of the logs of a batch: some tenths of a second

Problems = list[tuple[int, str]]
"""Plan index and text."""


class Replayer:
    """Plays stored matches again in several processes, or in this one; a context manager."""

    def __init__(self, plan: Plan, workers: int) -> None:
        self._plan, self._workers = plan, workers
        self._pool = WorkerPool(workers, _prepare, plan) if workers > 1 else None

    def __enter__(self) -> "Replayer":
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)

    def replay(self, records: Iterable[MatchRecord]) -> Iterator[tuple[int, Problems]]:
        """Replay the matches in batches; yields each batch's size and what is wrong in it, in no particular order."""
        parts = batches(records, BATCH_ACTIONS)
        if self._pool is None:
            yield from (_replay(self._plan, batch) for batch in parts)
            return
        pending: set[concurrent.futures.Future[tuple[int, Problems]]] = set()
        try:
            for batch in parts:
                pending.add(self._pool.submit(_replay_here, batch))
                if len(pending) >= BATCHES_IN_FLIGHT * self._workers:
                    done, pending = concurrent.futures.wait(pending, return_when=concurrent.futures.FIRST_COMPLETED)
                    yield from (future.result() for future in done)
            yield from (future.result() for future in concurrent.futures.as_completed(pending))
        except BrokenProcessPool:
            raise ArenaError("a process that played matches again was killed; run the same command again") from None


_plan: list[Plan] = []  # this process's plan: a pool's functions have no other place to keep it


def _prepare(plan: Plan) -> None:
    _plan[:] = [plan]


def _replay_here(batch: list[MatchRecord]) -> tuple[int, Problems]:
    return _replay(_plan[0], batch)


def _replay(plan: Plan, batch: list[MatchRecord]) -> tuple[int, Problems]:
    problems: Problems = []
    for record in batch:
        setup = plan.setup(record.index)
        for text in match_problems(games.load(setup.game), setup, record):
            problems.append((record.index, f"match {record.index} ({record.match_id}): {text}"))
    return len(batch), problems
