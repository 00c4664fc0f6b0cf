"""Tournaments in the test's own process: most tests are about decisions and not about workers."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from arena.agent import BotFiles
from arena.match.probe import Profile, probe, profile
from arena.tournament import field, playing
from arena.tournament.formats.tables import Stage
from arena.tournament.workers import worker
from arena.tournament.workers.backend import FIRST, Chunk, Lost, Past, Ticket
from arena.tournament.workers.worker import Job, Worker

_replaced = pytest.MonkeyPatch()


def start_processes(*, is_wanted: bool) -> None:
    """Whether matches are played in processes of their own from now on.

    Trusted bots are asked here what they play (else: tests/match/test_probe.py, and all tests of `arena tournament` itself).
    Here no caches are filled between matches: where the largest has 300 MB, that takes longer than the match.
    """
    _replaced.undo()
    _replaced.setattr(field, "probe", _profiles)
    if not is_wanted:
        _replaced.setattr(worker, "forget_caches", lambda: None)
        _replaced.setattr(playing, "LocalBackend", InProcessBackend)


def _profiles(bots: Sequence[BotFiles], seconds: float) -> list[Profile]:
    """What bots say of themselves, in this process if they are Python."""
    return [profile(bot) if bot.command is None and bot.model is None else probe([bot], seconds)[0] for bot in bots]


@contextmanager
def in_processes() -> Iterator[None]:
    """For a while as outside tests, for a fixture: a test has the marker `processes`."""
    was_wanted = playing.LocalBackend is not InProcessBackend
    start_processes(is_wanted=True)
    try:
        yield
    finally:
        start_processes(is_wanted=was_wanted)


class InProcessBackend:
    """Implements backend.Backend; takes the place of LocalBackend."""

    falls_together = False

    def __init__(self, job: Job, workers: int) -> None:
        self.slots, self.stage = workers, None
        self._worker = Worker(job)
        self._waiting: list[tuple[Ticket, list[int], Past, Stage | None]] = []
        self._number = 0

    def __enter__(self) -> "InProcessBackend":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def submit(self, indices: Sequence[int], past: Past = FIRST) -> Ticket:
        self._number += 1
        self._waiting.append((self._number, list(indices), past, self.stage))
        return self._number

    def wait(self, seconds: float) -> list[tuple[Ticket, Chunk | Lost]]:
        """The newest first: the order in which chunks end must not matter."""
        waiting, self._waiting = self._waiting[::-1], []
        return [(ticket, self._worker.play(indices, past, stage)) for ticket, indices, past, stage in waiting]

    def compile(self, game: str, part: str) -> bool:
        return False

    def cancel(self, ticket: Ticket) -> None:
        raise AssertionError("nothing is ever late here")

    def close(self) -> None:
        self._worker.close()
