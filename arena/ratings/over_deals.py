"""Intervals of shares and means over deals: all results with the same cards are one observation (Liang and Zeger 1986)."""

import math

import numpy as np
from numpy.typing import NDArray
from scipy import special

from arena.ratings.error_bars import CONFIDENCE


def half_width(values: NDArray[np.floating], deals: NDArray[np.integer]) -> float:
    """Half the width of the 95 % interval of the mean of `values`, which belong to `deals`; nan below two deals."""
    sums = np.bincount(deals, values - values.mean(dtype=np.float64))
    played = int(np.sum(np.bincount(deals) > 0))
    if played < 2:
        return math.nan
    spread = np.sqrt(np.sum(sums**2) * played / (played - 1)) / len(values)
    return float(special.stdtrit(played - 1, 0.5 + CONFIDENCE / 2) * spread)


def share_interval(shares: NDArray[np.floating]) -> tuple[float, float]:
    """The 95 % interval of the mean of `shares`, each between 0 and 1 and from a deal of its own.

    Two deals that were never played are counted as well, one won and one lost, so that a few equal results do not look
    certain (A. Agresti and B. Caffo, "Simple and effective confidence intervals", 2000).
    """
    all_shares = np.concatenate([shares, [0.0, 1.0]])
    mean = float(all_shares.mean())
    width = half_width(all_shares, np.arange(len(all_shares)))
    return max(0.0, mean - width), min(1.0, mean + width)
