"""Which matches of a pool are worth a look, where there are too many to list."""

import numpy as np
from numpy.typing import NDArray

from arena.ratings.explain import winners_scores, worst_losses
from arena.ratings.rows import PoolRows


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
