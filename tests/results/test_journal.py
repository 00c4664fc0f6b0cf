"""The journal: each match once, and a damaged file is repaired or refused, never misread."""

import random
import shutil
import sqlite3
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from arena.errors import StoreError
from arena.records import Ending, MatchRecord
from arena.results.journal import JOURNAL_FILE, Journal, record_of, row_of
from helpers.records import plain_record

MATCHES = 400
FILES = 120
META = {"key": bytes(range(32)), "plan": b'{"a plan":1}' * 20}


def record(index: int, *, salt: int = 0) -> MatchRecord:
    """One with a body and an id of its own."""
    stream = random.Random(f"{index} {salt}")
    actions = tuple(stream.randrange(1 << 40) for _ in range(stream.randrange(1, 60)))
    return msgspec.structs.replace(plain_record(index), match_id=random.Random(index).randbytes(12).hex(), actions=actions)


RECORDS = {index: record(index) for index in range(MATCHES)}


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed journal: one file."""
    folder = tmp_path_factory.mktemp("journal")
    with Journal(folder) as journal:
        journal.set_meta(META)
        for first in range(0, MATCHES, 40):
            add(journal, *(RECORDS[index] for index in range(first, first + 40)))
    return folder


def add(journal: Journal, *records: MatchRecord, **values: bytes) -> list[MatchRecord]:
    """Store matches and named values; the matches that were new."""
    return [record_of(row) for row in journal.add([row_of(record) for record in records], values)]


def contents(folder: Path, *, is_read_only: bool) -> tuple[set[int], list[str]]:
    """What can be read, compared with what was written; raises StoreError for what cannot."""
    with Journal(folder, is_read_only=is_read_only) as journal:
        found = set()
        for row in journal.records():
            assert row == RECORDS[row.index]
            found.add(row.index)
        if not is_read_only:
            assert found == set(journal.indices())
        for name, value in META.items():
            assert journal.meta(name) in (value, None)
        for seats in journal.endings():
            assert seats == (Ending.PLAYED,)
        return found, journal.repaired


def test_a_match_as_long_as_those_of_twelve_seats_may_be_is_read_back(tmp_path: Path) -> None:
    long = msgspec.structs.replace(record(0), actions=(0, 1) * 300_000)
    with Journal(tmp_path) as journal:
        add(journal, long)
        assert list(journal.records()) == [long]


def test_what_is_stored_comes_back_in_plan_order(stored: Path) -> None:
    for is_read_only in (False, True):
        assert contents(stored, is_read_only=is_read_only) == (set(range(MATCHES)), [])
    with Journal(stored) as journal:
        assert [row.index for row in journal.records(10, 13)] == [10, 11, 12]
        assert journal.find(RECORDS[5].match_id) == RECORDS[5] and journal.find("00" * 12) is None


def test_a_match_counts_once_and_must_be_the_same(tmp_path: Path) -> None:
    with Journal(tmp_path) as journal:
        assert add(journal, RECORDS[1], RECORDS[2], RECORDS[1]) == [RECORDS[1], RECORDS[2]]
        other_machine = msgspec.structs.replace(RECORDS[2], attempts=3, notes=("on another worker",))
        assert add(journal, other_machine, RECORDS[3], key=b"new") == [RECORDS[3]]
        with pytest.raises(StoreError, match="was played twice with different results"):
            add(journal, RECORDS[4], record(2, salt=1), key=b"never")
        assert [row.index for row in journal.records()] == [1, 2, 3]  # all of an addition or nothing
        assert journal.find(RECORDS[2].match_id) == RECORDS[2] and journal.meta("key") == b"new"


@pytest.mark.parametrize("is_over", [False, True], ids=["while it is played", "at the end"])
def test_a_match_is_found_by_its_id(is_over: bool, stored: Path, tmp_path: Path) -> None:
    shutil.copy(stored / JOURNAL_FILE, tmp_path)
    with Journal(tmp_path) as journal:
        if is_over:
            journal.index_ids()
        assert journal.find(RECORDS[8].match_id) == journal.find(RECORDS[8].match_id, 8) == RECORDS[8]
        assert journal.find(RECORDS[8].match_id, 9) is None


def test_a_place_of_the_plan_has_one_match(tmp_path: Path) -> None:
    other = msgspec.structs.replace(RECORDS[1], match_id=RECORDS[2].match_id)
    with Journal(tmp_path) as journal:
        add(journal, RECORDS[1])
        with pytest.raises(StoreError, match="was played twice with different results"):
            add(journal, other)
        assert list(journal.records()) == [RECORDS[1]]


@pytest.mark.parametrize(
    "change",
    [
        "body = x'00'", "body = 'text'", "checksum = x'00'", "checksum = 17", "place = 100000", "place = -4", "place = 'x'",
        "match_id = x'000000000000000000000000'", "match_id = 5",
    ],
)  # fmt: skip
def test_a_damaged_row_is_dropped_and_the_others_stay(change: str, stored: Path, tmp_path: Path) -> None:
    shutil.copy(stored / JOURNAL_FILE, tmp_path)
    with sqlite3.connect(tmp_path / JOURNAL_FILE) as database:
        database.execute(f"update matches set {change} where place = 7")
    database.close()
    with pytest.raises(StoreError, match="damaged"):
        contents(tmp_path, is_read_only=True)
    found, repaired = contents(tmp_path, is_read_only=False)
    assert found == set(range(MATCHES)) - {7} and "played again: 1" in repaired[0]
    assert contents(tmp_path, is_read_only=False) == (found, [])


@pytest.mark.parametrize("change", ["value = x'00'", "checksum = x'00'", "value = 'text'"])
def test_a_damaged_key_is_refused(change: str, stored: Path, tmp_path: Path) -> None:
    shutil.copy(stored / JOURNAL_FILE, tmp_path)
    with sqlite3.connect(tmp_path / JOURNAL_FILE) as database:
        database.execute(f"update meta set {change} where name = 'key'")
    database.close()
    with Journal(tmp_path) as journal, pytest.raises(StoreError, match="the row of 'key' is damaged"):
        journal.meta("key")


def test_a_journal_of_another_version_is_refused(stored: Path, tmp_path: Path) -> None:
    shutil.copy(stored / JOURNAL_FILE, tmp_path)
    with sqlite3.connect(tmp_path / JOURNAL_FILE) as database:
        database.execute("pragma user_version = 1")
    database.close()
    for is_read_only in (False, True):
        with pytest.raises(StoreError, match="version 1 of the journal"):
            Journal(tmp_path, is_read_only=is_read_only)


def damage(path: Path, stream: random.Random) -> None:
    """What disks and crashes do to files."""
    data = bytearray(path.read_bytes())
    at = stream.randrange(len(data))
    kind = stream.choice(("bit", "bytes", "page", "swap", "cut"))
    if kind == "bit":
        data[at] ^= 1 << stream.randrange(8)
    elif kind == "bytes":
        data[at : at + 16] = stream.randbytes(len(data[at : at + 16]))
    elif kind == "page":
        first = at // 4096 * 4096
        data[first : first + 4096] = bytes(len(data[first : first + 4096]))
    elif kind == "swap":
        first, second = at // 4096 * 4096, stream.randrange(len(data)) // 4096 * 4096
        one, other = data[first : first + 4096], data[second : second + 4096]
        if len(one) == len(other):
            data[first : first + 4096], data[second : second + 4096] = other, one
    else:
        del data[at:]
    path.write_bytes(data)


@pytest.mark.parametrize("is_open", [False, True], ids=["closed", "killed in the middle"])
def test_whatever_is_read_from_a_damaged_file_is_right(is_open: bool, stored: Path, tmp_path: Path) -> None:
    """Files damaged at random; `killed in the middle`: the write-ahead log is there and is damaged too."""
    outcomes: Counter[str] = Counter()
    source = stored
    if is_open:
        source = tmp_path / "killed"
        source.mkdir()
        journal = Journal(source)
        journal.set_meta(META)
        for first in range(0, MATCHES, 40):
            add(journal, *(RECORDS[index] for index in range(first, first + 40)))
    for seed in range(FILES):
        stream = random.Random(seed)
        folder = tmp_path / str(seed)
        folder.mkdir()
        for path in source.glob(f"{JOURNAL_FILE}*"):
            shutil.copy(path, folder)
        damage(stream.choice(sorted(folder.glob(f"{JOURNAL_FILE}*"))), stream)
        for is_read_only in (True, False):
            try:
                found, repaired = contents(folder, is_read_only=is_read_only)
                outcomes["repaired" if repaired else "whole" if len(found) == MATCHES else "less"] += not is_read_only
            except StoreError as error:
                assert JOURNAL_FILE in str(error)
                outcomes["refused"] += not is_read_only
    if is_open:
        journal.close()
    assert sum(outcomes.values()) == FILES and outcomes["whole"] > 0
    likely = (
        ["less"] if is_open else ["repaired", "refused"]
    )  # a log that is cut short is as if the run had been killed earlier
    assert all(outcomes[outcome] > 5 for outcome in likely), outcomes


def test_reading_leaves_no_file_where_nobody_writes(tmp_path: Path) -> None:
    with Journal(tmp_path) as journal:
        add(journal, record(0))
    before = sorted(tmp_path.iterdir())
    with Journal(tmp_path, is_read_only=True) as journal:
        assert [found.index for found in journal.records()] == [0]
        assert sorted(tmp_path.iterdir()) == before
    assert sorted(tmp_path.iterdir()) == before


def test_who_writes_is_read_at_once(tmp_path: Path) -> None:
    with Journal(tmp_path) as journal:
        add(journal, record(0))
        with Journal(tmp_path, is_read_only=True) as reader:
            add(journal, record(1))
            assert [found.index for found in reader.records()] == [0, 1]
