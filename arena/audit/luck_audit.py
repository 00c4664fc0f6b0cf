"""The luck of a tournament, audited: every number of luck.parquet is worked out anew from the logs."""

from collections.abc import Iterator
from pathlib import Path

from arena.errors import StoreError
from arena.ratings.match_luck import estimates
from arena.records import MatchLuck, SeatLuck
from arena.results import parquet
from arena.results.manifest import MANIFEST_FILE, Manifest
from arena.results.schema import LUCK, MATCHES
from arena.tournament.archive.luck import match_luck
from arena.tournament.formats.plan import Plan
from arena.tournament.workers.each_match import each_match

TOLERANCE = 2e-6
"""Shares of rivals: stored numbers have six decimals, and another machine may round the last one otherwise."""
NAMED = 20  # of a kind
_SHOWN = 12  # digits of a hash


def luck_problems(folder: Path, plan: Plan, manifest: Manifest, workers: int) -> Iterator[str]:
    """Yield what is wrong with luck.parquet, a sentence each; nothing where luck was not worked out. The matches are right."""
    if not manifest.luck:
        return
    here = {game: estimate.sha256 for game, estimate in estimates(entry.game for entry in plan.entries).items()}
    if here != manifest.luck:
        yield f"{MANIFEST_FILE}: luck: {_other_estimates(manifest, here)}; {_remedy(folder, plan, manifest)}"
        return
    named = 0
    try:
        stored = parquet.read_luck(folder)
        for found in each_match(match_luck, plan, parquet.read_matches(folder), workers):
            told = next(stored, None)
            if told is None or not _agrees(told, found):
                named += 1
                if named <= NAMED:
                    yield f"match {found.index} ({found.match_id}): luck is {_text(told)}; by the log {_text(found)}"
        if next(stored, None) is not None:
            yield f"{LUCK.file}: more matches than {MATCHES.file}"
    except StoreError as error:
        yield str(error)
    if named > NAMED:
        yield f"{LUCK.file}: {named - NAMED:,} more matches with other numbers"


def _other_estimates(manifest: Manifest, here: dict[str, str]) -> str:
    """Say by which estimates it was worked out, where they are not those of this version."""
    found = [
        f"{game} by {manifest.luck.get(game, 'none')[:_SHOWN]}, here is {here.get(game, 'none')[:_SHOWN]}"
        for game in sorted({*manifest.luck, *here})
        if manifest.luck.get(game) != here.get(game)
    ]
    return f"not worked out by the estimates of this version ({'; '.join(found)})"


def _remedy(folder: Path, plan: Plan, manifest: Manifest) -> str:
    wrote = f"verify it with the arena that wrote it ({manifest.packages.get('arena-hall', 'unknown version')})"
    if plan.format.uses_luck:
        return f"{wrote}; its verdict rests on them"
    if manifest.luck_worth is not None:
        return f"{wrote}, or run its command again, which rates it anew"
    return f"{wrote}, or: arena luck {folder.name}"


def _agrees(told: MatchLuck, found: MatchLuck) -> bool:
    if any(getattr(told, name) != getattr(found, name) for name in ("index", "match_id", "events")):
        return False
    names = SeatLuck.__struct_fields__
    return len(told.seats) == len(found.seats) and all(
        abs(getattr(one, name) - getattr(other, name)) <= TOLERANCE
        for one, other in zip(told.seats, found.seats)
        for name in names
    )


def _text(luck: MatchLuck | None) -> str:
    return "missing" if luck is None else ", ".join(f"{seat.luck:+.6f}" for seat in luck.seats) + f" of {luck.events} events"
