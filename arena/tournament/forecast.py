"""What a config would play, and how long it would take. Nothing is stored, and none of its matches is played.

The time is measured on a few other matches of each entry, spread over its tables, with cards of their own; where language
models play, on MODEL_MATCHES of theirs, whose tokens are counted: each of these calls costs.
"""

import itertools
import math
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import msgspec

from arena.errors import ArenaError
from arena.match.seeds import new_key
from arena.records import Ending
from arena.tournament.config import Tournament, read_config
from arena.tournament.field import least_isolation
from arena.tournament.formats.plan import Plan
from arena.tournament.models import Spending, check_can_ask, models_of
from arena.tournament.planning import plan as plan_of
from arena.tournament.session import Settings
from arena.tournament.workers.backend import Chunk
from arena.tournament.workers.compiling import needs_of, warm_games
from arena.tournament.workers.processes import available_cpus
from arena.tournament.workers.worker import Job, Worker

CALIBRATION_SECONDS = 1.5  # per entry, and the match that is running then
CALIBRATION_MATCHES = 200
MODEL_MATCHES = 2
"""How many matches with a language model are played for the estimate of each entry that has any."""
_LOOKED_AT = 2_000  # matches of a plan that are looked at to know in how many of them a model plays
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
    tokens: int | None = None
    """How many tokens the language models would use, prompts and answers together; None: none plays, or the format decides."""
    cost: float | None = None
    """What that would cost, by the config's prices; None: there are none."""


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
    tokens: int | None = None
    """How many tokens the language models would use; None: none plays, or it is not known."""
    cost: float | None = None
    currency: str = ""
    """The currency of the costs; empty: the config names no prices."""


def forecast(config: Path | Tournament, settings: Settings, say: Callable[[str], None]) -> Forecast:
    """Forecast a tournament. Raises ConfigError and BotError as the tournament itself would."""
    tournament = config if isinstance(config, Tournament) else read_config(config)
    planned = plan_of(tournament, replace(settings, fresh=True), say)  # whatever was begun before
    for one in planned.left_out:
        say(f"warning: {one.name} is left out, because it cannot be loaded: {one.reason}")
    plan = planned.plan
    matches = plan.format.most_matches(plan)  # refuses what cannot be played before anything is tried
    check_can_ask(tournament.bots, tournament.llm, is_offline=False, is_cluster=False)
    bots = {bot.files.sha256: bot.files for bot in tournament.bots}
    warm_games(needs_of(plan, bots, with_luck=planned.with_luck), say)
    job = Job(
        plan, bots,
        least=least_isolation(tournament, unsafe_trust_bots=settings.unsafe_trust_bots), isolation=settings.isolation,
        with_luck=planned.with_luck,
    )  # fmt: skip
    models = models_of(tournament.bots)
    entries = tuple(_entry(plan, place, job, Spending(tournament.llm, models), say) for place in range(len(plan.entries)))
    workers = settings.workers or available_cpus()
    seconds = sum((entry.matches or 0) * entry.seconds_per_match for entry in entries)
    if any(entry.matches is None for entry in entries):
        seconds = matches * sum(entry.seconds_per_match for entry in entries) / len(entries)
    return Forecast(
        name=planned.name, format=plan.format.name(), bots=len(plan.contestants), workers=workers,
        matches=matches, is_upper_bound=plan.format.MAY_END_EARLY, seconds=seconds / workers, entries=entries,
        tokens=_sum(entry.tokens for entry in entries),
        cost=_sum(entry.cost for entry in entries),
        currency="" if tournament.llm.prices is None else tournament.llm.prices.currency,
    )  # fmt: skip


N = TypeVar("N", int, float)


def _sum(numbers: Iterable[N | None]) -> N | None:
    """The sum; None where some number is not known."""
    found = list(numbers)
    known = [number for number in found if number is not None]
    return sum(known[1:], known[0]) if known and len(known) == len(found) else None


def _entry(plan: Plan, place: int, job: Job, spending: Spending, say: Callable[[str], None]) -> EntryForecast:
    entry = plan.entries[place]
    size = plan.format.entry_size(plan, place)
    what = f"{MODEL_MATCHES} matches with a language model" if spending.models else "a few matches"
    say(f"{entry.pool}: playing {what} to see how long they take ...")
    played, seconds, faults, share = _calibrate(plan, place, job, spending, say)
    times = None if size.matches is None or not spending.models else share * size.matches / max(1, played)
    is_priced = spending.run.prices is not None and not spending.unpriced
    return EntryForecast(
        pool=entry.pool, game=entry.game, seats=entry.seats, bots=len(plan.field(entry)), tables=size.tables, deals=size.deals,
        rotations=plan.orders_at(place), matches=size.matches, balance=plan.format.balance_text(plan, place),
        calibrated=played, seconds_per_match=share * seconds / max(1, played), faults=faults,
        tokens=None if times is None else round(spending.tokens * times),
        cost=spending.cost * times if times is not None and is_priced else None,
    )  # fmt: skip


def _calibrate(
    plan: Plan, place: int, job: Job, spending: Spending, say: Callable[[str], None]
) -> tuple[int, float, int, float]:  # fmt: skip
    """Play a few matches of an entry; returns their number, their seconds, how many seats had faults, and a share.

    Of models only matches with one are played; the share is that of such matches in the plan, else 1. What was used is added
    to `spending`. Raises ArenaError if a model cannot be asked.
    """
    alone = msgspec.structs.replace(plan, entries=(plan.entries[place],), format=plan.format.trial(), key=new_key())
    worker = Worker(msgspec.structs.replace(job, plan=alone))
    tried = [int(len(alone) * math.fmod((number + 1) * _SPREAD, 1.0)) for number in range(min(len(alone), _LOOKED_AT))]
    chosen, most, share = tried, CALIBRATION_MATCHES, 1.0
    if spending.models:
        models = {number for number, bot in enumerate(alone.contestants) if bot.sha256 in spending.models}
        chosen = [index for index in tried if not models.isdisjoint(alone.bots(index))]
        most, share = MODEL_MATCHES, len(chosen) / max(1, len(tried))
    try:
        if not spending.models:
            _played(worker, 0, say)  # what is loaded once does not count
        began, played, faults = time.perf_counter(), 0, 0
        for index in itertools.cycle(chosen):
            is_late = time.perf_counter() - began >= CALIBRATION_SECONDS and not spending.models
            if played >= most or (played and is_late):
                break
            chunk = _played(worker, index, say)
            if spending.models and chunk.failures:
                raise ArenaError(f"{plan.entries[place].pool}: {next(iter(chunk.failures.values())).reason}")
            spending.add(chunk.records)
            faults += sum(seat.ending is not Ending.PLAYED for record in chunk.records for seat in record.seats)
            played += 1
        return played, time.perf_counter() - began, faults, share
    finally:
        worker.close()


def _played(worker: Worker, index: int, say: Callable[[str], None]) -> Chunk:
    """One match; what its bots ask for is compiled, and it is played again."""
    while (chunk := worker.play([index])).lacking:
        warm_games({asked.game: (asked.part,) for asked in chunk.lacking.values()}, say)
    return chunk
