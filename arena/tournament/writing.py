"""What a tournament writes into its folder: the rows in plan order, then what they say, and last the manifest."""

import datetime
import importlib.metadata
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import msgspec

from arena.errors import StoreError
from arena.records import MatchRecord, canonical_json
from arena.results import parquet
from arena.results.hashing import ResultsHash
from arena.results.journal import Journal
from arena.results.manifest import BotEntry, Manifest, write_manifest
from arena.tournament.archive.luck import write_luck
from arena.tournament.deciding import Decided
from arena.tournament.formats.schedule import Schedule
from arena.tournament.models import Spending, models_of
from arena.tournament.planning import Planned
from arena.tournament.playing import Played
from arena.tournament.repeats import stored_repeats
from arena.tournament.session import Observer, Results

_PACKAGES = ("arena-hall", "ray", "numpy", "numba", "trueskill", "pyarrow")


@dataclass
class Rows:
    """The rows of a tournament as they were written, counted."""

    hashes: ResultsHash = field(default_factory=ResultsHash)
    endings: Counter[str] = field(default_factory=Counter)
    """How many seats ended in each way."""
    played: int = 0
    void: int = 0
    measured: int = 0
    """How many matches measured latency."""
    voids: Counter[tuple[str, int]] = field(default_factory=Counter)
    """The void matches of each bot, by name and version."""
    asking: set[tuple[str, int]] = field(default_factory=set)
    """The bots that ask something outside themselves, by name and version."""
    luck: dict[str, str] = field(default_factory=dict)
    """The hash of each game's estimate of luck; empty where luck was not worked out."""

    def counting(self, records: Iterable[MatchRecord]) -> Iterator[MatchRecord]:
        """The same records, counted as they pass."""
        for record in records:
            self.hashes.add(record)
            self.endings.update(seat.ending.value for seat in record.seats)
            self.played += 1
            self.void += record.is_void
            self.voids.update((seat.bot, seat.bot_version) for seat in record.seats if record.is_void)
            self.measured += record.is_measured
            self.asking.update((seat.bot, seat.bot_version) for seat in record.seats if seat.asks_outside)
            yield record


def write_rows(planned: Planned, played: Played, journal: Journal, observer: Observer) -> Rows:
    """Write matches.parquet and, of a tournament that is over, luck.parquet where it is wanted.

    Raises StoreError if matches that were stored cannot be read any more.
    """
    rows, plan, progress = Rows(), played.schedule.plan, played.progress
    spending = Spending(planned.tournament.llm, models_of(planned.tournament.bots))
    parquet.write_matches(planned.folder, rows.counting(journal.records()), cost_of=spending.cost_of)
    if played.is_interrupted:
        return rows
    if rows.played != progress.done:
        raise StoreError(f"{journal.path}: {progress.done - rows.played} matches cannot be read any more; restore it")
    if planned.with_luck:
        began = time.monotonic()

        def hear(done: int) -> None:
            progress.weighed, progress.weighing_seconds = done, time.monotonic() - began
            observer.progress(progress)

        rows.luck = write_luck(planned.folder, plan, rows.played, hear=hear, told=played.lucks)
    return rows


def write(planned: Planned, played: Played, rows: Rows, decided: Decided, journal: Journal) -> Results:
    """Write what was decided, and the manifest of a tournament that is over, or was interrupted."""
    parquet.write_ratings(planned.folder, decided.ratings)
    parquet.write_history(planned.folder, decided.history)
    parquet.write_totals(planned.folder)
    settings, is_finished = planned.tournament.ratings, not played.is_interrupted
    manifest = msgspec.structs.replace(
        _manifest(planned, played.schedule, journal, matches=played.progress.total, rows=rows),
        finished=is_finished, key=played.schedule.plan.key.hex() if is_finished else None,
        played=rows.played, void=rows.void, unrated=0 if settings.measured else rows.measured, endings=dict(rows.endings),
        rotations_saved=decided.saved.rotations, order_shifts=decided.order_shifts,
        luck=rows.luck, luck_worth=decided.saved.luck if settings.takes_luck_out and rows.luck else None,
        results_sha256=rows.hashes.results_sha256, reproducible_sha256=rows.hashes.reproducible_sha256,
    )  # fmt: skip
    write_manifest(planned.folder, manifest)
    return Results(planned.folder, manifest, decided.ratings, played.tally, played.schedule)


def write_beginning(planned: Planned, schedule: Schedule, journal: Journal) -> None:
    """Write the manifest of a tournament that goes on, with what is known before its next match."""
    write_manifest(planned.folder, _manifest(planned, schedule, journal, matches=planned.matches(schedule), rows=Rows()))


def unrated_bots(planned: Planned, journal: Journal) -> set[str]:
    """The names of bots whose matches the config leaves unrated, because they acted otherwise in a match played again."""
    again = stored_repeats(journal)
    bots = planned.plan.contestants if planned.tournament.ratings.repeatable else ()
    return {bot.name for bot in bots if again.of((bot.name, bot.version))[1]}


def _manifest(planned: Planned, schedule: Schedule, journal: Journal, *, matches: int, rows: Rows) -> Manifest:
    plan, again = schedule.plan, stored_repeats(journal)
    return Manifest(
        name=planned.name,
        finished=False,
        started=_started(journal),
        config={**plan.document, "ratings": msgspec.to_builtins(planned.tournament.ratings)},
        packages={package: importlib.metadata.version(package) for package in _PACKAGES},
        rules_versions={entry.game: entry.rules_version for entry in plan.entries},
        bots=tuple(
            BotEntry(
                name=bot.name, version=bot.version, sha256=bot.sha256, params=canonical_json(bot.params),
                games=bot.games, trusted=bot.trusted, retired=place in schedule.retired,
                void=rows.voids[bot.name, bot.version], repeated=repeated, deviated=deviated,
                asks_outside=(bot.name, bot.version) in rows.asking,
            )
            for place, bot in enumerate(plan.contestants)
            for repeated, deviated in (again.of((bot.name, bot.version)),)
        ),
        left_out=planned.left_out,
        pools=tuple(plan.pools()),
        plan_sha256=plan.sha256,
        commitment=plan.commitment,
        matches=matches,
        outcome=schedule.outcome,
    )  # fmt: skip


def _started(journal: Journal) -> str:
    """Return when the first run of this tournament began: UTC, ISO 8601."""
    stored = journal.meta("started")
    if stored is None:
        stored = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds").encode()
        journal.set_meta({"started": stored})
    try:
        return datetime.datetime.fromisoformat(stored.decode()).isoformat(timespec="seconds")
    except ValueError:  # of UnicodeDecodeError, too
        raise StoreError(f"{journal.path}: the row of 'started' is not ours: no time") from None
