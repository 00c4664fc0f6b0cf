"""What a bot's author wants to see beside the points of a pool: where they come from, and what is worth a look.

By seat and against whom; its worst losses with their seeds, its faults, its slowest matches; and which matches of a pool are
worth a look, where there are too many to list.
"""

from collections.abc import Iterable

import msgspec
import numpy as np
from numpy.typing import NDArray

from arena.ratings.pairs import head_to_head
from arena.ratings.rows import Bot, PoolRows
from arena.results.columns import Columns, match_starts
from arena.results.schema import FaultPlace


def faults(rows: PoolRows, most: int) -> list[int]:
    """Matches in which a bot committed a fault: the first of each such bot, then others in plan order."""
    at = np.flatnonzero(rows.faults)
    matches = np.searchsorted(rows.starts, at, side="right") - 1
    _, first = np.unique(rows.bots[at], return_index=True)
    return list(dict.fromkeys([*matches[np.sort(first)].tolist(), *matches[: most + len(first)].tolist()]))[:most]


def losses(rows: PoolRows, each: int) -> list[tuple[int, int]]:
    """Match and bot of the worst losses, at most `each` per bot: first the worst loss of every bot, then the second worst."""
    found = [worst_losses(rows, number, each) for number in range(len(rows.bots_by_number))]
    chosen = [(loss.row, bot) for turn in range(each) for bot, own in enumerate(found) for loss in own[turn : turn + 1]]
    matches = np.searchsorted(rows.starts, [row for row, _ in chosen], side="right") - 1
    return [(match, bot) for match, (_, bot) in zip(matches.tolist(), chosen)]


def closest(rows: PoolRows, most: int) -> list[int]:
    """The matches without a fault in which the winner's lead in points was smallest; equal ones in plan order."""
    if not rows.matches:
        return []
    gaps = _leads(rows)
    chosen = np.argsort(gaps, kind="stable")[:most]
    return [int(match) for match in chosen if np.isfinite(gaps[match])]


def _leads(rows: PoolRows) -> NDArray[np.float32]:
    """[matches]: points between a winner and the next; infinite with a fault, or without a loser."""
    match = np.repeat(np.arange(rows.matches, dtype=np.int32), np.diff(rows.starts))
    gaps = np.abs(rows.scores - winners_scores(rows)[match])
    gaps[rows.places <= 1] = np.inf
    leads = np.minimum.reduceat(gaps, rows.starts[:-1])
    leads[np.logical_or.reduceat(rows.faults, rows.starts[:-1])] = np.inf
    return leads


AUTHOR_COLUMNS = ("index", "game", "pool", "options", "deal", "seat", "bot", "bot_version", "cpu_ms_max")
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


def slowest_decisions(columns: Columns, pool: str, bot: Bot) -> list[SlowMatch]:
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


LOSSES = 5  # of each pool


class SeatResults(msgspec.Struct, frozen=True):
    """A bot's results in one seat of tables of one size."""

    seats: int
    """The number of seats at the table."""
    seat: int
    """The seat, from 0."""
    matches: int
    wins: int
    mean_place: float
    mean_score: float
    """The mean score, in the game's own points."""


class OpponentResults(msgspec.Struct, frozen=True):
    """A bot's results against one opponent."""

    bot: str
    bot_version: int
    meetings: int
    better: float
    """The number of meetings in which the explained bot finished ahead of this opponent; a tie counts as half."""


class Loss(msgspec.Struct, frozen=True):
    """A match that a bot did not win."""

    row: int
    """The number of the bot's row among those of the pool."""
    place: int
    seats: int
    score: float
    best_score: float
    """The score of a winner."""
    winners: tuple[str, ...]
    is_fault: bool
    """Whether the bot was to blame for the ending."""


class Explanation(msgspec.Struct, frozen=True):
    """What the rating of one bot in one pool comes from."""

    seats: tuple[SeatResults, ...]
    opponents: tuple[OpponentResults, ...]
    """The opponents, the hardest first."""
    losses: tuple[Loss, ...]
    """The losses worth a look, to other bots: worst place first, then the widest gap to the winner's score."""


def explain(rows: PoolRows, bot: Bot) -> Explanation | None:
    """Explain the rating of a bot from the rows of a pool; None if the bot never played."""
    number = rows.bots_by_number.index(bot) if bot in rows.bots_by_number else -1
    own = np.flatnonzero(rows.bots == number)
    if not len(own):
        return None
    matches = np.searchsorted(rows.starts, own, side="right") - 1
    return Explanation(_by_seat(rows, own, matches), _by_opponent(rows, number), worst_losses(rows, number))


def worst_losses(rows: PoolRows, number: int, count: int = LOSSES) -> tuple[Loss, ...]:
    """The worst losses of the bot with this number: worst place first, then the widest gap to the winner's score.

    A match that nobody won but versions of the same bot is none: no other bot was better.
    """
    names = [name for name, _ in rows.bots_by_number]
    is_own = np.array([name == names[number] for name in names], np.bool_)
    others_won = np.logical_or.reduceat((rows.places == 1) & ~is_own[rows.bots], rows.starts[:-1])
    of_match = np.repeat(np.arange(rows.matches), np.diff(rows.starts))
    own = np.flatnonzero((rows.bots == number) & (rows.places > 1) & others_won[of_match])
    matches = np.searchsorted(rows.starts, own, side="right") - 1
    best_scores = winners_scores(rows)[matches]
    sizes, places = np.diff(rows.starts)[matches], rows.places[own]
    gaps = np.abs(rows.scores[own] - best_scores)
    found = []
    for chosen in np.lexsort((own, -gaps, -places / sizes))[:count]:
        row, match = int(own[chosen]), int(matches[chosen])
        table = range(int(rows.starts[match]), int(rows.starts[match + 1]))
        winners = tuple(rows.bots_by_number[rows.bots[seat]][0] for seat in table if rows.places[seat] == 1)
        found.append(
            Loss(
                row, int(rows.places[row]), len(table), float(rows.scores[row]), float(best_scores[chosen]), winners,
                bool(rows.faults[row]),
            )
        )  # fmt: skip
    return tuple(found)


def winners_scores(rows: PoolRows) -> NDArray[np.float32]:
    """[matches]: the score of a winner of each match."""
    scores = np.zeros(rows.matches, np.float32)
    winning = np.flatnonzero(rows.places == 1)
    scores[np.searchsorted(rows.starts, winning, side="right") - 1] = rows.scores[winning]
    return scores


def _by_seat(rows: PoolRows, own: NDArray[np.int64], matches: NDArray[np.int64]) -> tuple[SeatResults, ...]:
    sizes, seats = np.diff(rows.starts)[matches], own - rows.starts[matches]
    found = []
    for size, seat in sorted(set(zip(sizes.tolist(), seats.tolist()))):
        here = own[(sizes == size) & (seats == seat)]
        places, scores = rows.places[here], rows.scores[here].astype(np.float64)
        wins = int(np.sum(places == 1))
        found.append(SeatResults(size, seat, len(here), wins, float(places.mean()), float(scores.mean())))
    return tuple(found)


def _by_opponent(rows: PoolRows, number: int) -> tuple[OpponentResults, ...]:
    pairs = head_to_head(rows)
    found = [
        OpponentResults(name, version, int(pairs.meetings[number, other]), float(pairs.better[number, other]))
        for other, (name, version) in enumerate(rows.bots_by_number)
        if pairs.meetings[number, other]
    ]
    return tuple(sorted(found, key=lambda against: (against.better / against.meetings, against.bot, against.bot_version)))
