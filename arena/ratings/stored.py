"""The rating pools of a stored tournament: columns -> PoolRows, without a step of Python per row.

The same arrays that `rows.Collector` gives for the same matches one by one, so that ratings of stored rows are those of the
tournament to the last digit.
"""

import dataclasses
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from arena import games
from arena.errors import ConfigError, StoreError
from arena.ratings.factor_graph import MAX_SEATS
from arena.ratings.losers import said_by_game, seems_to_name_loser
from arena.ratings.overall import pool_weights
from arena.ratings.rows import Bot, PoolRows
from arena.ratings.settings import RatingSettings, settings_of
from arena.records import Ending, canonical_json
from arena.results.columns import Columns, match_starts
from arena.results.manifest import MANIFEST_FILE, Manifest

COLUMNS = ("index", "game", "pool", "options", "deal", "seat", "unit", "bot", "bot_version", "place", "score", "ending")
"""The columns of matches.parquet that ratings are made of."""


class StoredRows:
    """The rated matches among the rows of a tournament."""

    def __init__(
        self, columns: Columns, *, without: Collection[str] = (), unrated: Collection[tuple[str, str]] = (),
        luck: NDArray[np.float64] | None = None,
    ) -> None:  # fmt: skip
        """Take the rows of all matches that are not void and not left out. Raises StoreError for damaged rows.

        `without`: names of bots, whose matches are left out whole; `unrated`: games with options, as the rows have them;
        `luck` [rows]: the luck of each row, where the ratings go without it.
        """
        self._columns, self._luck = columns, luck
        self.starts = _starts(columns)
        """The first row of each match, and the number of rows: an array [matches + 1]; void matches are included."""
        heads = self.starts[:-1]
        self._seats = np.diff(self.starts)
        self._pools = columns.texts["pool"].codes[heads]
        self._bots, self._numbers = _bots(columns)
        ending = columns.texts["ending"]
        self._faults = np.array([_ending(columns.path, text).blame == "bot" for text in ending.values], np.bool_)
        unwanted = ending.codes == ending.code(Ending.HOST.value)
        for number, bot in enumerate(self._bots):
            if bot[0] in without:
                unwanted |= self._numbers == number
        game, options = columns.texts["game"], columns.texts["options"]
        for name, text in unrated:
            unwanted |= (game.codes == game.code(name)) & (options.codes == options.code(text))
        self._rated = ~np.logical_or.reduceat(unwanted, heads) if len(heads) else np.zeros(0, np.bool_)

    @property
    def pools(self) -> tuple[str, ...]:
        """The pools that have rated matches, in stored order."""
        codes, first = np.unique(self._pools[self._rated], return_index=True)
        return tuple(self._columns.texts["pool"].values[codes[place]] for place in np.argsort(first))

    def row_numbers(self, pool: str) -> NDArray[np.int64]:
        """[rows of the pool]: for each row of `pool_rows` its number among the stored rows."""
        return np.flatnonzero(np.repeat(self._chosen(pool), self._seats))

    def pool_rows(self, pool: str, bots: Iterable[Bot] = ()) -> PoolRows:
        """The rated matches of a pool. `bots`: the bots to list first, even if they never played."""
        chosen = self._chosen(pool)
        rows = np.repeat(chosen, self._seats)
        numbers, texts = self._columns.numbers, self._columns.texts
        seats = self._seats[chosen]
        heads = self.starts[:-1][chosen]
        listed, places = self._listed(self._numbers[rows], bots)
        return PoolRows(
            listed,
            np.concatenate([np.zeros(1, np.int64), np.cumsum(seats, dtype=np.int64)]),
            _in_order_met(texts["options"].codes[heads], seats, numbers["deal"][heads]),
            places,
            numbers["unit"][rows],
            numbers["place"][rows],
            numbers["score"][rows],
            self._faults[texts["ending"].codes[rows]],
            None if self._luck is None else self._luck[rows],
            self._named_losers(chosen, seats, numbers["place"][rows]),
        )

    def with_luck(self, pool: str, luck: NDArray[np.float64]) -> PoolRows:
        """The rated matches of a pool with their luck. `luck`: that of each stored row."""
        return dataclasses.replace(self.pool_rows(pool), luck=luck[self.row_numbers(pool)])

    def _chosen(self, pool: str) -> NDArray[np.bool_]:
        """[matches]: whether the match is rated and belongs to the pool."""
        chosen: NDArray[np.bool_] = self._rated & (self._pools == self._columns.texts["pool"].code(pool))
        return chosen

    def _named_losers(
        self, chosen: NDArray[np.bool_], seats: NDArray[np.int64], places: NDArray[np.int8]
    ) -> NDArray[np.bool_]:  # fmt: skip
        """[matches]: whether each of the chosen matches names one loser. `seats` [matches], `places` [rows]: theirs."""
        game, options = (self._columns.texts[name] for name in ("game", "options"))
        heads = self.starts[:-1][chosen]
        keys = (game.codes[heads].astype(np.int64) * len(options.values) + options.codes[heads]) * (1 << 8) + seats
        _, first, of_match = np.unique(keys, return_index=True, return_inverse=True)
        found = np.zeros(len(seats), np.bool_)
        for kind, match in enumerate(first.tolist()):
            name, text = game.values[game.codes[heads[match]]], options.values[options.codes[heads[match]]]
            said = said_by_game(name, text, int(seats[match]))
            if said is None:
                winners = np.add.reduceat((places == 1).astype(np.int64), np.cumsum(seats) - seats)
            found |= (of_match == kind) & (seems_to_name_loser(winners, seats) if said is None else said)
        return found

    def _listed(self, played: NDArray[np.int32], bots: Iterable[Bot]) -> tuple[tuple[Bot, ...], NDArray[np.int32]]:
        """The bots of a pool, those of `bots` first and the others as they appear; and the number of each row's bot."""
        first = np.full(len(self._bots), len(played))
        first[played[::-1]] = np.arange(len(played))[::-1]  # of equal indices the last one written stays
        met = [self._bots[number] for number in np.argsort(first, kind="stable") if first[number] < len(played)]
        listed = tuple(dict.fromkeys([*bots, *met]))
        place = {bot: number for number, bot in enumerate(listed)}
        return listed, np.array([place.get(bot, -1) for bot in self._bots], np.int32)[played]


