"""Small files of strangers that would unpack to much: refused before memory is taken."""

import gc
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from arena.errors import StoreError
from arena.results import json_text, parquet, table_file
from arena.results.manifest import MANIFEST_FILE, MANIFEST_PARTS, read_manifest
from arena.results.schema import ACTIONS, FAULTS, MATCHES, Table
from helpers.records import make_record, numbered

SMALL = 800_000  # bytes of a file


def rewritten(
    folder: Path, table: Table, changed: dict[str, Callable[[int], Any]], rows: int, group: int = 0, **how: Any
) -> Path:
    """The file of a table with `rows` rows like its first one, and other columns where `changed` has some.

    `group`: how many rows a row group has; 0: all of them; `how`: for pyarrow.
    """
    path = folder / table.file
    found = pq.read_table(path)
    columns = [
        changed[name](rows) if name in changed else pa.repeat(found.column(name)[0], rows) for name in found.column_names
    ]
    whole = pa.Table.from_arrays(columns, schema=found.schema)
    pq.write_table(whole, path, compression="zstd", row_group_size=group or rows, **how)
    assert path.stat().st_size < SMALL
    return path


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    parquet.write_matches(tmp_path, numbered([make_record()] * 3))
    return tmp_path


READS: tuple[Callable[[Path], Any], ...] = (
    lambda folder: list(parquet.read_matches(folder, with_actions=False)),
    lambda folder: parquet.find_match(folder, "00" * 12),
    lambda folder: parquet.read_columns(folder, ("index", "seat", "bot", "params")),
    parquet.read_all_match_ids,
    parquet.read_totals,
)


def test_rows_that_take_no_room_in_their_file_are_refused(stored: Path) -> None:
    rewritten(stored, MATCHES, {}, 500_000, 1 << 15)
    for read in READS:
        with pytest.raises(StoreError, match=r"matches\.parquet: .*: 500,000 rows in [\d,]+ bytes; it is not ours"):
            read(stored)


def test_a_long_text_that_is_there_once_for_many_rows_is_refused(stored: Path) -> None:
    rewritten(stored, MATCHES, {"params": lambda rows: pa.repeat(pa.scalar("x" * (65 << 20)), rows)}, 3)
    for read in READS:
        with pytest.raises(StoreError, match=r"matches\.parquet: "):
            read(stored)


def test_a_log_of_millions_of_actions_in_two_kilobytes_is_refused(stored: Path) -> None:
    def long(rows: int) -> Any:
        values = pa.array(np.zeros(5_000_000, np.int64))
        return pa.ListArray.from_arrays(pa.array([0, *[len(values)] * rows], pa.int32()), values)

    rewritten(stored, ACTIONS, {"actions": long}, 3)
    for read in (lambda: list(parquet.read_matches(stored)), lambda: parquet.find_match(stored, "00" * 12)):
        with pytest.raises(
            StoreError, match=r"actions\.parquet: .*: 5,00\d,\d+ values of [\d,]+ bytes in [\d,]+ bytes; it is not ours"
        ):
            read()


def test_a_fault_of_megabytes_in_some_kilobytes_is_refused(stored: Path) -> None:
    schema = pq.read_schema(stored / FAULTS.file)
    row = {"index": 0, "match_id": bytes(12), "bot": "bob", "bot_version": 1, "seat": 0, "decision": 0, "ending": "crash",
           "reason": "no", "output": "x" * (8 << 20), "exit": ""}  # fmt: skip
    pq.write_table(pa.Table.from_pylist([row], schema=schema), stored / FAULTS.file, compression="zstd")
    assert (stored / FAULTS.file).stat().st_size < SMALL
    with pytest.raises(StoreError, match=r"faults\.parquet: damaged"):
        parquet.read_faults(stored)


def test_texts_are_kept_once_however_many_rows_have_them(stored: Path) -> None:
    rewritten(stored, MATCHES, {"params": lambda rows: pa.repeat(pa.scalar("x" * (1 << 20)), rows)}, 40)
    rows = table_file.TableReader(stored, MATCHES).rows()
    first, second = next(rows), next(rows)
    assert len(first["params"]) == 1 << 20 and first["params"] is second["params"]


