"""What a worker process does: play a chunk of the plan. The same code behind every backend."""

import contextlib
import os
import time
import traceback
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import msgspec

from arena import game as games
from arena.agent import BotFiles, LoadedBot
from arena.match import Seat, play
from arena.records import MatchRecord
from arena.schedule.plan import Plan
from arena.seats.in_process import InProcessSeat


class Job(msgspec.Struct, frozen=True):
    """All that a worker needs, by value: no shared disk is assumed."""

    plan: Plan
    bots: dict[str, BotFiles]
    """By content hash."""


class Chunk(msgspec.Struct, frozen=True):
    """What came of a chunk of plan indices."""

    records: list[MatchRecord]
    failures: dict[int, str]
    """By index: our own failure, as a traceback; such a match is tried again."""
    seconds: float
    """Wall time."""
    match_cpu: float
    """CPU seconds inside matches."""
    worker_cpu: float
    """CPU seconds of the worker process since its last chunk ended; 0 for its first chunk (imports, loading)."""


class Worker:
    """Plays matches of one job; keeps loaded games between chunks."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._params = {bot.player: bot.params for bot in job.plan.contestants}
        self._nowhere = Path(os.devnull).open("w")  # noqa: SIM115  # for the life of the process
        self._cpu_before: float | None = None

    def play(self, indices: Sequence[int]) -> Chunk:
        """Play matches of the plan; a failure of ours in one of them does not hurt the others."""
        began = time.perf_counter()
        records: list[MatchRecord] = []
        failures: dict[int, str] = {}
        match_cpu = 0.0
        for index in indices:
            cpu = _cpu_seconds()
            try:
                records.append(self._match(index))
            except Exception:
                failures[index] = traceback.format_exc()
            match_cpu += _cpu_seconds() - cpu
        now = _cpu_seconds()
        worker_cpu = 0.0 if self._cpu_before is None else now - self._cpu_before
        self._cpu_before = now
        return Chunk(records, failures, time.perf_counter() - began, match_cpu if worker_cpu else 0.0, worker_cpu)

    def _match(self, index: int) -> MatchRecord:
        setup = self._job.plan.setup(index)
        with ExitStack() as opened:
            seats: list[Seat] = []
            for player, seed in zip(setup.players, setup.bot_seeds):
                load = partial(LoadedBot, self._job.bots[player.sha256])
                seats.append(opened.enter_context(InProcessSeat(load, seed, self._params[player])))
            # a bot that prints does not reach the hall's terminal
            with contextlib.redirect_stdout(self._nowhere), contextlib.redirect_stderr(self._nowhere):
                return play(games.load(setup.game), setup, seats)


def _cpu_seconds() -> float:
    """Of this process and its ended children."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
