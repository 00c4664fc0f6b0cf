"""The value and the belief network of a game, fitted to rows of play."""

from dataclasses import replace

import numpy as np

from arena.engine.contract import Features, Numbers
from arena.engine.net import Net
from arena.learning.training.fit import fit
from arena.learning.training.rows import Rows

VALUE_HIDDEN, BELIEF_HIDDEN = 48, 32
FEW = 3  # different outcomes at most, where the ends of the scale are the worst and the best of them
TAIL, MARGIN = 0.005, 0.1  # elsewhere: outcomes beyond the ends of the scale, on either side; how far the ends lie beyond that


def value_network(rows: Rows, seed: int, passes: int) -> Net:
    """A network that says what a position with all hands open brings to a seat, on the scale of the rows' outcomes."""
    low, high = scale(rows.outcomes)
    targets = _between(rows.outcomes, low, high)
    found = fit(by_seat(rows.sketches), targets, hidden=VALUE_HIDDEN, seed=seed, passes=passes)
    return replace(found, low=low, high=high, total=_constant_total(rows.outcomes))


def belief_network(rows: Rows, seed: int, passes: int) -> Net:
    """A network that tells true worlds from drawn ones. The room has clues."""
    return fit(*worlds_of(rows), hidden=BELIEF_HIDDEN, seed=seed, passes=passes)


def by_seat(sketches: Features) -> Features:
    """[rows * seats, SKETCH], of [rows, seats, SKETCH]."""
    return sketches.reshape(-1, sketches.shape[-1])


def shares_of(outcomes: Numbers, value: Net) -> Numbers:
    """[rows * seats]: where outcomes lie on the scale of a value network, from 0 to 1."""
    return _between(outcomes, value.low, value.high)


def worlds_of(rows: Rows) -> tuple[Features, Numbers]:
    """[2 * rows, CLUE]: true worlds and drawn ones; [2 * rows]: 1 for the true ones."""
    return np.concatenate([rows.clues, rows.drawn]), np.concatenate([np.ones(len(rows)), np.zeros(len(rows))])


def scale(outcomes: Numbers) -> tuple[float, float]:
    """The ends of the scale of a value network."""
    if len(np.unique(outcomes)) <= FEW:
        return float(outcomes.min()), float(outcomes.max())
    low, high = (float(end) for end in np.quantile(outcomes, [TAIL, 1.0 - TAIL]))
    margin = MARGIN * (high - low)
    return low - margin, high + margin


def _between(outcomes: Numbers, low: float, high: float) -> Numbers:
    found: Numbers = np.clip((outcomes.reshape(-1) - low) / (high - low), 0.0, 1.0)
    return found


def _constant_total(outcomes: Numbers) -> float | None:
    """The sum of all seats' outcomes if it is always the same."""
    totals = outcomes.sum(axis=1)
    return float(totals[0]) if np.ptp(totals) < 1e-6 * max(1.0, float(np.abs(outcomes).max())) else None
