"""What the pages of a Parquet file say about themselves: that is what a reader makes room for, whatever the footer says.

A page begins with a header in Thrift's compact protocol. pyarrow does not show it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

HEADER_BYTES = 1 << 16
"""A longer header of a page is none of ours."""
_TYPE, _UNPACKED, _PACKED = 1, 2, 3  # fields of a page header, as parquet.thrift numbers them
_HEAD_OF = {0: 5, 2: 7, 3: 8}  # by type of page, the field that describes it: data, dictionary, data (version 2)
_DICTIONARY = 2
_VALUES = 1
_ENCODING = {5: 2, 7: 2, 8: 4}  # by field that describes a page
_MOST_FIELDS, _DEEPEST = 64, 8  # of a structure, and structures in structures
_MOST = (1 << 32) - 1  # a longer number is cut where it is read as 32 bits


@dataclass(frozen=True)
class Page:
    """What one page says."""

    is_dictionary: bool
    values: int
    encoding: int
    unpacked: int
    """Bytes without the header, unpacked."""


def pages(file: BinaryIO, start: int, size: int) -> Iterator[Page]:
    """The pages of a column in a row group, `size` bytes from `start` on. Raises ValueError for what is no page."""
    end = start + size
    while start < end:
        file.seek(start)
        header = _Header(file.read(min(HEADER_BYTES, end - start)))
        try:
            found = header.structure()
            kind, packed, unpacked = found[_TYPE], found[_PACKED], found[_UNPACKED]
            field = _HEAD_OF[kind]
            values, encoding = found[field][_VALUES], found[field][_ENCODING[field]]
        except (LookupError, TypeError):
            raise ValueError("a damaged header of a page") from None
        if min(packed, unpacked, values) < 0:
            raise ValueError("a page of a negative size")
        yield Page(kind == _DICTIONARY, values, encoding, unpacked)
        start += header.place + packed
    if start != end:
        raise ValueError("a page that goes beyond its column")


class _Header:
    """Reads a structure in the compact protocol. Each field may come once, so that no two readers see different ones."""

    def __init__(self, data: bytes) -> None:
        self._data, self.place = data, 0

    def structure(self, depth: int = 0) -> Mapping[int, Any]:
        """The fields of a structure by their numbers. Raises IndexError at the end of the data, and ValueError."""
        found: dict[int, Any] = {}
        number = 0
        while kind := self._byte():
            last, number = number, number + (kind >> 4) if kind >> 4 else self._whole()
            if not last < number <= _MOST_FIELDS or depth > _DEEPEST:
                raise ValueError("a damaged header of a page")
            found[number] = self._value(kind & 15, depth)
        return found

    def _value(self, kind: int, depth: int) -> Any:
        match kind:
            case 1 | 2:
                return kind == 1
            case 4 | 5 | 6:
                return self._whole()
            case 8:
                length = self._number()
                self.place += length
                return None
            case 12:
                return self.structure(depth + 1)
        raise ValueError("a damaged header of a page")

    def _whole(self) -> int:
        number = self._number()
        if number > _MOST:
            raise ValueError("a damaged header of a page")
        return (number >> 1) ^ -(number & 1)

    def _number(self) -> int:
        number = shift = 0
        while True:
            byte = self._byte()
            number |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return number

    def _byte(self) -> int:
        self.place += 1
        return self._data[self.place - 1]
