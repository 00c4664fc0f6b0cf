"""Finished matches on their way into the journal: each is encoded once, by the worker that played it.

So the one driver of a tournament only passes bytes on. Beside them a worker says how each match ended, which the driver counts.
"""

import hashlib
from collections.abc import Iterable
from typing import TypeAlias

import msgspec

from arena.records import Ending, MatchRecord

Row: TypeAlias = tuple[bytes, int, bytes, bytes]
"""A match as the journal stores it: id, place in the plan, body, checksum of the three."""
Endings: TypeAlias = tuple[Ending, ...]
"""How a match ended, seat by seat."""
_CHECK_BYTES = 8


class Finished(msgspec.Struct, frozen=True):
    """Some finished matches, encoded."""

    rows: list[Row]
    endings: list[Endings]
    """How each of them ended."""

    @property
    def records(self) -> list[MatchRecord]:
        """The matches, decoded."""
        return [record_of(row) for row in self.rows]


def packed(records: Iterable[MatchRecord]) -> Finished:
    """Some matches, encoded."""
    finished = Finished([], [])
    known: dict[Endings, Endings] = {}
    for record in records:
        endings = tuple([seat.ending for seat in record.seats])
        finished.rows.append(row_of(record))
        finished.endings.append(known.setdefault(endings, endings))  # the same object: it is sent once
    return finished


def row_of(record: MatchRecord) -> Row:
    """A match as the journal stores it."""
    body, match_id = msgspec.msgpack.encode(record), bytes.fromhex(record.match_id)
    return match_id, record.index, body, row_checksum(match_id, record.index, body)


def record_of(row: Row) -> MatchRecord:
    """The match of a row that is known to be sound."""
    return msgspec.msgpack.decode(row[2], type=MatchRecord)


def row_checksum(match_id: bytes, place: int, body: bytes) -> bytes:
    """The checksum of a row."""
    return checksum(match_id + place.to_bytes(8, "big") + body)


def checksum(data: bytes) -> bytes:
    """The checksum of what a row holds."""
    return hashlib.blake2b(data, digest_size=_CHECK_BYTES).digest()