def stored_field(manifest: Manifest, *, without: Collection[str] = ()) -> dict[str, list[Bot]]:
    """The bots that take part, by rated pool, in the order of the config, as the tournament itself lists them.

    For the archive the lists are empty: its bots were never all in one field, so the rows say who has played.
    """
    if manifest.tournaments:
        return {pool: [] for pool in manifest.pools}
    field: dict[str, list[Bot]] = {}
    unrated = unrated_entries(manifest)
    for entry in _entries(manifest):
        if entry_identity(entry) in unrated:
            continue
        known = field.setdefault(entry["pool"], [])
        bots = [(bot.name, bot.version) for bot in manifest.bots if entry["game"] in bot.games and bot.name not in without]
        known += [bot for bot in bots if bot not in known]
    return field


def unrated_entries(manifest: Manifest) -> set[tuple[str, str]]:
    """Games and options whose matches measure latency, where the tournament does not rate those."""
    ratings = manifest.config.get("ratings")
    if isinstance(ratings, dict) and ratings.get("measured"):
        return set()
    return measured_entries(_entries(manifest))


def measured_entries(entries: Iterable[Mapping[str, Any]]) -> set[tuple[str, str]]:
    """Games and options whose matches measure latency. `entries`: the games of a resolved config."""
    return {entry_identity(entry) for entry in entries if entry["game"] in games.names() and _measures_time(entry)}


