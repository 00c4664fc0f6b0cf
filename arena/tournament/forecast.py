"""What a config would play, and how long it would take. Nothing is stored, and none of its matches is played.

The time is measured on a few other matches of each entry, spread over its tables, with cards of their own.
"""

import math
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec

from arena.match.seeds import new_key
from arena.records import Ending
from arena.tournament.config import Tournament, read_config
from arena.tournament.field import least_isolation
from arena.tournament.formats.plan import Plan
from arena.tournament.planning import plan as plan_of
from arena.tournament.session import Settings
from arena.tournament.workers.backend import Chunk
from arena.tournament.workers.compiling import needs_of, warm_games
from arena.tournament.workers.processes import available_cpus
from arena.tournament.workers.worker import Job, Worker

CALIBRATION_SECONDS = 1.5  # per entry, and the match that is running then
CALIBRATION_MATCHES = 200
_SPREAD = (math.sqrt(5) - 1) / 2  # steps of the golden ratio fill a plan evenly, however many there are


class EntryForecast(msgspec.Struct, frozen=True, kw_only=True):
    """The forecast for one game of a config."""

    pool: str
    game: str
    seats: int
    bots: int
    """How many bots play the game."""
    tables: int | None
    """How many tables play each deal; None: the format decides along the way."""
    deals: int
    rotations: int
    """How many matches each table plays with each deal."""
    matches: int | None
    """How many matches the game has; None: the format decides along the way."""
    balance: str
    """How often the bots meet each other, in words."""
    calibrated: int
    """How many matches were played for the estimate."""
    seconds_per_match: float
    """The wall time of a match in one worker, in seconds."""
    faults: int
    """How many seats of those matches ended in a fault."""


class Forecast(msgspec.Struct, frozen=True, kw_only=True):
    """The forecast for a config."""

    name: str
    format: str
    bots: int
    workers: int
    matches: int
    """How many matches would be played; the most, if `is_upper_bound`."""
    is_upper_bound: bool
    seconds: float
    """The expected wall time with `workers` workers, in seconds."""
    entries: tuple[EntryForecast, ...]


def forecast(config: Path | Tournament, settings: Settings, say: Callable[[str], None]) -> Forecast:
    """Forecast a tournament. Raises ConfigError and BotError as the tournament itself would."""
    tournament = config if isinstance(config, Tournament) else read_config(config)
    planned = plan_of(tournament, replace(settings, fresh=True))  # whatever was begun before
    for one in planned.left_out:
        say(f"warning: {one.name} is left out, because it cannot be loaded: {one.reason}")
    plan = planned.plan
    matches = plan.format.most_matches(plan)  # refuses what cannot be played before anything is tried
    bots = {bot.files.sha256: bot.files for bot in tournament.bots}
    warm_games(needs_of(plan, bots, with_luck=planned.with_luck), say)
    job = Job(
        plan, bots,
        least=least_isolation(tournament, unsafe_trust_bots=settings.unsafe_trust_bots), isolation=settings.isolation,
        with_luck=planned.with_luck,
    )  # fmt: skip
    entries = tuple(_entry(plan, place, job, say) for place in range(len(plan.entries)))
    workers = settings.workers or available_cpus()
    seconds = sum((entry.matches or 0) * entry.seconds_per_match for entry in entries)
    if any(entry.matches is None for entry in entries):
        seconds = matches * sum(entry.seconds_per_match for entry in entries) / len(entries)
    return Forecast(
        name=planned.name, format=plan.format.name(), bots=len(plan.contestants), workers=workers,
        matches=matches, is_upper_bound=plan.format.MAY_END_EARLY, seconds=seconds / workers, entries=entries,
    )  # fmt: skip


def _entry(plan: Plan, place: int, job: Job, say: Callable[[str], None]) -> EntryForecast:
    entry = plan.entries[place]
    say(f"{entry.pool}: playing a few matches to see how long they take ...")
    played, seconds, faults = _calibrate(plan, place, job, say)
    size = plan.format.entry_size(plan, place)
    return EntryForecast(
        pool=entry.pool, game=entry.game, seats=entry.seats, bots=len(plan.field(entry)), tables=size.tables, deals=size.deals,
        rotations=plan.orders_at(place), matches=size.matches, balance=plan.format.balance_text(plan, place),
        calibrated=played, seconds_per_match=seconds / max(1, played), faults=faults,
    )  # fmt: skip


def _calibrate(plan: Plan, place: int, job: Job, say: Callable[[str], None]) -> tuple[int, float, int]:
    """Play a few matches of an entry; returns their number, their seconds, and how many seats had faults."""
    alone = msgspec.structs.replace(plan, entries=(plan.entries[place],), format=plan.format.trial(), key=new_key())
    worker = Worker(msgspec.structs.replace(job, plan=alone))
    try:
        _played(worker, 0, say)  # what is loaded once does not count
        began, played, faults = time.perf_counter(), 0, 0
        while played < CALIBRATION_MATCHES and (not played or time.perf_counter() - began < CALIBRATION_SECONDS):
            index = int(len(alone) * math.fmod((played + 1) * _SPREAD, 1.0))
            records = _played(worker, index, say).records
            faults += sum(seat.ending is not Ending.PLAYED for record in records for seat in record.seats)
            played += 1
        return played, time.perf_counter() - began, faults
    finally:
        worker.close()


def _played(worker: Worker, index: int, say: Callable[[str], None]) -> Chunk:
    """One match; what its bots ask for is compiled, and it is played again."""
    while (chunk := worker.play([index])).lacking:
        warm_games({asked.game: (asked.part,) for asked in chunk.lacking.values()}, say)
    return chunk
