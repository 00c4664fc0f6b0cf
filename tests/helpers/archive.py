"""An archive of small tournaments: cups, as their runs would leave them."""

import hashlib
import random
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from arena.ratings.models import STORED
from arena.ratings.order import history
from arena.ratings.settings import RatingSettings
from arena.ratings.standings import Standings
from arena.records import Ending, FaultRecord, MatchRecord
from arena.results import parquet
from arena.results.hashing import ResultsHash
from arena.results.manifest import BotEntry, read_manifest, write_manifest
from arena.tournament.archive.adding import add_to_archive, rate_archive
from helpers.records import make_record, make_seat, numbered
from helpers.results import made_once, make_manifest

OLD = {"alice": "a" * 64, "bob": "b" * 64}
NEW = {**OLD, "bob": "c" * 64}


def cup(
    out: Path, name: str, day: int, seed: int, *, bots: dict[str, str] = OLD, matches: int = 24, key: str = "", **match: Any
) -> list[MatchRecord]:
    """A finished tournament of two seats, as its run would leave it; `key`: the commitment, by default its own."""
    source = random.Random(seed)
    records = []
    for number in range(matches):
        order = list(bots) if number % 2 else list(bots)[::-1]
        winner = source.choice(order)
        seats = tuple(
            make_seat(bot, 1 if bot == winner else 2, unit=seat, bot_sha256=bots[bot], score=float(bot == winner))
            for seat, bot in enumerate(order)
        )
        table = {"options": "{}", "rules_version": 1} | match
        records.append(make_record(0, seats, deal=number // 2, rotation=number % 2, **table))
    commitment = key or hashlib.sha256(name.encode()).hexdigest()
    ids = [hashlib.sha256(f"{commitment}{bots}{number}".encode()).hexdigest()[:24] for number in range(matches)]
    records = [replace(record, match_id=match_id) for record, match_id in zip(numbered(records), ids)]
    if len(records) > 3:
        records[3] = replace(records[3], faults=(FaultRecord(seat=1, decision=2, ending=Ending.CRASH, reason=name),))
    folder = out / name
    folder.mkdir(parents=True)
    key = msgspec.msgpack.encode((name, day, commitment, bots, records))
    made_once(key, folder, lambda: _write(folder, day, commitment, bots, records))
    return records


def _write(folder: Path, day: int, commitment: str, bots: dict[str, str], records: list[MatchRecord]) -> None:
    parquet.write_matches(folder, records)
    matches, pool = len(records), records[0].pool if records else "naga"
    standings = Standings(RatingSettings(), {pool: [(bot, 1) for bot in bots]})
    for record in records:
        standings.add(record)
    parquet.write_ratings(folder, standings.ratings(STORED))
    parquet.write_history(folder, history(standings.pools(), RatingSettings()))
    parquet.write_totals(folder)
    found = ResultsHash()
    for record in records:
        found.add(record)
    entry = {"game": "naga", "pool": pool, "options": {}, "seats": 2}
    manifest = make_manifest(
        name=folder.name, started=f"2026-11-{day:02}T12:00:00+00:00", commitment=commitment, key="00" * 32,
        results_sha256=found.results_sha256, reproducible_sha256=found.reproducible_sha256,
        rules_versions={record.game: record.rules_version for record in records}, matches=matches, played=matches, void=0,
        config={"entries": [entry]}, pools=(pool,), endings={"played": 2 * matches},
        bots=tuple(
            BotEntry(name=bot, version=1, sha256=sha256, params="{}", games=("naga",), trusted=True)
            for bot, sha256 in bots.items()
        ),
    )  # fmt: skip
    write_manifest(folder, manifest)


def gather(out: Path, *names: str) -> Path:
    """The archive with these tournaments, rated."""
    for name in names:
        assert add_to_archive(out / "archive", out / name) is not None
    rate_archive(out / "archive", lambda text: None)
    return out / "archive"


def board(folder: Path) -> object:
    """All that the archive has stored of its ratings."""
    return (
        read_manifest(folder), parquet.read_ratings(folder), parquet.read_history(folder), parquet.read_totals(folder),
    )  # fmt: skip


def three(out: Path) -> tuple[str, str, str]:
    """The second has matches of the first; the third came first, with another bob."""
    cup(out, "spring", 5, 1, key="d" * 64)
    cup(out, "summer", 6, 2, key="d" * 64, matches=40)
    cup(out, "winter", 1, 3, bots=NEW)
    return "spring", "summer", "winter"
