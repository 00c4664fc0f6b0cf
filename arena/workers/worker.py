"""Plays a chunk of the plan in a worker process. Every backend runs the same code."""

import contextlib
import os
import resource
import time
import traceback
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import MappingProxyType

import msgspec

from arena import games
from arena.agent import BotFiles
from arena.cache import is_temporary
from arena.formats.plan import Plan
from arena.formats.stages import Stage
from arena.match import HostTrouble, Player, play
from arena.readiness import NotCompiled, Part, absent_parts, compile_here
from arena.records import MatchRecord
from arena.seats.choose import BotSeat, choose_seat, keeper_for
from arena.seats.sandbox import NAMESPACE, HeldSeat, LockError

NO_KILLS: Mapping[int, int] = MappingProxyType({})


class Job(msgspec.Struct, frozen=True):
    """Everything that a worker needs, by value: workers need no shared disk."""

    plan: Plan
    bots: Mapping[str, BotFiles]
    """The files of each bot, by content hash."""
    needs_lock: bool = True
    """Whether untrusted bots are refused on a machine that cannot lock them in."""
    isolation: str = NAMESPACE
    """The strongest isolation level to try."""

    def worker(self) -> "Worker":
        """The worker that plays this job; made in the worker process."""
        return Worker(self)


class Failure(msgspec.Struct, frozen=True):
    """A host fault: a match that failed through no bot, and is tried again."""

    reason: str
    """Why it failed: words or a traceback."""
    seat: int | None = None
    """The seat whose isolation failed; None: something else failed."""
    was_killed: bool = False
    """Whether that seat was killed from outside, such as by a kernel that is short of memory."""


class Chunk(msgspec.Struct, frozen=True):
    """The results of a chunk of matches."""

    records: list[MatchRecord]
    failures: dict[int, Failure]
    """The failures by index of the match."""
    seconds: float
    """The wall time of the chunk."""
    match_cpu: float
    """CPU seconds spent inside matches, locked seats included."""
    worker_cpu: float
    """CPU seconds of the worker process since its last chunk ended; 0 for its first chunk, which imports and loads."""
    lacking: dict[int, tuple[str, str]] = {}
    """The matches, by index, in which a bot asked for what is not compiled: a game, and a part of it."""


class Worker:
    """Plays the matches of one job, and keeps loaded games between chunks."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._plan = job.plan
        self._params = {bot.player: bot.params for bot in job.plan.contestants}
        self._nowhere = Path(os.devnull).open("w")  # noqa: SIM115  # for the life of the process
        self._trusted = {bot.player for bot in job.plan.contestants if bot.trusted}
        rooms = (entry.game for entry in job.plan.entries)
        self._keeper = keeper_for(rooms, level=job.isolation, needs_lock=job.needs_lock)
        self._cpu_before: float | None = None

    def close(self) -> None:
        """End the processes of locked seats. After this the worker plays nothing."""
        if self._keeper is not None:
            self._keeper.close()
        self._nowhere.close()

    def play(self, indices: Sequence[int], kills: Mapping[int, int] = NO_KILLS, stage: Stage | None = None) -> Chunk:
        """Play the matches with these indices; if one of them ends in a host fault, the others are played all the same.

        `kills`: how often each seat was killed from outside in earlier attempts at these matches, by seat. `stage`: the part
        of a ladder's plan that has them.
        """
        if stage is not None:
            self._plan = self._job.plan.with_stage(stage)
        began = time.perf_counter()
        records: list[MatchRecord] = []
        failures: dict[int, Failure] = {}
        lacking: dict[int, tuple[str, str]] = {}
        match_cpu = 0.0
        for index in indices:
            cpu = self._cpu_seconds()
            try:
                played = self.play_match(index, kills)
            except NotCompiled as needed:
                lacking[index] = needed.game, needed.part
            else:
                if isinstance(played, Failure):
                    failures[index] = played
                else:
                    records.append(played)
            match_cpu += self._cpu_seconds() - cpu
        now = self._cpu_seconds()
        worker_cpu = 0.0 if self._cpu_before is None else now - self._cpu_before
        self._cpu_before = now
        seconds = time.perf_counter() - began
        return Chunk(records, failures, seconds, match_cpu if worker_cpu else 0.0, worker_cpu, lacking)

    def play_match(self, index: int, kills: Mapping[int, int] = NO_KILLS) -> MatchRecord | Failure:
        """Play one match of the plan.

        Raises NotCompiled if a bot asks for a part of a room that is not in the cache: to compile it takes longer than a match
        may, and somebody should see it. What was compiled meanwhile is loaded, and the match begins anew.
        """
        while True:
            try:
                with absent_parts(_load):
                    return self._attempt(index, kills)
            except NotCompiled as needed:  # of a locked seat; each part once, for then its zygote has it
                _load(games.part(games.load(needed.game), needed.part))
                assert self._keeper is not None
                self._keeper.renew()

    def _attempt(self, index: int, kills: Mapping[int, int]) -> MatchRecord | Failure:
        seats: list[BotSeat] = []
        try:
            setup = self._plan.setup(index)
            with ExitStack() as opened:
                for place, (player, seed) in enumerate(zip(setup.players, setup.bot_seeds)):
                    seats.append(self._seat(player, seed, kills.get(place, 0)))
                    opened.callback(seats[-1].close)
                # what a bot prints does not reach the terminal
                with contextlib.redirect_stdout(self._nowhere), contextlib.redirect_stderr(self._nowhere):
                    return play(games.load(setup.game), setup, seats)
        except HostTrouble as trouble:
            seat = seats[trouble.seat]
            return Failure(str(trouble), trouble.seat, isinstance(seat, HeldSeat) and seat.was_killed)
        except LockError as error:
            return Failure(f"a bot that is not trusted cannot be locked in here: {error}")
        except Exception:
            return Failure(traceback.format_exc())

    def _seat(self, player: Player, seed: int, kills: int) -> BotSeat:
        return choose_seat(
            self._job.bots[player.sha256], is_trusted=player in self._trusted, keeper=self._keeper,
            limits=self._plan.limits, seed=seed, params=self._params[player], earlier_kills=kills,
        )  # fmt: skip

    def _cpu_seconds(self) -> float:
        """CPU time of this process and its ended children, and of the zygote and the locked seats that have ended."""
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        held = 0.0 if self._keeper is None else self._keeper.cpu_seconds()
        return time.process_time() + children.ru_utime + children.ru_stime + held


def _load(part: Part) -> None:
    """Load a part that is in the cache. Compile one only if nobody else could: where the cache is this process's alone."""
    if not part.is_compiled and not is_temporary():
        raise NotCompiled(part.game, part.name)
    compile_here(part)
