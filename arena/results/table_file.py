"""One table as a Parquet file, written and read a row group at a time: memory does not grow with the table.

The only module that imports pyarrow. A file is written under a temporary name, synced and renamed, so that a reader
sees the old one or the new one. Pages carry checksums; what they miss, the manifest's results hash shows.
"""

import contextlib
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, cast

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from arena import userfiles
from arena.disk import WRITTEN_AGAIN, new_file, sync
from arena.errors import StoreError
from arena.results.columns import Columns, Texts
from arena.results.page_headers import pages
from arena.results.schema import FORMAT_VERSION, MATCH_ID_BYTES, Column, Kind, Row, Table

GROUP_ROWS = 1 << 15  # rows of a row group: a few MB as Python objects
GROUP_VALUES = 1 << 20  # list entries of a row group: action logs are of any length
ROWS_READ, VALUES_READ, BYTES_READ = 4 * GROUP_ROWS, 4 * GROUP_VALUES, 64 << 20
"""What a row group that is read may have: rows; list entries and bytes of one column, unpacked."""
ROWS_PER_BYTE, VALUES_PER_BYTE, TEXT_PER_BYTE = 1, 1024, 256
"""What a file may have beside as much as one row group: rows, list entries and bytes of texts, by the bytes of the file.

Ids are random, so a row takes some bytes whatever is in it; all else may be the same in every row.
"""
COMPRESSION_LEVEL = 3  # of zstd
_FOOTER_TEXT, _FOOTER_ITEMS = 16 << 20, 1 << 16  # the longest text and list of what a file says about itself
_VERSION_KEY, _TABLE_KEY = b"arena.format_version", b"arena.table"

_TYPES: dict[Kind, pa.DataType] = {
    Kind.INT8: pa.int8(),
    Kind.INT16: pa.int16(),
    Kind.INT32: pa.int32(),
    Kind.INT64: pa.int64(),
    Kind.FLOAT32: pa.float32(),
    Kind.FLOAT64: pa.float64(),
    Kind.BOOL: pa.bool_(),
    Kind.TEXT: pa.string(),
    Kind.MATCH_ID: pa.binary(MATCH_ID_BYTES),
    Kind.INT64_LIST: pa.list_(pa.int64()),
    Kind.INT32_LIST: pa.list_(pa.int32()),
}
_ROWS: dict[Kind, Any] = {Kind.FLOAT32_ROW: pa.float32(), Kind.BOOL_ROW: pa.bool_(), Kind.FLOAT32_ROWS: pa.float32()}
"""What rows of numbers or flags are made of. Only datasets have some (arena/learning/dataset); TableReader reads none."""
_FRONT_CODED = {6, 7}  # DELTA_LENGTH_BYTE_ARRAY, DELTA_BYTE_ARRAY
_WHOLE = {Kind.INT8, Kind.INT16, Kind.INT32, Kind.INT64}


