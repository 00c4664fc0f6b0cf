"""Stored columns as arrays, for statistics over millions of rows, and what they add up to for the board: decisions, CPU time
and endings per pool and bot.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.errors import StoreError
from arena.records import Ending
from arena.results.schema import SeatTotals


@dataclass(frozen=True)
class Texts:
    """A column of texts: each distinct text once, and a number per row."""

    values: tuple[str, ...]
    """The distinct texts, in the order of their first rows."""
    codes: NDArray[np.int32]
    """[rows]: for each row the position of its text in `values`."""

    def code(self, value: str) -> int:
        """The position of a text in `values`; -1 if no row has the text."""
        return self.values.index(value) if value in self.values else -1


@dataclass(frozen=True)
class Columns:
    """Some columns of one file, all with the same rows in stored order."""

    path: Path
    """The file that the columns were read from; for messages."""
    numbers: Mapping[str, NDArray[Any]]
    """Arrays [rows] of the numeric columns, by column name, with the types of the schema."""
    texts: Mapping[str, Texts]
    """The columns of texts, by column name."""


def match_starts(columns: Columns) -> NDArray[np.int64]:
    """[matches + 1]: the first row of each match, then the number of rows. Raises StoreError for damaged rows.

    `columns` must hold `index` and `seat`.
    """
    index, seat = columns.numbers["index"], columns.numbers["seat"]
    if not len(index):
        return np.zeros(1, np.int64)
    begins = np.flatnonzero(np.diff(index)) + 1
    starts = np.concatenate([np.zeros(1, np.int64), begins, np.array([len(index)])])
    if np.any(np.diff(index) < 0):
        row = int(np.argmax(np.diff(index) < 0))
        raise StoreError(f"{columns.path}: damaged: match {index[row + 1]} after match {index[row]}")
    wrong = seat != np.arange(len(index)) - np.repeat(starts[:-1], np.diff(starts))
    if np.any(wrong):
        match = index[int(np.argmax(wrong))]
        raise StoreError(f"{columns.path}: damaged: match {match} is not there with each seat once, in order")
    return starts


SUMMED = ("pool", "bot", "bot_version", "ending", "decisions", "cpu_ms_total", "cpu_ms_p50", "cpu_ms_max")
"""The columns of matches.parquet that the sums are made of."""
LARGEST_TABLE = 1 << 22  # entries


def sum_up(columns: Columns) -> list[SeatTotals]:
    """The sums per pool, bot, version and ending, sorted by those. Raises ValueError for an unknown ending."""
    texts, numbers = columns.texts, columns.numbers
    names = [texts[name].values for name in ("pool", "bot", "ending")]
    if not len(numbers["bot_version"]):
        return []
    versions, version = _numbered(numbers["bot_version"])
    shape = (len(names[0]), len(names[1]), len(versions), len(names[2]))
    key = np.ravel_multi_index((texts["pool"].codes, texts["bot"].codes, version, texts["ending"].codes), shape)
    present, group = _numbered(key)
    seats = np.bincount(group)
    decisions, cpu_ms = (np.bincount(group, numbers[name]) for name in ("decisions", "cpu_ms_total"))
    worst = np.zeros(len(present), np.float32)
    np.maximum.at(worst, group, numbers["cpu_ms_max"])
    has_decided = numbers["decisions"] > 0
    medians = _medians(group[has_decided], numbers["cpu_ms_p50"][has_decided], len(present))
    found = [
        SeatTotals(names[0][pool], names[1][bot], int(versions[number]), Ending(names[2][ending]), *values)
        for pool, bot, number, ending, *values in zip(
            *np.unravel_index(present, shape), seats.tolist(), decisions.astype(np.int64).tolist(), cpu_ms.tolist(),
            medians.tolist(), worst.tolist(),
        )
    ]  # fmt: skip
    return sorted(found, key=lambda total: (total.pool, total.bot, total.bot_version, total.ending))


def _numbered(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The different values, sorted, and per value its place among them; without sorting all where they lie close together."""
    low = int(values.min())
    span = int(values.max()) - low + 1
    if span > LARGEST_TABLE:
        found, places = np.unique(values, return_inverse=True)
        return found, places
    offsets = values.astype(np.int64) - low
    present = np.flatnonzero(np.bincount(offsets, minlength=span))
    table = np.zeros(span, np.int32)
    table[present] = np.arange(len(present), dtype=np.int32)
    return present + low, table[offsets]


def _medians(group: NDArray[Any], values: NDArray[Any], groups: int) -> NDArray[np.float32]:
    """[groups]: the lower median of each group's values; 0 without any."""
    bits = np.maximum(values.astype(np.float32), np.float32(0)).view(np.uint32)  # as integers they sort like the numbers
    packed = np.sort(group.astype(np.uint64) << np.uint64(32) | bits)
    counts = np.bincount(group, minlength=groups)
    ends = np.cumsum(counts)
    medians = np.zeros(groups, np.float32)
    has_any = counts > 0
    middle = packed[(ends - counts + (counts - 1) // 2)[has_any]]
    medians[has_any] = (middle & np.uint64(0xFFFFFFFF)).astype(np.uint32).view(np.float32)
    return medians