def test_a_row_group_larger_than_ours_is_refused(stored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_file, "ROWS_READ", 100)
    rewritten(stored, MATCHES, {}, 101)
    with pytest.raises(StoreError, match=r"matches\.parquet: .*: a row group of 101 rows; it is not ours"):
        list(parquet.read_matches(stored, with_actions=False))


@pytest.mark.parametrize("table", [MATCHES, ACTIONS], ids=lambda table: table.file)
def test_no_file_that_is_small_takes_much_memory(table: Table, stored: Path) -> None:
    """The same in a process of its own that may not have more than a gigabyte."""
    rewritten(stored, table, {}, 1_000_000)
    code = f"""
import resource
from pathlib import Path
from arena.results import parquet
from arena.errors import StoreError
resource.setrlimit(resource.RLIMIT_DATA, (1 << 30, 1 << 30))
try:
    list(parquet.read_matches(Path({str(stored)!r})))
except StoreError:
    print("refused")
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ended.stdout == "refused\n", ended.stderr[-500:]
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss > 0


RANGES: dict[str, Any] = {
    "seat": pa.scalar(-1, pa.int8()), "place": pa.scalar(-1, pa.int8()), "index": pa.scalar(-1, pa.int64()),
    "deal": pa.scalar(-5, pa.int32()), "rotation": pa.scalar(-1, pa.int8()), "unit": pa.scalar(-1, pa.int8()),
    "decisions": pa.scalar(-1, pa.int32()), "score": pa.scalar(float("nan"), pa.float32()),
    "cpu_ms_total": pa.scalar(float("inf"), pa.float32()), "cpu_ms_p50": pa.scalar(float("nan"), pa.float32()),
    "cpu_ms_max": pa.scalar(-1e30, pa.float32()), "wall_ms_total": pa.scalar(-0.5, pa.float32()),
    "attempts": pa.scalar(-1, pa.int8()), "bot_version": pa.scalar(-1, pa.int32()),
    "fault_decision": pa.scalar(-2, pa.int32()), "rules_version": pa.scalar(-1, pa.int16()),
}  # fmt: skip


@pytest.mark.parametrize("column", RANGES)
def test_numbers_that_no_match_has_are_refused(column: str, stored: Path) -> None:
    rewritten(stored, MATCHES, {column: lambda rows: pa.repeat(RANGES[column], rows)}, 3)
    reads = [lambda: list(parquet.read_matches(stored, with_actions=False))]
    if column != "fault_decision":
        reads.append(lambda: parquet.read_columns(stored, (column,)))  # type: ignore[arg-type, return-value]
    for read in reads:
        with pytest.raises(StoreError, match=rf"matches\.parquet: damaged.*{column}"):
            read()


@pytest.mark.parametrize("column", ["game", "pool", "options", "deal", "rotation", "rules_version", "attempts"])
def test_rows_that_do_not_agree_on_their_match_are_refused(column: str, stored: Path) -> None:
    path = stored / MATCHES.file
    found = pq.read_table(path)
    place = found.schema.get_field_index(column)
    values: list[Any] = found.column(column).to_pylist()
    values[1] = "\x1b[31m" if isinstance(values[1], str) else values[1] + 1  # of the second seat
    pq.write_table(found.set_column(place, found.schema.field(place), pa.array(values, found.schema.field(place).type)), path)
    for read in (lambda: list(parquet.read_matches(stored)), lambda: parquet.find_match(stored, "00" * 12)):
        with pytest.raises(StoreError, match=r"matches\.parquet: damaged: the rows of match 0+ differ"):
            read()


def small_at_its_end(path: Path, name: str) -> None:
    """Let the end of a file say that a column has few values and bytes. Its pages have what they had."""
    told = pq.read_metadata(path)
    columns = map(told.row_group(0).column, range(told.num_columns))
    column = next(found for found in columns if found.path_in_schema.startswith(name))
    content = path.read_bytes()
    begin = len(content) - 8 - told.serialized_size
    end = content[begin:]
    for number, less in ((column.num_values, 100), (column.total_uncompressed_size, 2000)):
        if number > less:
            assert varint(number) in end
            end = end.replace(varint(number), varint(less, len(varint(number))))
    path.write_bytes(content[:begin] + end)


def varint(number: int, length: int = 0) -> bytes:
    """A positive number as the end of a Parquet file has it, in at least so many bytes."""
    parts = [2 * number >> shift & 127 for shift in range(0, 63, 7) if shift < 7 * length or 2 * number >> shift]
    return bytes([part | 128 for part in parts[:-1]] + parts[-1:])


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_pages_that_have_more_than_the_end_of_their_file_says_are_not_unpacked(
    version: Literal["1.0", "2.0"], stored: Path
) -> None:
    values = pa.array(np.zeros(2_000_000, np.int64))
    log = pq.read_table(stored / ACTIONS.file).slice(0, 1)
    long = log.set_column(1, log.schema.field(1), pa.ListArray.from_arrays(pa.array([0, len(values)], pa.int32()), values))
    pq.write_table(long, stored / ACTIONS.file, compression="zstd", data_page_version=version)
    small_at_its_end(stored / ACTIONS.file, "actions")
    with pytest.raises(StoreError, match=r"actions\.parquet: .*: pages of [\d,]+ values, .*; it is not ours"):
        parquet.find_match(stored, "00" * 12)


@pytest.mark.parametrize("has_dictionary", [True, False])
def test_a_text_that_is_longer_than_the_end_of_its_file_says_is_not_unpacked(has_dictionary: bool, stored: Path) -> None:
    texts = {"params": lambda rows: pa.repeat(pa.scalar("x" * (8 << 20)), rows)}
    rewritten(stored, MATCHES, texts, 1, use_dictionary=has_dictionary, write_statistics=False)
    small_at_its_end(stored / MATCHES.file, "params")
    with pytest.raises(StoreError, match=r"matches\.parquet: .*: pages of 1 values, .*; it is not ours"):
        parquet.read_totals(stored)


def test_texts_that_are_told_by_what_they_have_in_common_are_refused(stored: Path) -> None:
    texts = {"params": lambda rows: pa.repeat(pa.scalar("x" * 1000), rows)}
    rewritten(stored, MATCHES, texts, 3, use_dictionary=False, column_encoding={"params": "DELTA_BYTE_ARRAY"})
    with pytest.raises(StoreError, match=r"matches\.parquet: .*: pages as no file of ours has them"):
        parquet.read_totals(stored)


def test_a_damaged_header_of_a_page_is_one_message(stored: Path) -> None:
    path = stored / MATCHES.file
    content = bytearray(path.read_bytes())
    for wrong in (b"\xff" * 20, b"\x15\x00" + b"\x80" * 30, b"\x1c" * 40, b"\x18\xff\xff\xff\x7f" * 4):
        content[4 : 4 + len(wrong)] = wrong
        path.write_bytes(content)
        with pytest.raises(StoreError, match=r"matches\.parquet: damaged or not a Parquet file: a damaged header of a page"):
            parquet.read_totals(stored)


def test_a_manifest_of_very_many_small_parts_is_refused(tmp_path: Path) -> None:
    (tmp_path / MANIFEST_FILE).write_bytes(b'{"config": {"x": [' + b"[]," * MANIFEST_PARTS + b"[]]}}")
    with pytest.raises(StoreError, match=r"manifest\.json: damaged or not ours: it has 1,500,004 lists and objects"):
        read_manifest(tmp_path)


def test_garbage_is_looked_for_again_after_text_that_is_no_json() -> None:
    with pytest.raises(msgspec.DecodeError):
        json_text.decode(b"{", Any)
    assert gc.isenabled()