class TableWriter:
    """Writes one table; a context manager that leaves nothing behind unless `publish` was reached."""

    def __init__(self, folder: Path, table: Table) -> None:
        self.path = folder / table.file
        self._temporary = folder / f"{table.file}.new"
        self._columns = table.columns
        self._schema = _arrow_schema(table)
        self._rows: list[Row] = []
        self._values = 0
        self._file: BinaryIO | None = None
        self._writer: Any = None

    def __enter__(self) -> "TableWriter":
        try:
            self._open()
        except BaseException:  # Ctrl-C, too
            self._discard()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._discard()

    def add(self, rows: Sequence[Row], values: int = 0) -> None:
        """Add rows that belong together. `values`: how many list entries they hold."""
        self._rows += rows
        self._values += values
        if len(self._rows) >= GROUP_ROWS or self._values >= GROUP_VALUES:
            self._flush()

    def finish(self) -> None:
        """Write everything to the disk, still under the temporary name."""
        self._flush()
        with self._writing():
            self._close()

    def publish(self) -> None:
        """Rename the finished file to its final name."""
        with self._writing():
            self._temporary.replace(self.path)
            sync(self.path.parent)

    def _open(self) -> None:
        with self._writing():
            self._file = new_file(self._temporary)
            self._writer = pq.ParquetWriter(
                self._file, self._schema, compression="zstd", compression_level=COMPRESSION_LEVEL,
                use_dictionary=cast(Any, [_leaf(column) for column in self._columns if column.has_dictionary]),
                column_encoding=_encodings(self._columns),
                write_page_checksum=True,
            )  # fmt: skip

    def _discard(self) -> None:
        try:
            with contextlib.suppress(Exception):
                self._close()
        finally:
            self._temporary.unlink(missing_ok=True)

    def _flush(self) -> None:
        if not self._rows:
            return
        arrays = [_array(column, [row[column.name] for row in self._rows]) for column in self._columns]
        self._rows, self._values = [], 0
        with self._writing():
            self._writer.write_batch(pa.RecordBatch.from_arrays(arrays, schema=self._schema))

    def _close(self) -> None:
        writer, file, self._writer, self._file = self._writer, self._file, None, None
        try:
            if writer is not None:
                writer.close()
            if file is not None:
                file.flush()
                os.fsync(file.fileno())
        finally:
            if file is not None:
                file.close()

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StoreError(f"{self.path}: cannot be written: {error.strerror or _first_line(error)}") from None


