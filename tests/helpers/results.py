"""Folders of results without a tournament: manifests, and the files that a tournament of given matches would leave."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from arena.ratings.models import STORED
from arena.ratings.order import history
from arena.ratings.settings import RatingSettings
from arena.ratings.standings import Standings
from arena.records import MatchRecord
from arena.results import parquet
from arena.results.manifest import BotEntry, Manifest, write_manifest
from helpers.records import numbered


def make_manifest(**changes: Any) -> Manifest:
    """The manifest of a finished league of two bots in one game."""
    bots = tuple(
        BotEntry(name=name, version=1, sha256="0" * 64, params="{}", games=("naga",), trusted=True, retired=name == "crashy")
        for name in ("naga_planner", "crashy")
    )
    values: dict[str, Any] = {
        "name": "duel", "finished": True, "started": "2026-11-21T10:00:00+00:00", "packages": {}, "rules_versions": {},
        "config": {"entries": [{"game": "naga", "pool": "naga", "deals": 100}]}, "bots": bots, "pools": ("naga",),
        "plan_sha256": "", "commitment": "", "matches": 2400, "played": 2400, "void": 2,
        "endings": {"played": 4793, "crash": 2, "timeout": 1, "host": 4},
    }  # fmt: skip
    return Manifest(**values | changes)


def write_results(out: Path, records: list[MatchRecord], *bots: str, pools: Mapping[str, Sequence[str]] | None = None) -> None:
    """The folder that a tournament of these matches would leave: of `bots` in Naga, or of the bots of each pool."""
    entrants = pools or {"naga": bots}
    folder = out / "cup"
    folder.mkdir()
    made_once(msgspec.msgpack.encode((records, entrants)), folder, lambda: _write(folder, numbered(records), entrants))


_made: dict[bytes, dict[str, bytes]] = {}


def made_once(key: bytes, folder: Path, write: Callable[[], object]) -> None:
    """Fill a new folder by `write`, or with the files that it once wrote for this key: to rate takes longer than most tests."""
    if key not in _made:
        write()
        _made[key] = {path.name: path.read_bytes() for path in folder.iterdir()}
    else:
        for name, content in _made[key].items():
            (folder / name).write_bytes(content)


def _write(folder: Path, records: list[MatchRecord], entrants: Mapping[str, Sequence[str]]) -> None:
    standings = Standings(RatingSettings(), {pool: [(bot, 1) for bot in found] for pool, found in entrants.items()})
    for record in records:
        standings.add(record)
    manifest = make_manifest(
        name="cup", bots=(), config={}, pools=tuple(entrants), matches=len(records), played=len(records), endings={}, void=0
    )
    write_manifest(folder, manifest)
    parquet.write_matches(folder, records)
    parquet.write_ratings(folder, standings.ratings(STORED))
    parquet.write_history(folder, history(standings.pools(), RatingSettings()))
    parquet.write_totals(folder)


HOSTILE = "</script><img src=x onerror=alert(1)>\"'&$x_1$\u202e{{ 7 }}"
"""A name that breaks out of every page that does not escape it."""
