"""The ratings, history and totals of the lasting hall, worked out anew when a tournament has been added.

They are a pure function of the tournaments in the hall (tournament/archive/folder.py), so whoever looks first after one was
added works them out: ending a tournament costs no more beside a large hall than beside an empty one.
"""

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from arena.disk import lock, lock_file
from arena.errors import StoreError
from arena.ratings.overall import pool_weights
from arena.ratings.settings import RatingSettings
from arena.ratings.stored import COLUMNS, stored_pools, unrated_entries
from arena.records import Ending, json_object
from arena.results import parquet, totals
from arena.results.manifest import Manifest, write_manifest
from arena.tournament.archive.folder import entries, is_rated
from arena.tournament.archive.names import hall_bots
from arena.tournament.archive.pools import Pool
from arena.tournament.archive.rows import HallRows, read_rows
from arena.tournament.deciding import decide

LOCK_FILE = "lock"

Say = Callable[[str], None]


def rate_hall(hall: Path, say: Say) -> None:
    """Work out the board of the hall, unless another process has done so meanwhile. Raises StoreError."""
    with _locked(hall, say):
        if not is_rated(hall):
            _rate(hall, say)


def _rate(hall: Path, say: Say) -> None:
    everything = entries(hall)  # once: others may be added meanwhile
    costs = totals.totals(read_rows(everything, totals.COLUMNS).columns)
    rows = read_rows(everything, COLUMNS)
    matches = _matches(rows)
    say(f"rating the hall anew: {matches:,} matches, tournaments: {len(rows.parts)} ...")
    settings = RatingSettings()
    endings: Counter[Ending] = Counter()
    for total in costs:
        endings[total.ending] += total.seats
    chosen = [part.entry for part in rows.parts]
    config = {"entries": [_entry(pool) for pool in rows.pools], "ratings": msgspec.to_builtins(settings)}
    manifest = Manifest(
        name=hall.name, finished=True, started=chosen[0].manifest.started if chosen else "", plan_sha256="", commitment="",
        config=config, packages={}, rules_versions={}, bots=hall_bots(chosen),
        pools=(), matches=matches, played=matches, void=_void(rows), endings=dict(endings),
        tournaments=tuple(entry.folder.name for entry in chosen),
    )  # fmt: skip
    pools = dict(sorted(stored_pools(rows.columns, {}, unrated=unrated_entries(manifest)).items()))
    weights = pool_weights(((pool.name, pool.game) for pool in rows.pools), settings)
    decided = decide(pools, settings, weights, manifest.plan_sha256)
    parquet.write_ratings(hall, decided.ratings)
    parquet.write_history(hall, decided.history)
    parquet.write_totals(hall, costs)
    unrated = matches - manifest.void - sum(pool.matches for pool in pools.values())
    manifest = msgspec.structs.replace(
        manifest, pools=tuple(pools), rotations_saved=decided.saved.rotations,
        order_shifts=decided.order_shifts, unrated=unrated
    )  # fmt: skip
    write_manifest(hall, manifest)  # last: it says which tournaments the other files are about


def _matches(rows: HallRows) -> int:
    index = rows.columns.numbers["index"]
    return int(index[-1]) + 1 if len(index) else 0


def _void(rows: HallRows) -> int:
    """The number of matches that the host could not finish; all their seats say so."""
    endings = rows.columns.texts["ending"]
    failed = endings.codes == endings.code(Ending.HOST.value)
    return len(np.unique(rows.columns.numbers["index"][failed]))


def _entry(pool: Pool) -> dict[str, Any]:
    """A pool in the form that the resolved config of a tournament has."""
    return {
        "pool": pool.name, "game": pool.game, "seats": pool.seats, "options": json_object(pool.options),
        "rules_version": pool.rules_version,
    }  # fmt: skip


@contextlib.contextmanager
def _locked(hall: Path, say: Say) -> Iterator[None]:
    """Let one process at a time write the board; the system releases the lock of a process that dies."""
    try:
        with lock_file(hall / LOCK_FILE) as file:
            if lock(file, hall / LOCK_FILE, waits=False) is False:
                say("waiting for another process that rates the hall ...")
                lock(file, hall / LOCK_FILE, waits=True)
            yield
    except OSError as error:
        raise StoreError(f"{hall}: cannot be written: {error.strerror}") from None
