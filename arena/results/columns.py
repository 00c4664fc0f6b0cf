"""Stored columns as arrays: what statistics over millions of rows read, instead of a record of every match."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.errors import StoreError


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
