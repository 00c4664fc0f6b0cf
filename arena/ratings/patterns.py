"""Matches that say the same in a model in which no order matters: they are worked out once, and counted.

Two matches are of one *pattern* if the same bots sat together, in whatever seats, in the same teams, and reached the same
places of the same meaning. Bots and patterns are sorted by what they are and not by when they came, so that the same matches
in another order, or with other seats, give the same arrays and the very same numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from arena.ratings.factor_graph import MAX_SEATS
from arena.ratings.rows import Bot, PoolRows

_PLACES = 128  # a place and a team fit below the bot in one whole number


@dataclass(frozen=True)
class Patterns:
    """The patterns of one pool; pattern p has the seats starts[p] .. starts[p + 1] - 1."""

    bots_by_number: tuple[Bot, ...]
    """The bots, sorted by name and version."""
    starts: NDArray[np.int64]
    bots: NDArray[np.int32]
    """[seats]: the number of each seat's bot, its position in `bots_by_number`."""
    units: NDArray[np.int8]
    """[seats]: the team."""
    places: NDArray[np.int8]
    of_match: NDArray[np.int64]
    """[matches]: the pattern of each match."""
    losers: NDArray[np.bool_]
    """[patterns]: whether a match of each names one loser, as in PoolRows."""

    @cached_property
    def counts(self) -> NDArray[np.float64]:
        """[patterns]: how many matches are of each."""
        return self.counts_of(len(self.of_match))

    def counts_of(self, matches: int) -> NDArray[np.float64]:
        """[patterns]: how many of the first `matches` are of each."""
        return np.bincount(self.of_match[:matches], minlength=len(self.starts) - 1).astype(np.float64)


def patterns_of(rows: PoolRows) -> Patterns:
    """The patterns of the matches of a pool; remembered, since ratings, error bars and orders of the same rows need them."""
    found = _known.get(rows)
    if found is None:
        found = _known[rows] = _patterns_of(rows)
    return found


_known: WeakKeyDictionary[PoolRows, Patterns] = WeakKeyDictionary()


def _patterns_of(rows: PoolRows) -> Patterns:
    order = sorted_bots(rows)
    sizes = np.diff(rows.starts)
    match_of = np.repeat(np.arange(rows.matches), sizes)
    bots = sorted_numbers(order)[rows.bots].astype(np.int64)
    teams, places = _by_team(match_of, rows.units, bots, rows.places.astype(np.int64))
    seats = np.lexsort((bots, teams, places, match_of))
    bots, teams, places = bots[seats], teams[seats], places[seats]
    within = np.arange(len(bots)) - np.repeat(rows.starts[:-1], sizes)
    begins = np.ones(len(bots), np.bool_)
    begins[1:] = (teams[1:] != teams[:-1]) | (match_of[1:] != match_of[:-1])
    units = within[np.maximum.accumulate(np.where(begins, np.arange(len(bots)), 0))] if len(bots) else within
    codes = ((bots * MAX_SEATS + units) * _PLACES + places) * 2 + np.repeat(rows.names_loser, sizes)
    of_match, chosen = _distinct(codes, rows.starts, sizes)
    picked = _ranges(rows.starts[chosen], sizes[chosen])
    return Patterns(
        tuple(rows.bots_by_number[number] for number in order),
        np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes[chosen], dtype=np.int64)]),
        bots[picked].astype(np.int32), units[picked].astype(np.int8), places[picked].astype(np.int8), of_match,
        rows.names_loser[chosen],
    )  # fmt: skip


def sorted_bots(rows: PoolRows) -> list[int]:
    """The numbers of the bots of a pool, sorted by name and version."""
    return sorted(range(len(rows.bots_by_number)), key=lambda number: rows.bots_by_number[number])


def sorted_numbers(order: Sequence[int]) -> NDArray[np.int32]:
    """[bots]: for each bot its position in `order`."""
    numbers = np.zeros(len(order), np.int32)
    numbers[list(order)] = np.arange(len(order), dtype=np.int32)
    return numbers


def _by_team(
    match_of: NDArray[np.int64], units: NDArray[np.int8], bots: NDArray[np.int64], places: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """[seats]: the team of each seat, by the first of its bots, and the team's place; without teams every seat is one."""
    keys = match_of * (1 << 8) + units
    distinct, team_of = np.unique(keys, return_inverse=True)
    if len(distinct) == len(keys):
        return bots, places
    first, place = np.full(len(distinct), np.iinfo(np.int64).max), np.full(len(distinct), np.iinfo(np.int64).max)
    np.minimum.at(first, team_of, bots)
    np.minimum.at(place, team_of, places)
    return first[team_of], place[team_of]


def _distinct(
    codes: NDArray[np.int64], starts: NDArray[np.int64], sizes: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """[matches]: the pattern of each match; [patterns]: a match of each. Sorted by size, then seat by seat."""
    of_match, chosen = np.zeros(len(sizes), np.int64), []
    known = 0
    for size in np.unique(sizes).tolist():
        here = np.flatnonzero(sizes == size)
        found = np.zeros(len(here), np.int64)
        for seat in range(size):
            values, own = np.unique(codes[starts[here] + seat], return_inverse=True)
            found = np.unique(found * len(values) + own, return_inverse=True)[1]
        numbers, first = np.unique(found, return_index=True)
        of_match[here] = known + found
        chosen.append(here[first])
        known += len(numbers)
    matches: NDArray[np.int64] = np.concatenate([np.zeros(0, np.int64), *chosen])
    return of_match, matches


def _ranges(starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers starts[i] .. starts[i] + sizes[i] - 1, one range after the other."""
    ends = np.cumsum(sizes)
    found: NDArray[np.int64] = np.arange(int(sizes.sum())) + np.repeat(starts - (ends - sizes), sizes)
    return found