class TableReader:
    """One stored table, checked when opened. Raises StoreError that names the file."""

    def __init__(self, folder: Path, table: Table) -> None:
        self.path = folder / table.file
        self._table = table
        try:
            userfiles.check_plain(self.path)
        except FileNotFoundError:
            raise StoreError(f"{self.path}: no such file; a tournament writes it when it ends or is stopped") from None
        except OSError as error:
            raise StoreError(f"{self.path}: cannot be read: {error.strerror}") from None
        with reading(self.path):
            whole = pq.ParquetFile(self.path, thrift_string_size_limit=_FOOTER_TEXT, thrift_container_size_limit=_FOOTER_ITEMS)
            found = whole.schema_arrow
        self._check(found)
        texts = [column.name for column in table.columns if column.kind is Kind.TEXT and column.name in found.names]
        with reading(self.path):
            with userfiles.opened(self.path) as file:
                self._check_sizes(file, whole.metadata, texts)
            self._file = pq.ParquetFile(
                self.path, metadata=whole.metadata, read_dictionary=texts, page_checksum_verification=True
            )
            self.rows_stored: int = whole.metadata.num_rows
            self._groups = range(whole.metadata.num_row_groups)
        names = [column.name for column in table.columns]
        self._stored = [name for name in names if name in found.names]
        self.unknown: tuple[str, ...] = tuple(name for name in found.names if name not in names)
        """Columns of the file that this version does not know, and ignores: a newer one wrote them."""

    def rows(self) -> Iterator[Row]:
        """All rows, in stored order."""
        for group in self._groups:
            with reading(self.path):
                rows = _rows(self._table, self._read(group))
            yield from rows

    def rows_of(self, match_ids: Sequence[bytes]) -> dict[str, list[Row]]:
        """The rows of the given matches, by match id (hex); of all other matches only the ids are read."""
        keys = pa.array(sorted(set(match_ids)), pa.binary(MATCH_ID_BYTES))
        found: dict[str, list[Row]] = {}
        for group in self._groups:
            with reading(self.path):
                mask = pc.is_in(self._read(group, ["match_id"]).column("match_id"), value_set=keys)
                if pc.any(mask).as_py():
                    for row in _rows(self._table, self._read(group).filter(mask)):
                        found.setdefault(row["match_id"], []).append(row)
                elif len(found) == len(keys):  # a match's rows may be in two groups, never with another group between
                    break
        return found

    def columns(self, wanted: Sequence[Column]) -> Columns:
        """Whole columns; arrays of their final size are filled group by group."""
        texts = [column.name for column in wanted if column.kind is Kind.TEXT]
        with reading(self.path):
            arrays, numbers = self._new_arrays(wanted)
            stored = [name for name in arrays if name in self._stored]
            start = 0
            for group in self._groups if stored else ():
                table = self._read(group, stored)
                for name in stored:
                    _fill(arrays[name][start : start + table.num_rows], table.column(name), numbers.get(name))
                start += table.num_rows
        return Columns(
            self.path,
            {name: array for name, array in arrays.items() if name not in texts},
            {name: Texts(tuple(numbers[name]), arrays[name]) for name in texts},
        )

    def all_match_ids(self) -> NDArray[np.bytes_]:
        """[rows]: the match id of every row, 12 bytes each, in stored order."""
        found = np.empty(self.rows_stored, f"S{MATCH_ID_BYTES}")
        start = 0
        for group in self._groups:
            with reading(self.path):
                ids = self._read(group, ["match_id"]).column("match_id").to_pylist()
            found[start : start + len(ids)] = ids
            start += len(ids)
        return found

    def match_ids(self, rows: Sequence[int]) -> dict[int, str]:
        """Match ids (hex) by row number; `rows` must be sorted. Row groups without any of them are not read."""
        found: dict[int, str] = {}
        start = 0
        for group in self._groups:
            with reading(self.path):
                end = start + self._file.metadata.row_group(group).num_rows
                here = [row for row in rows if start <= row < end]
                if here:
                    ids = self._read(group, ["match_id"]).column("match_id").take(pa.array([row - start for row in here]))
                    found |= {row: cast(bytes, value).hex() for row, value in zip(here, ids.to_pylist())}
                start = end
        return found

    def _new_arrays(self, wanted: Sequence[Column]) -> tuple[dict[str, NDArray[Any]], dict[str, dict[str, int]]]:
        """An array per column, empty, or full of the default if the file lacks the column; and the texts known so far."""
        arrays: dict[str, NDArray[Any]] = {}
        numbers: dict[str, dict[str, int]] = {}
        for column in wanted:
            is_text = column.kind is Kind.TEXT
            array = arrays[column.name] = np.empty(self.rows_stored, np.int32 if is_text else column.kind.value)
            if is_text:
                numbers[column.name] = {}
            if column.name in self._stored or column.default is None:
                continue
            if column.default.value is None:
                raise ValueError("empty fields")
            array[:] = numbers[column.name].setdefault(column.default.value, 0) if is_text else column.default.value
        return arrays, numbers

    def _read(self, group: int, columns: list[str] | None = None) -> pa.Table:
        found = self._file.read_row_group(group, columns=columns or self._stored)
        for column in self._table.columns:
            if column.name in found.column_names:
                _check_range(column, found.column(column.name))
        return found

    def _check_sizes(self, file: BinaryIO, told: Any, texts: Sequence[str]) -> None:
        """Raise ValueError for a file that unpacks to more than any of ours. `told`: what it says about itself at its end."""
        size = os.fstat(file.fileno()).st_size
        rows = values = text = 0
        stored: list[Any] = []
        known = {column.name for column in self._table.columns}
        for group in map(told.row_group, range(told.num_row_groups)):
            if not 0 <= group.num_rows <= ROWS_READ:
                raise ValueError(f"a row group of {group.num_rows:,} rows; it is not ours")
            rows += group.num_rows
            for column in map(group.column, range(group.num_columns)):
                name = column.path_in_schema.partition(".")[0]
                if not 0 <= column.total_uncompressed_size <= BYTES_READ or not 0 <= column.num_values <= VALUES_READ:
                    what = f"{column.num_values:,} values of {column.total_uncompressed_size:,} bytes in {size:,} bytes"
                    raise ValueError(f"{what}; it is not ours")
                values += column.num_values - group.num_rows
                text += column.total_uncompressed_size if name in texts else 0
                if name in known:
                    stored.append(column)
        if rows != told.num_rows:
            raise ValueError(f"{told.num_rows:,} rows, and {rows:,} in its row groups")
        for what, count, most in (
            ("rows", rows, ROWS_READ + ROWS_PER_BYTE * size),
            ("values", values, VALUES_READ + VALUES_PER_BYTE * size),
            ("bytes of texts", text, BYTES_READ + TEXT_PER_BYTE * size),
        ):
            if count > most:
                raise ValueError(f"{count:,} {what} in {size:,} bytes; it is not ours")
        for column in stored:
            _check_pages(file, column)

    def _check(self, found: pa.Schema) -> None:
        metadata = found.metadata or {}
        version = metadata.get(_VERSION_KEY, b"").decode("ascii", "replace")
        if not version:
            raise StoreError(f"{self.path}: not a results file of arena")
        if version != str(FORMAT_VERSION):
            raise StoreError(f"{self.path}: format version {version}; this version of arena reads {FORMAT_VERSION}")
        types = dict(zip(found.names, found.types))
        missing = [column.name for column in self._table.columns if column.name not in types and column.default is None]
        if missing:
            raise StoreError(f"{self.path}: not a {self._table.name} file of arena: no column {', '.join(missing)}")
        for column in self._table.columns:
            if types.get(column.name, _TYPES[column.kind]) != _TYPES[column.kind]:
                found_type = types[column.name]
                raise StoreError(f"{self.path}: column {column.name} is {found_type}, not {_TYPES[column.kind]}")


