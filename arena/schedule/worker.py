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
from arena.match import HostTrouble, Player, play
from arena.records import MatchRecord
from arena.schedule.plan import Plan
from arena.seats.in_process import InProcessSeat
from arena.seats.sandbox import NAMESPACE, Keeper, LockedSeat, LockError, can_have_processes


class Job(msgspec.Struct, frozen=True):
    """All that a worker needs, by value: no shared disk is assumed."""

    plan: Plan
    bots: dict[str, BotFiles]
    """By content hash."""
    needs_lock: bool = True
    """Whether untrusted bots are refused where they cannot be locked in."""
    isolation: str = NAMESPACE
    """The strongest to try."""


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
    killed: tuple[int, ...] = ()
    """Of the failures: those in which a seat was killed from outside (the kernel, short of memory)."""


class SeatKilled(HostTrouble):
    """A seat was killed from outside: the third time in one match, its bot takes too much memory."""


class Worker:
    """Plays matches of one job; keeps loaded games between chunks."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._params = {bot.player: bot.params for bot in job.plan.contestants}
        self._nowhere = Path(os.devnull).open("w")  # noqa: SIM115  # for the life of the process
        self._trusted = {bot.player for bot in job.plan.contestants if bot.trusted}
        self._keeper = Keeper(
            (entry.game for entry in job.plan.entries), level=job.isolation, needs_lock=job.needs_lock
        )  # starts its zygote at the first locked seat
        self._cpu_before: float | None = None

    def close(self) -> None:
        """End the processes of locked seats."""
        self._keeper.close()

    def play(self, indices: Sequence[int], kills: int = 0) -> Chunk:
        """Play matches of the plan; a failure of ours in one of them does not hurt the others.

        `kills`: how often a seat of these matches was killed from outside before.
        """
        began = time.perf_counter()
        records: list[MatchRecord] = []
        failures: dict[int, str] = {}
        killed: list[int] = []
        match_cpu = 0.0
        for index in indices:
            cpu = _cpu_seconds()
            try:
                records.append(self._match(index, kills))
            except HostTrouble as trouble:
                failures[index] = str(trouble)
                if isinstance(trouble, SeatKilled):
                    killed.append(index)
            except LockError as error:
                failures[index] = f"a bot that is not trusted cannot be locked in here: {error}"
            except Exception:
                failures[index] = traceback.format_exc()
            match_cpu += _cpu_seconds() - cpu
        now = _cpu_seconds()
        worker_cpu = 0.0 if self._cpu_before is None else now - self._cpu_before
        self._cpu_before = now
        return Chunk(
            records, failures, time.perf_counter() - began, match_cpu if worker_cpu else 0.0, worker_cpu, tuple(killed)
        )

    def _match(self, index: int, kills: int) -> MatchRecord:
        setup = self._job.plan.setup(index)
        with ExitStack() as opened:
            seats = [self._seat(player, seed, kills) for player, seed in zip(setup.players, setup.bot_seeds)]
            for seat in seats:
                opened.callback(seat.close)
            try:
                # a bot that prints does not reach the hall's terminal
                with contextlib.redirect_stdout(self._nowhere), contextlib.redirect_stderr(self._nowhere):
                    return play(games.load(setup.game), setup, seats)
            except HostTrouble as trouble:
                if any(isinstance(seat, LockedSeat) and seat.was_killed for seat in seats):
                    raise SeatKilled(str(trouble)) from None
                raise

    def _seat(self, player: Player, seed: int, kills: int) -> InProcessSeat | LockedSeat:
        """In this process for a trusted bot, locked in for every other one."""
        bot, params = self._job.bots[player.sha256], self._params[player]
        is_open = player in self._trusted or (not self._job.needs_lock and not can_have_processes())
        if is_open:
            return InProcessSeat(partial(LoadedBot, bot), seed, params)
        return LockedSeat(self._keeper, bot, seed=seed, params=params, memory=self._job.plan.memory, earlier_kills=kills)


def _cpu_seconds() -> float:
    """Of this process and its ended children."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
