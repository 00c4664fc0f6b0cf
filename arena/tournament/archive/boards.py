"""The rows that a board is made of, whether it is the board of a tournament or of the archive."""

import datetime
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from arena.disk import is_there
from arena.errors import ConfigError
from arena.records import MatchRecord
from arena.results import parquet
from arena.results.columns import Columns
from arena.results.manifest import Manifest, read_manifest
from arena.results.schema import LUCK, FaultPlace
from arena.tournament.archive import rows as archive_rows
from arena.tournament.archive.finding import public_keys
from arena.tournament.archive.folder import Entry, is_archive, rated_entries


def read_columns(folder: Path, names: Sequence[str], *, since: datetime.datetime | None = None) -> Columns:
    """Columns as arrays of all rows. Raises StoreError, and ConfigError where nothing started since then.

    `since`: only tournaments that started then or later. A tournament is in or out as a whole.
    """
    if is_archive(folder):
        entries = rated_entries(folder)
        rows = archive_rows.read_rows(entries, names, since=since)
        if since is not None and not rows.parts:
            newest = max((entry.started for entry in entries), default=None)
            raise ConfigError(
                f"--since {since.isoformat()}: no tournament of the archive started since then; the newest: {newest}"
            )
        return rows.columns
    if since is not None and (started := Entry(folder, read_manifest(folder)).started) < since:
        raise ConfigError(
            f"--since {since.isoformat()}: {folder.name} started before that, at {started.isoformat()}, and counts as a whole"
        )
    return parquet.read_columns(folder, names)


def read_luck(folder: Path, manifest: Manifest, columns: Columns) -> NDArray[np.float64] | None:
    """[rows]: the luck that the board of a tournament goes without; None: it takes none out. `columns`: with the index."""
    return None if manifest.luck_worth is None else parquet.read_luck_column(folder, columns.numbers["index"])


def read_known_luck(folder: Path, manifest: Manifest, columns: Columns) -> NDArray[np.float64] | None:
    """[rows]: the luck of each row, where it was worked out, whether or not the board goes without it."""
    if not manifest.luck or not is_there(folder / LUCK.file):
        return None
    return parquet.read_luck_column(folder, columns.numbers["index"])


def read_match_ids(folder: Path, rows: Iterable[int]) -> dict[int, str]:
    """The match ids (24 hex digits) of some rows, by row number in `read_columns`."""
    if is_archive(folder):
        return archive_rows.match_ids(archive_rows.counted(rated_entries(folder)), rows)
    return parquet.read_match_ids(folder, rows)


def find_matches(folder: Path, rows: Iterable[int]) -> dict[int, tuple[MatchRecord, str | None]]:
    """The matches of some rows, and the keys of their deals (hex; None: not public yet), by row number in `read_columns`."""
    if is_archive(folder):
        return archive_rows.find_matches(folder, rows)
    ids = parquet.read_match_ids(folder, rows)
    found = parquet.find_matches(folder, sorted(set(ids.values())))
    keys = public_keys(folder, found.values())
    return {row: (found[match_id], keys[match_id]) for row, match_id in ids.items()}


def locate_faults(folder: Path) -> list[FaultPlace]:
    """All faults of bots, in the order of their rows in `read_columns`."""
    return archive_rows.locate_faults(folder) if is_archive(folder) else parquet.locate_faults(folder)