def _fill(target: Any, values: Any, numbers: dict[str, int] | None) -> None:
    """Copy one column of a row group; `numbers`: of the texts met so far. Raises ValueError for null."""
    if values.null_count:
        raise ValueError("empty fields")
    start = 0
    for chunk in values.chunks:
        part = target[start : start + len(chunk)]
        start += len(chunk)
        if numbers is None:
            part[:] = chunk.to_numpy(zero_copy_only=False)
            continue
        codes = [numbers.setdefault(text, len(numbers)) for text in chunk.dictionary.to_pylist()]
        part[:] = np.array(codes, np.int32)[chunk.indices.to_numpy(zero_copy_only=False)]


def _check_range(column: Column, values: Any) -> None:
    """Raise ValueError for numbers that no table of ours has."""
    if column.kind is Kind.FLOAT32:  # of the others whoever reads them says whose they are
        if len(values) > values.null_count and not pc.all(pc.is_finite(values)).as_py():
            raise ValueError(f"{column.name}: not a number")
        if column.significant_bits is not None and (pc.min(values).as_py() or 0.0) < 0.0:
            raise ValueError(f"{column.name}: {pc.min(values).as_py()}; a time is not below 0")
    elif column.kind in _WHOLE:
        least = pc.min(values).as_py()
        if least is not None and least < column.low:
            raise ValueError(f"{column.name}: {least}; the least is {column.low}")


def _check_pages(file: BinaryIO, told: Any) -> None:
    """Raise ValueError for a column of a row group whose pages have more than the end of the file says (`told`).

    Of two encodings, which no file of ours has, the one makes long texts of few bytes, as each begins as the one before.
    """
    starts = told.data_page_offset, told.dictionary_page_offset or told.data_page_offset
    values = known = unpacked = 0
    for number, page in enumerate(pages(file, min(starts), told.total_compressed_size)):
        unpacked += page.unpacked
        known += page.values if page.is_dictionary else 0
        values += 0 if page.is_dictionary else page.values
        if number > told.num_values + 1 or page.encoding in _FRONT_CODED:
            raise ValueError("pages as no file of ours has them")
    if values != told.num_values or known > VALUES_READ or unpacked > told.total_uncompressed_size:
        raise ValueError(f"pages of {values:,} values, {unpacked:,} bytes and {known:,} different values; it is not ours")


