"""What a bot's author wants to see beside the points: its faults, its slowest matches, the seeds of its worst losses."""

from collections.abc import Iterable

import msgspec
import numpy as np

from arena.ratings.rows import Bot
from arena.results.columns import Columns, match_starts
from arena.results.schema import FaultPlace

COLUMNS = ("index", "game", "pool", "options", "deal", "seat", "bot", "bot_version", "cpu_ms_max")
"""The columns of matches.parquet that the evidence is made of."""
SLOWEST = 5  # of each pool


class SlowMatch(msgspec.Struct, frozen=True):
    """A match in which the bot made a slow decision."""

    row: int
    """The number of the bot's row among the stored rows."""
    seat: int
    cpu_ms: float
    """The CPU time of the slowest decision; ms."""


class Seeds(msgspec.Struct, frozen=True):
    """The seeds of everything random in a match, as one bot met it; hex."""

    deal: str
    bot: str
    """The seed of the bot's own generator."""


def faults_of(columns: Columns, faults: Iterable[FaultPlace], pool: str, bot: Bot) -> list[FaultPlace]:
    """The faults of a bot in a pool, in plan order."""
    pools, code = columns.texts["pool"].codes, columns.texts["pool"].code(pool)
    return [place for place in faults if (place.fault.bot, place.fault.bot_version) == bot and pools[place.row] == code]


def slowest(columns: Columns, pool: str, bot: Bot) -> list[SlowMatch]:
    """The matches of a bot in a pool with its slowest decisions, the slowest first."""
    own = np.flatnonzero(
        (columns.texts["pool"].codes == columns.texts["pool"].code(pool))
        & (columns.texts["bot"].codes == columns.texts["bot"].code(bot[0]))
        & (columns.numbers["bot_version"] == bot[1])
    )
    times = columns.numbers["cpu_ms_max"][own]
    chosen = own[np.argsort(-times, kind="stable")[:SLOWEST]]
    return [SlowMatch(int(row), int(columns.numbers["seat"][row]), float(columns.numbers["cpu_ms_max"][row])) for row in chosen]


def seeds(columns: Columns, row: int, match_id: str, key: bytes) -> Seeds:
    """The seeds of the match and the seat of a stored row. `key`: the key of the tournament, published when it is over."""
    from arena.match.seeds import (
        match_seeds,  # only now: compiled code takes most of the start of a board, and most need no seeds
    )

    starts = match_starts(columns)
    match = int(np.searchsorted(starts, row, side="right")) - 1
    seats = int(starts[match + 1] - starts[match])
    game, options = (columns.texts[name].values[columns.texts[name].codes[row]] for name in ("game", "options"))
    found = match_seeds(key, match_id, game, seats, options, int(columns.numbers["deal"][row]))
    return Seeds(f"{found.deal:032x}", f"{found.bots[int(columns.numbers['seat'][row])]:032x}")