def _measures_time(entry: Mapping[str, Any]) -> bool:
    """Return whether thinking time has a part in a game of the config; not in one with options that the game does not have."""
    game, seats = games.load(entry["game"]), entry.get("seats")
    try:
        options = game.resolve_options(entry["options"], seats if seats in game.seats else game.seats[0])
    except ConfigError:
        return False
    return game.ms_per_tick(options) is not None


def stored_settings(manifest: Manifest, folder: Path) -> RatingSettings:
    """The model's parameters that the tournament was rated with. Raises StoreError."""
    try:
        return settings_of(manifest.config.get("ratings"))
    except (msgspec.ValidationError, ConfigError) as error:
        raise StoreError(f"{folder / MANIFEST_FILE}: config.ratings: {error}") from None


def stored_weights(manifest: Manifest, settings: RatingSettings) -> dict[str, float]:
    """Return how much each pool counts in the overall ranking."""
    return pool_weights(((entry["pool"], entry["game"]) for entry in _entries(manifest)), settings)


def stored_pools(
    columns: Columns,
    field: Mapping[str, Iterable[Bot]],
    *,
    without: Collection[str] = (),
    unrated: Collection[tuple[str, str]] = (),
    pools: Collection[str] | None = None,
    luck: NDArray[np.float64] | None = None,
) -> dict[str, PoolRows]:
    """The pools to rate, in the order of `field`; `pools`: only these. `without`, `unrated`, `luck` as in `StoredRows`."""
    rows = StoredRows(columns, without=without, unrated=unrated, luck=luck)
    names = [name for name in dict.fromkeys([*field, *rows.pools]) if pools is None or name in pools]
    return {name: rows.pool_rows(name, [bot for bot in field.get(name, ()) if bot[0] not in without]) for name in names}


def _entries(manifest: Manifest) -> list[dict[str, Any]]:
    """The games of the resolved config, as far as it names them: of somebody else's manifest, the rows say who played."""
    return [entry for entry in manifest.entries if {"pool", "game", "options"} <= entry.keys()]


def entry_identity(entry: Mapping[str, Any]) -> tuple[str, str]:
    """Game and options of an entry of the config, as the rows have them."""
    return entry["game"], canonical_json(entry["options"])


def _starts(columns: Columns) -> NDArray[np.int64]:
    """[matches + 1]: the first row of each match, then the number of rows. Raises StoreError for a match too large to rate."""
    starts = match_starts(columns)
    if (most := int(np.diff(starts).max(initial=0))) > MAX_SEATS:
        raise StoreError(f"{columns.path}: damaged: a match with {most} seats; at most {MAX_SEATS} can be rated")
    return starts


def _bots(columns: Columns) -> tuple[tuple[Bot, ...], NDArray[np.int32]]:
    """All bots, and an array [rows] with the number of each row's bot."""
    names, versions = columns.texts["bot"], columns.numbers["bot_version"]
    if len(versions) and np.all(versions == versions[0]):  # the common case, without sorting the rows
        return tuple((name, int(versions[0])) for name in names.values), names.codes
    keys, numbers = np.unique(names.codes.astype(np.int64) << 32 | versions.astype(np.int64), return_inverse=True)
    return tuple((names.values[key >> 32], int(key & 0xFFFFFFFF)) for key in keys.tolist()), numbers.astype(np.int32)


def _in_order_met(options: NDArray[Any], seats: NDArray[Any], deals: NDArray[Any]) -> NDArray[np.int32]:
    """[matches]: number of the deal; entries of one pool, which differ in options or seats, have deals of their own."""
    key = (options.astype(np.int64) * (1 << 8) + seats) << 32 | deals.astype(np.int64)
    _, first, numbers = np.unique(key, return_index=True, return_inverse=True)
    order = np.empty(len(first), np.int32)
    order[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    return order[numbers]


def _ending(path: Path, text: str) -> Ending:
    try:
        return Ending(text)
    except ValueError:
        raise StoreError(f"{path}: damaged: unknown ending {text!r}") from None