def _arrow_schema(table: Table) -> pa.Schema:
    fields = [pa.field(column.name, _type(column), nullable=column.nullable) for column in table.columns]
    return pa.schema(fields, metadata={_VERSION_KEY: str(FORMAT_VERSION).encode(), _TABLE_KEY: table.name.encode()})


def _type(column: Column) -> pa.DataType:
    if column.kind not in _ROWS:
        return _TYPES[column.kind]
    row = pa.list_(_ROWS[column.kind], column.width)
    return pa.list_(row) if column.kind is Kind.FLOAT32_ROWS else row


def _leaf(column: Column) -> str:
    """The name under which Parquet knows the values of a column."""
    inside = {
        Kind.FLOAT32_ROW: ".list.element",
        Kind.BOOL_ROW: ".list.element",
        Kind.FLOAT32_ROWS: ".list.element.list.element",
    }
    return column.name + inside.get(column.kind, "")


def _encodings(columns: Iterable[Column]) -> dict[str, str]:
    """The encodings of the columns that compression alone does not make small.

    The last bytes of rounded numbers are zero: a stream for each byte of the numbers puts those together. A position in the
    plan is the one before, or one more.
    """
    rounded = {column.name: "BYTE_STREAM_SPLIT" for column in columns if column.significant_bits is not None}
    return rounded | {column.name: "DELTA_BINARY_PACKED" for column in columns if column.kind is Kind.INT64}


def _array(column: Column, values: list[Any]) -> Any:
    if column.kind is Kind.MATCH_ID:
        values = [bytes.fromhex(value) for value in values]
    if column.kind in _ROWS:
        numbers: Any = pa.array(np.concatenate(values).reshape(-1))
        rows = pa.FixedSizeListArray.from_arrays(numbers, column.width)
        if column.kind is not Kind.FLOAT32_ROWS:
            return rows
        return pa.ListArray.from_arrays(pa.array(np.cumsum([0, *map(len, values)]), pa.int32()), rows)
    if column.significant_bits is not None:
        return pa.array(rounded(np.array(values, np.float32), column.significant_bits))
    return pa.array(values, _TYPES[column.kind])


def rounded(numbers: NDArray[np.float32], bits: int) -> NDArray[np.float32]:
    """Numbers rounded to so many significant bits.

    >>> rounded(np.array([0.0, 1.0, 1000.4, 0.123456], np.float32), 9).tolist()
    [0.0, 1.0, 1000.0, 0.12353515625]
    """
    fraction, exponent = np.frexp(numbers)
    result: NDArray[np.float32] = np.ldexp(np.round(np.ldexp(fraction, bits)), exponent - bits).astype(np.float32)
    return result


def _rows(table: Table, data: pa.Table) -> Iterator[Row]:
    names, stored = [column.name for column in table.columns], set(data.column_names)
    values = [
        _values(column.kind, data.column(column.name))
        if column.name in stored or column.default is None
        else [column.default.value] * data.num_rows
        for column in table.columns
    ]
    return (dict(zip(names, row)) for row in zip(*values))


def _values(kind: Kind, values: Any) -> list[Any]:
    """The values of a column; each different text is there once, however many rows have it."""
    if kind is Kind.MATCH_ID:
        return [value.hex() for value in values.to_pylist()]
    if kind is not Kind.TEXT:
        return cast("list[Any]", values.to_pylist())
    found: list[Any] = []
    for chunk in values.chunks:
        known = chunk.dictionary.to_pylist()
        found += [None if code is None else known[code] for code in chunk.indices.to_pylist()]
    return found


@contextlib.contextmanager
def reading(path: Path) -> Iterator[None]:
    """Raise the errors of a damaged file as StoreError that names the file."""
    try:
        yield
    except (OSError, ValueError, pa.ArrowException, msgspec.ValidationError) as error:
        raise StoreError(f"{path}: damaged or not a Parquet file: {_first_line(error)}; {WRITTEN_AGAIN}") from None


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
