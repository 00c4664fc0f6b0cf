"""Where a bot's rating in a pool comes from: by seat, against whom, and the losses that are worth a look."""

import msgspec
import numpy as np
from numpy.typing import NDArray

from arena.ratings.head_to_head import head_to_head
from arena.ratings.rows import Bot, PoolRows

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
    """The losses worth a look: worst place first, then the widest gap to the winner's score."""


def explain(rows: PoolRows, bot: Bot) -> Explanation | None:
    """Explain the rating of a bot from the rows of a pool; None if the bot never played."""
    number = rows.bots_by_number.index(bot) if bot in rows.bots_by_number else -1
    own = np.flatnonzero(rows.bots == number)
    if not len(own):
        return None
    matches = np.searchsorted(rows.starts, own, side="right") - 1
    return Explanation(_by_seat(rows, own, matches), _by_opponent(rows, number), worst_losses(rows, number))


def worst_losses(rows: PoolRows, number: int, count: int = LOSSES) -> tuple[Loss, ...]:
    """The worst losses of the bot with this number: worst place first, then the widest gap to the winner's score."""
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
