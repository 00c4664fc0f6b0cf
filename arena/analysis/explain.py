"""Where a bot's rating in a pool comes from: by seat, against whom, and the losses that are worth a look."""

import msgspec
import numpy as np
from numpy.typing import NDArray

from arena.analysis.head_to_head import head_to_head
from arena.ratings.rows import Bot, PoolRows

LOSSES = 5  # of each pool


class SeatResults(msgspec.Struct, frozen=True):
    """A bot's matches in one seat."""

    seats: int
    """Of the table."""
    seat: int
    """From 0."""
    matches: int
    wins: int
    mean_place: float
    mean_score: float
    """In the game's own points."""


class OpponentResults(msgspec.Struct, frozen=True):
    """A bot's matches against one other."""

    bot: str
    bot_version: int
    meetings: int
    better: float
    """Meetings in which the explained bot finished before this one, ties as halves."""


class Loss(msgspec.Struct, frozen=True):
    """A match that a bot did not win."""

    row: int
    """Of the pool's rows."""
    place: int
    seats: int
    score: float
    best_score: float
    """Of a winner."""
    winners: tuple[str, ...]
    is_fault: bool
    """Whether the bot was to blame for the ending."""


class Explanation(msgspec.Struct, frozen=True):
    """One bot in one pool."""

    seats: tuple[SeatResults, ...]
    opponents: tuple[OpponentResults, ...]
    """The hardest first."""
    losses: tuple[Loss, ...]
    """Worst place first, then the widest gap to the winner's score."""


def explain(rows: PoolRows, bot: Bot) -> Explanation | None:
    """None where the bot never played."""
    number = rows.bots_by_number.index(bot) if bot in rows.bots_by_number else -1
    own = np.flatnonzero(rows.bots == number)
    if not len(own):
        return None
    matches = np.searchsorted(rows.starts, own, side="right") - 1
    return Explanation(_by_seat(rows, own, matches), _by_opponent(rows, number), worst_losses(rows, number))


def worst_losses(rows: PoolRows, number: int, count: int = LOSSES) -> tuple[Loss, ...]:
    """Of the bot with this number; worst place first, then the widest gap to the winner's score."""
    own = np.flatnonzero((rows.bots == number) & (rows.places > 1))
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
    """[matches]: the score of a winner."""
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
