"""Stored columns as arrays: what statistics over millions of rows read, instead of a record of every match."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Texts:
    """A column of texts: each different one once, and a number per row."""

    values: tuple[str, ...]
    """In the order of their first rows."""
    codes: NDArray[np.int32]
    """[rows], places in `values`."""

    def code(self, value: str) -> int:
        """Of a text; -1 where no row has it."""
        return self.values.index(value) if value in self.values else -1


@dataclass(frozen=True)
class Columns:
    """Some columns of one file, all with the same rows in stored order."""

    path: Path
    """The file, for messages."""
    numbers: Mapping[str, NDArray[Any]]
    """By name, [rows], with the types of the schema."""
    texts: Mapping[str, Texts]
    """By name."""
