"""Which matches of a pool are worth a look, where there are too many to list."""

import numpy as np
from numpy.typing import NDArray

from arena.ratings.explain import winners_scores, worst_losses
from arena.ratings.rows import PoolRows

FAULT, LOSS, CLOSE = "fault", "worst loss", "close"


def faults(rows: PoolRows, most: int) -> list[int]:
    """Matches in which a bot was at fault: each such bot's first, then further ones in plan order."""
    at = np.flatnonzero(rows.faults)
    matches = np.searchsorted(rows.starts, at, side="right") - 1
    _, first = np.unique(rows.bots[at], return_index=True)
    return list(dict.fromkeys([*matches[np.sort(first)].tolist(), *matches[: most + len(first)].tolist()]))[:most]


def losses(rows: PoolRows, each: int) -> list[int]:
    """The worst losses of every bot, `each` of them at most."""
    found = [loss.row for number in range(len(rows.bots_by_number)) for loss in worst_losses(rows, number, each)]
    return list(dict.fromkeys((np.searchsorted(rows.starts, found, side="right") - 1).tolist()))


def closest(rows: PoolRows, most: int) -> list[int]:
    """Matches without a fault whose winner had the smallest lead in points, in plan order where they are equal."""
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
