"""The fingerprint of a tournament's results: the same for the same plan, key and play, whatever machines played it.

Per match, in plan order: a line of canonical JSON (sorted keys, no spaces, UTF-8, ended by a line feed) per seat with
the hashed columns of matches.parquet, then one with the row of actions.parquet. Numbers have the precision of their
column, so that the stored files alone give the hash again. A column that was added later enters the hash only where its
value is not the default, so that the hash of older results stays what it was.
"""

import hashlib
import struct
from collections.abc import Mapping
from typing import Any

from arena.records import MatchRecord, canonical_json
from arena.results.schema import ACTIONS, MATCHES, Column, Kind, Table, log_row, match_rows

_FLOAT32 = struct.Struct("<f")


def canonical_bytes(record: MatchRecord) -> bytes:
    """The bytes of a match that the results hash covers: neither the machine's columns nor the notes are among them."""
    rows = [hashed_values(MATCHES, row) for row in match_rows(record, "")]
    lines = [canonical_json(values) + "\n" for values in (*rows, hashed_values(ACTIONS, log_row(record)))]
    return "".join(lines).encode()


def hashed_values(table: Table, row: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a row that the results hash covers, by column."""
    values = {}
    for column in table.columns:
        if column.hashed:
            value = _as_stored(column, row[column.name])
            if column.default is None or value != _as_stored(column, column.default.value):
                values[column.name] = value
    return values


def is_reproducible(record: MatchRecord) -> bool:
    """Return whether the match would be played the same anywhere: every seat is reproducible, and the host did not fail."""
    return not record.is_void and all(seat.reproducible for seat in record.seats)


class ResultsHash:
    """SHA-256 over matches that are added in plan order."""

    def __init__(self) -> None:
        self._all = hashlib.sha256()
        self._reproducible = hashlib.sha256()
        self._last = -1

    def add(self, record: MatchRecord) -> None:
        """Add the next match. Raises ValueError when it does not come in plan order."""
        if record.index <= self._last:
            raise ValueError(f"match {record.index} after match {self._last}: not in plan order")
        self._last = record.index
        data = canonical_bytes(record)
        self._all.update(data)
        if is_reproducible(record):
            self._reproducible.update(data)

    @property
    def results_sha256(self) -> str:
        """Hex hash over all matches so far."""
        return self._all.hexdigest()

    @property
    def reproducible_sha256(self) -> str:
        """Hex hash over the reproducible matches so far."""
        return self._reproducible.hexdigest()


def as_float32(number: float) -> float:
    """A number rounded to the nearest float32; minus zero becomes zero.

    >>> as_float32(0.5), as_float32(-0.0), as_float32(0.1)
    (0.5, 0.0, 0.10000000149011612)
    """
    rounded: float = _FLOAT32.unpack(_FLOAT32.pack(number))[0]
    return rounded + 0.0


def _as_stored(column: Column, value: Any) -> Any:
    return as_float32(value) if column.kind is Kind.FLOAT32 and value is not None else value
