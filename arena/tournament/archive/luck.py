"""The luck of many stored matches, worked out on all cores, and written beside them when a tournament is over."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec
import numpy as np

from arena import games
from arena.disk import is_there
from arena.engine.readiness import CHANCE
from arena.errors import ConfigError, StoreError
from arena.match.log import check_log
from arena.names import in_words
from arena.ratings.match_luck import Numbers, estimates, luck_of, no_luck
from arena.ratings.rows import PoolRows
from arena.ratings.stored import COLUMNS, stored_pools, unrated_entries
from arena.records import MatchLuck, MatchRecord, SeatLuck
from arena.results import parquet
from arena.results.manifest import Manifest, read_manifest, write_manifest
from arena.results.schema import LUCK
from arena.tournament.formats.plan import Plan, read_plan
from arena.tournament.workers.compiling import Needs
from arena.tournament.workers.each_match import each_match
from arena.tournament.workers.processes import available_cpus

WITHOUT = "none of its games says what chance decides in it"
TOLD = 64  # matches from one word on how many are done to the next
MATCHES_FOR_ALL = 500  # below, starting more processes takes longer than it saves
_BLOCK = 1 << 12


class ToldLuck:
    """The luck of matches as their workers told it, by index in the plan: numbers without objects, as there may be millions."""

    def __init__(self) -> None:
        self._blocks: dict[tuple[int, int], Numbers] = {}  # [indices, events and three of each seat], by seats and block

    def add(self, lucks: Iterable[MatchLuck]) -> None:
        """Take in what a worker tells."""
        for luck in lucks:
            block, row = divmod(luck.index, _BLOCK)
            at = len(luck.seats), block
            if at not in self._blocks:
                self._blocks[at] = np.full((_BLOCK, 1 + 3 * len(luck.seats)), np.nan)
            self._blocks[at][row] = luck.events, *(number for seat in luck.seats for number in msgspec.structs.astuple(seat))

    def of(self, record: MatchRecord) -> MatchLuck | None:
        """The luck of a match of the journal; None if no worker told it, as of one that an earlier run played."""
        block, row = divmod(record.index, _BLOCK)
        numbers = self._blocks.get((len(record.seats), block))
        if numbers is None or np.isnan(numbers[row, 0]):
            return None
        events, *rest = numbers[row].tolist()
        seats = tuple(
            SeatLuck(luck=luck, dealt=dealt, bounded=bounded)
            for luck, dealt, bounded in zip(rest[::3], rest[1::3], rest[2::3], strict=True)
        )
        return MatchLuck(index=record.index, match_id=record.match_id, events=int(events), seats=seats)

    def count(self, first: int, last: int) -> int:
        """Return how many matches with plan index in first..last-1 it has."""
        return sum(
            int(np.count_nonzero(~np.isnan(numbers[max(0, first - block * _BLOCK) : max(0, last - block * _BLOCK), 0])))
            for (_, block), numbers in self._blocks.items()
        )


def write_luck(
    folder: Path, plan: Plan, matches: int, workers: int | None = None, hear: Callable[[int], object] = lambda _: None,
    told: ToldLuck | None = None,
) -> dict[str, str]:  # fmt: skip
    """Write luck.parquet beside the stored matches; returns the hash of each game's estimate for the manifest.

    `matches`: about how many there are; `workers`: by default one for a few matches, else as many as there are cores;
    `hear` gets the number of those that are done, now and then; `told`: what is known already. Writes nothing and returns
    nothing where no game has luck. The part CHANCE of the games should be compiled.
    """
    found, told = estimates(entry.game for entry in plan.entries), told or ToldLuck()
    if found:
        left = matches - told.count(0, len(plan))
        lucks = each_match(match_luck, plan, parquet.read_matches(folder), workers_for(left, workers), told.of)
        parquet.write_luck(folder, _counted(lucks, hear))
    return {game: estimate.sha256 for game, estimate in found.items()}


def add_luck(folder: Path, workers: int | None = None, compile: Callable[[Needs], object] = lambda _: None) -> Manifest:
    """Work out the luck of a finished tournament, if that was not done by today's estimates, and note it in its manifest.

    `compile`: has the parts ready. Raises StoreError for a tournament that is not over or has no luck.
    """
    manifest = read_manifest(folder)
    told = {game: estimate.sha256 for game, estimate in estimates(manifest.rules_versions).items()}
    if not told:
        raise StoreError(f"{folder}: {WITHOUT}")
    is_stored = is_there(folder / LUCK.file)
    if is_stored and (manifest.luck == told or manifest.luck_worth is not None):  # its ratings rest on what is stored
        return manifest
    plan = plan_of(folder, manifest)
    compile(dict.fromkeys(told, (CHANCE,)))
    changed = msgspec.structs.replace(manifest, luck=write_luck(folder, plan, manifest.played, workers))
    write_manifest(folder, changed)
    return changed


def plan_of(folder: Path, manifest: Manifest) -> Plan:
    """The plan of a finished tournament, with the key of its deals. Raises StoreError where there is none, or other rules."""
    if manifest.key is None:
        raise StoreError(f"{folder}: not a finished tournament: its luck is known when the key of its deals is public")
    for name, version in manifest.rules_versions.items():
        here = games.load(name).version
        if here != version:
            raise StoreError(f"{folder}: {name} was played by version {version} of its rules, here is version {here}")
    try:
        return read_plan(manifest.config, bytes.fromhex(manifest.key))
    except (ValueError, ConfigError) as error:
        raise StoreError(f"{folder}: its manifest tells no plan: {in_words(error)}") from None


def workers_for(matches: int, asked: int | None = None) -> int:
    """How many processes work out the luck of so many matches: as many as are asked for, or as pay."""
    if asked is not None:
        return asked
    return available_cpus() if matches >= MATCHES_FOR_ALL else 1


def pools_with_luck(folder: Path, manifest: Manifest) -> dict[str, PoolRows]:
    """The rated matches of a tournament with their luck, by pool. Raises StoreError where the files do not belong together."""
    columns = parquet.read_columns(folder, COLUMNS)
    luck = parquet.read_luck_column(folder, columns.numbers["index"])
    return stored_pools(columns, {}, without=manifest.unrated_bots, unrated=unrated_entries(manifest), luck=luck)


def _counted(lucks: Iterable[MatchLuck], hear: Callable[[int], object]) -> Iterator[MatchLuck]:
    for done, luck in enumerate(lucks, 1):
        if done % TOLD == 0:
            hear(done)
        yield luck


def match_luck(plan: Plan, record: MatchRecord) -> MatchLuck:
    """The luck of a stored match. Raises StoreError for one that the plan has otherwise, or whose log the rules do not allow.

    The part CHANCE of its game should be compiled: else it is compiled here.
    """
    setup = plan.setup(record.index)
    if (record.game, len(record.seats)) != (setup.game, len(setup.players)):
        raise StoreError(f"match {record.match_id}: damaged: not the match {record.index} of this plan")
    if not games.has_luck(setup.game):
        return no_luck(record)
    game = games.load(setup.game)
    check_log(game, record, setup.options, setup.deal_seed)
    return luck_of(game, setup, record)
