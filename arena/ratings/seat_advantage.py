"""What a seat is worth: every bot plays every deal from every seat, so what is left between seats is the seat's own."""

import math

import msgspec
import numpy as np
from numpy.typing import NDArray

from arena.ratings.over_deals import half_width
from arena.ratings.rows import PoolRows


class SeatShare(msgspec.Struct, frozen=True):
    """One seat of the tables of one size, over all bots that sat there."""

    seats: int
    """The number of seats at the table."""
    seat: int
    """The seat, from 0."""
    matches: int
    better: float
    """Share of the others at the table that the seat finished before, ties as halves: 0.5 without any advantage."""
    half_width: float | None
    """Half the width of the 95 % interval of `better` over deals; None below two deals."""
    wins: float
    """The share of matches in which the seat took place 1."""
    mean_place: float
    mean_score: float
    """The mean score, in the game's own points."""


def seat_advantage(rows: PoolRows) -> list[SeatShare]:
    """The results of each seat over all bots; small tables first."""
    sizes = np.diff(rows.starts)
    match = np.repeat(np.arange(rows.matches, dtype=np.int32), sizes)
    seat = np.arange(len(rows.bots)) - rows.starts[:-1][match]
    better = _better(rows, match)
    found = []
    for size in np.unique(sizes).tolist():
        for number in range(size):
            here = np.flatnonzero((sizes[match] == size) & (seat == number))
            places = rows.places[here]
            half = half_width(better[here], rows.deals[match[here]])
            found.append(
                SeatShare(
                    size, number, len(here), float(better[here].mean()), None if math.isnan(half) else half,
                    float(np.mean(places == 1)), float(places.mean()), float(rows.scores[here].mean(dtype=np.float64)),
                )
            )  # fmt: skip
    return found


def _better(rows: PoolRows, match: NDArray[np.int32]) -> NDArray[np.float32]:
    """[rows]: share of the rivals, those of other teams, with a worse place, ties as halves; alone or in one team: a half."""
    points, rivals = np.zeros(len(match), np.float32), np.zeros(len(match), np.int8)
    for distance in range(1, int(np.diff(rows.starts).max(initial=1))):  # seats apart
        first = np.flatnonzero(match[:-distance] == match[distance:])
        first = first[rows.units[first] != rows.units[first + distance]]
        second = first + distance
        points[first] += (np.sign(rows.places[second] - rows.places[first]) + 1) / 2
        points[second] += (np.sign(rows.places[first] - rows.places[second]) + 1) / 2
        rivals[first] += 1
        rivals[second] += 1
    return np.where(rivals > 0, points / np.maximum(1, rivals), np.float32(0.5)).astype(np.float32)
