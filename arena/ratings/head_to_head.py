"""How often a bot was placed before another in the matches that they shared."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.ratings.rows import Bot, PoolRows


@dataclass(frozen=True)
class HeadToHead:
    """How often each bot of a pool finished ahead of each other bot."""

    bots: tuple[Bot, ...]
    meetings: NDArray[np.int64]
    """[bots, bots]: the matches in which two bots are compared: team mates are not, nor winners where only losers are named."""
    better: NDArray[np.float64]
    """[bots, bots]: the meetings in which the first bot finished ahead of the second; a tie counts as half."""

    def share(self, bot: int, other: int) -> float | None:
        """The share of the meetings in which `bot` finished ahead of `other`; None if they never met."""
        meetings = int(self.meetings[bot, other])
        return float(self.better[bot, other]) / meetings if meetings else None


def head_to_head(rows: PoolRows) -> HeadToHead:
    """Compare all pairs of bots over all matches of a pool."""
    count = len(rows.bots_by_number)
    meetings, wins, ties = (np.zeros(count * count, np.int64) for _ in range(3))
    match = np.repeat(np.arange(rows.matches, dtype=np.int32), np.diff(rows.starts))
    has_loser = rows.last_places > 1  # where nobody lost, sharing place 1 is a tie
    for distance in range(1, int(np.diff(rows.starts).max(initial=1))):  # seats apart
        first = np.flatnonzero(match[:-distance] == match[distance:])
        second = first + distance
        tied = rows.places[first] == rows.places[second]
        compared = rows.units[first] != rows.units[second]
        if rows.names_winners_only:
            compared &= ~(tied & (rows.places[first] == 1) & has_loser[match[first]])
        for one, other in ((first, second), (second, first)):
            pair = rows.bots[one].astype(np.int64) * count + rows.bots[other]
            meetings += np.bincount(pair[compared], minlength=count * count)
            wins += np.bincount(pair[compared & (rows.places[one] < rows.places[other])], minlength=count * count)
            ties += np.bincount(pair[compared & tied], minlength=count * count)
    shape = (count, count)
    return HeadToHead(rows.bots_by_number, meetings.reshape(shape), (wins + ties / 2).reshape(shape))
