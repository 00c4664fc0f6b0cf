"""The fingerprint of a tournament's results: the same for the same plan, key and play, whatever machines played it.

Per match, in plan order: a line of canonical JSON (sorted keys, no spaces, UTF-8, ended by a line feed) per seat with
the hashed columns of matches.parquet, then one with the row of actions.parquet. `score` has the precision of its
column, so that the stored files alone give the hash again.
"""

import hashlib
import struct

from arena.records import MatchRecord, canonical_json
from arena.store.schema import MATCHES, log_row, match_rows

_HASHED = tuple(column.name for column in MATCHES.columns if column.hashed)
_FLOAT32 = struct.Struct("<f")


def canonical_bytes(record: MatchRecord) -> bytes:
    """What the results hash takes in of a match: all of it but the machine's columns and the notes."""
    lines = []
    for row in match_rows(record, ""):
        hashed = {name: row[name] for name in _HASHED}
        hashed["score"] = as_float32(row["score"])
        lines.append(canonical_json(hashed) + "\n")
    lines.append(canonical_json(log_row(record)) + "\n")
    return "".join(lines).encode()


def is_reproducible(record: MatchRecord) -> bool:
    """Whether the match would be played the same anywhere: every seat is reproducible, and the hall did not fail."""
    return not record.is_void and all(seat.reproducible for seat in record.seats)


class ResultsHash:
    """SHA-256 over matches that are added in plan order."""

    def __init__(self) -> None:
        self._all = hashlib.sha256()
        self._reproducible = hashlib.sha256()
        self._last = -1

    def add(self, record: MatchRecord) -> None:
        """Take in the next match. Raises ValueError when it does not come in plan order."""
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
        """Hex hash over the reproducible ones among them."""
        return self._reproducible.hexdigest()


def as_float32(number: float) -> float:
    """Rounded to the nearest float32; minus zero becomes zero.

    >>> as_float32(0.5), as_float32(-0.0), as_float32(0.1)
    (0.5, 0.0, 0.10000000149011612)
    """
    rounded: float = _FLOAT32.unpack(_FLOAT32.pack(number))[0]
    return rounded + 0.0
