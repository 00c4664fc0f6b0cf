"""What a run writes into its folder: manifest, matches, ratings and their history, from the journal's rows in plan order."""

import datetime
import importlib.metadata
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from arena.errors import StoreError
from arena.ratings.history import history
from arena.ratings.orders import MOST_MATCHES, largest_shifts
from arena.ratings.overall import pool_weights
from arena.ratings.rows import PoolRows
from arena.ratings.standings import Standings, rate_and_compare
from arena.ratings.stored import COLUMNS, measured_entries, stored_pools
from arena.records import MatchRecord, Rating, canonical_json
from arena.results import parquet
from arena.results.hashing import ResultsHash
from arena.results.journal import Journal
from arena.results.manifest import BotEntry, LeftOut, Manifest, write_manifest
from arena.tournament.archive.luck import write_luck
from arena.tournament.config import Tournament
from arena.tournament.formats.plan import Plan
from arena.tournament.formats.schedule import Schedule
from arena.tournament.repeats import Repeats, stored_repeats
from arena.tournament.session import Progress

_PACKAGES = ("arena-hall", "ray", "numpy", "numba", "trueskill", "pyarrow")


class Writing:
    """The files of one tournament, whose folder is locked and whose journal is open."""

    def __init__(self, folder: Path, tournament: Tournament, journal: Journal, left_out: tuple[LeftOut, ...]) -> None:
        self._folder, self._tournament, self._journal, self._left_out = folder, tournament, journal, left_out
        self._started = _started(journal)

    def begin(self, plan: Plan, schedule: Schedule, progress: Progress) -> None:
        """Write the manifest of a tournament that is not finished, with what is known before its next match."""
        self._write_manifest(plan, schedule, progress, stored_repeats(self._journal), Counter(), is_finished=False)

    def write(
        self, plan: Plan, schedule: Schedule, progress: Progress, hear: Callable[[int], object], *, is_finished: bool
    ) -> tuple[Manifest, list[Rating]]:
        """Write everything, and return the manifest and the ratings. `hear` gets the number of matches whose luck is known.

        Raises StoreError if matches that were stored cannot be read any more.
        """
        settings = self._tournament.ratings
        results, endings, played, void_matches, unrated = ResultsHash(), Counter[str](), 0, 0, 0
        voids: Counter[tuple[str, int]] = Counter()
        again = stored_repeats(self._journal)
        standings = self._newcomers(plan, again)

        def rows() -> Iterator[MatchRecord]:
            nonlocal played, void_matches, unrated
            for record in self._journal.records():
                standings.add(record)
                results.add(record)
                endings.update(seat.ending.value for seat in record.seats)
                played += 1
                void_matches += record.is_void
                voids.update((seat.bot, seat.bot_version) for seat in record.seats if record.is_void)
                unrated += record.is_measured and not settings.measured
                yield record

        parquet.write_matches(self._folder, rows())
        luck = self._write_luck(plan, played, hear) if is_finished else {}
        takes_luck_out = settings.takes_luck_out and bool(luck)
        pools = self._without_luck(plan, again) if takes_luck_out else standings.pools()
        weights = pool_weights(((entry.pool, entry.game) for entry in plan.entries), settings)
        ratings, saved = rate_and_compare(pools, settings, weights=weights)
        parquet.write_ratings(self._folder, ratings)
        if is_finished and played != progress.done:
            raise StoreError(f"{self._journal.path}: {progress.done - played} matches cannot be read any more; restore it")
        parquet.write_history(self._folder, history(pools, settings))
        parquet.write_totals(self._folder)
        manifest = self._write_manifest(
            plan, schedule, progress, again, voids, is_finished=is_finished, played=played, void=void_matches, unrated=unrated,
            endings=dict(endings), rotations_saved=saved.rotations, luck=luck,
            luck_worth=saved.luck if takes_luck_out else None,
            order_shifts=largest_shifts(pools, settings, plan.sha256, most=MOST_MATCHES),
            results_sha256=results.results_sha256, reproducible_sha256=results.reproducible_sha256,
        )  # fmt: skip
        return manifest, ratings

    def _write_luck(self, plan: Plan, played: int, hear: Callable[[int], object]) -> dict[str, str]:
        """Write luck.parquet, if it is wanted; returns the hashes of what it was worked out by, for the manifest."""
        if not (self._tournament.ratings.luck or plan.format.uses_luck):
            return {}
        return write_luck(self._folder, plan, played, hear=hear)

    def _newcomers(self, plan: Plan, again: Repeats) -> Standings:
        """The ratings before the first match, for every rated pool with its field."""
        settings = self._tournament.ratings
        return Standings(settings, plan.pools(with_measured=settings.measured), without=self._unrated_bots(plan, again))

    def _without_luck(self, plan: Plan, again: Repeats) -> dict[str, PoolRows]:
        """The rated matches that are stored, each with its luck."""
        measured = self._tournament.ratings.measured
        columns = parquet.read_columns(self._folder, COLUMNS)
        return stored_pools(
            columns, plan.pools(with_measured=measured), without=self._unrated_bots(plan, again),
            unrated=() if measured else measured_entries(plan.document["entries"]),
            luck=parquet.read_luck_column(self._folder, columns.numbers["index"]),
        )  # fmt: skip

    def _unrated_bots(self, plan: Plan, again: Repeats) -> set[str]:
        bots = plan.contestants if self._tournament.ratings.repeatable else ()
        return {bot.name for bot in bots if again.of((bot.name, bot.version))[1]}

    def _write_manifest(
        self, plan: Plan, schedule: Schedule, progress: Progress, again: Repeats, voids: Counter[tuple[str, int]], *,
        is_finished: bool, **counts: Any,
    ) -> Manifest:  # fmt: skip
        """`again`: what playing matches again found; `voids`: the void matches of each bot, by name and version."""
        manifest = Manifest(
            name=progress.name,
            finished=is_finished,
            started=self._started,
            config={**plan.document, "ratings": msgspec.to_builtins(self._tournament.ratings)},
            packages={package: importlib.metadata.version(package) for package in _PACKAGES},
            rules_versions={entry.game: entry.rules_version for entry in plan.entries},
            bots=tuple(
                BotEntry(
                    name=bot.name, version=bot.version, sha256=bot.sha256, params=canonical_json(bot.params),
                    games=bot.games, trusted=bot.trusted, retired=place in schedule.retired,
                    void=voids[bot.name, bot.version], repeated=repeated, deviated=deviated,
                )
                for place, bot in enumerate(plan.contestants)
                for repeated, deviated in (again.of((bot.name, bot.version)),)
            ),
            left_out=self._left_out,
            pools=tuple(plan.pools()),
            plan_sha256=plan.sha256,
            commitment=plan.commitment,
            key=plan.key.hex() if is_finished else None,
            matches=progress.total,
            outcome=schedule.outcome,
            **counts,
        )  # fmt: skip
        write_manifest(self._folder, manifest)
        return manifest


def _started(journal: Journal) -> str:
    """When the first run of this tournament began: UTC, ISO 8601."""
    stored = journal.meta("started")
    if stored is None:
        stored = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds").encode()
        journal.set_meta({"started": stored})
    return stored.decode()
