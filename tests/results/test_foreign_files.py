"""Results of strangers: names and hashes that would lead out of a folder are refused where they are read."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from arena.agent.submissions import Submissions
from arena.cli.main import main
from arena.errors import StoreError
from arena.results import parquet
from arena.results.journal import JOURNAL_FILE, Journal, row_checksum, row_of
from arena.results.manifest import MANIFEST_FILE, MOST_POOLS, read_manifest, stored_clock, stored_limits, write_manifest
from arena.tournament.archive.adding import add_to_archive
from arena.tournament.archive.finding import locate_match
from arena.tournament.archive.folder import Entry, rated_entries
from helpers.records import make_record, make_seat, numbered
from helpers.results import HOSTILE, make_manifest, write_results

UP = "../../../tmp/x"


@pytest.mark.parametrize(
    "changes",
    [
        {"name": UP}, {"name": ".."}, {"name": "a/b"}, {"name": "a\0b"}, {"name": ""}, {"results_sha256": UP},
        {"results_sha256": "A" * 64}, {"results_sha256": "a" * 64 + "\n"}, {"plan_sha256": UP}, {"commitment": UP},
        {"key": "zz"}, {"key": "0"}, {"tournaments": (UP,)}, {"tournaments": ("..",)}, {"endings": {HOSTILE: 1}},
        {"pools": tuple(map(str, range(MOST_POOLS + 1)))},
    ],
    ids=lambda changes: str(changes)[:40],
)  # fmt: skip
def test_a_manifest_whose_names_lead_elsewhere_is_refused(changes: dict[str, Any], tmp_path: Path) -> None:
    write_manifest(tmp_path, make_manifest(**changes))
    for read in (read_manifest, lambda folder: add_to_archive(tmp_path / "archive", folder), rated_entries):
        with pytest.raises(StoreError, match=r"manifest\.json: damaged or not ours: .*\$"):
            read(tmp_path)
    assert not (tmp_path / "archive").exists()


@pytest.mark.parametrize("sha256", [UP, "", HOSTILE, "g" * 64, "a" * 63])
def test_a_bot_is_known_by_a_hash_and_nothing_else(sha256: str, tmp_path: Path) -> None:
    manifest = make_manifest()
    write_manifest(tmp_path, replace(manifest, bots=(replace(manifest.bots[0], sha256=sha256),)))
    with pytest.raises(StoreError, match="64 hex digits are needed"):
        read_manifest(tmp_path)
    record = make_record(seats=(make_seat(bot_sha256=sha256), make_seat("bob")))
    parquet.write_matches(tmp_path, [record])
    with pytest.raises(StoreError, match="64 hex digits are needed"):
        list(parquet.read_matches(tmp_path))
    with pytest.raises(StoreError, match="64 hex digits are needed"):
        parquet.find_match(tmp_path, record.match_id)
    with Journal(tmp_path) as journal:
        journal.add([row_of(record)])
        with pytest.raises(StoreError, match="64 hex digits are needed"):
            journal.find(record.match_id)


def put(folder: Path, record: object, *, match_id: bytes = bytes(12), place: int = 0) -> None:
    """Store anything as a row of a journal, with the right checksum."""
    body = msgspec.msgpack.encode(record)
    with Journal(folder):
        pass
    with sqlite3.connect(folder / JOURNAL_FILE) as db:
        row = (match_id, place, body, row_checksum(match_id, place, body))
        db.execute("insert into matches values (?, ?, ?, ?)", row)


def test_a_row_whose_id_is_another_than_its_record_s_is_refused(tmp_path: Path) -> None:
    """Its id becomes the name of a capsule's file."""
    plain: dict[str, Any] = msgspec.to_builtins(make_record())
    for number, match_id in enumerate((UP, "0" * 24)):
        folder = tmp_path / str(number)
        folder.mkdir()
        put(folder, plain | {"match_id": match_id}, match_id=bytes([1] * 12))
        with Journal(folder, is_read_only=True) as journal, pytest.raises(StoreError, match=r"not ours|holds match"):
            journal.find("01" * 12)


@pytest.mark.parametrize("body", [None, [], {}, "text", {"seats": [{}]}, -1])
def test_a_row_that_is_no_record_is_refused_although_its_checksum_is_right(body: object, tmp_path: Path) -> None:
    put(tmp_path, body)
    with Journal(tmp_path, is_read_only=True) as journal:
        for read in (lambda: journal.find("00" * 12), lambda: list(journal.records()), lambda: list(journal.endings())):
            with pytest.raises(StoreError, match="the row of match 0 is not ours"):
                read()


@pytest.mark.parametrize(
    "statement",
    [
        "create view x as with recursive n(i) as (select 1 union all select i + 1 from n) select * from n",
        "create trigger x after insert on meta begin delete from matches; end",
    ],
)
def test_a_journal_that_runs_what_its_author_wrote_is_refused(statement: str, tmp_path: Path) -> None:
    with Journal(tmp_path):
        pass
    with sqlite3.connect(tmp_path / JOURNAL_FILE) as db:
        db.execute(statement)
    for is_read_only in (True, False):
        with pytest.raises(StoreError, match="not ours: it holds a"):
            Journal(tmp_path, is_read_only=is_read_only)


LONG = "instr(zeroblob(60000000), zeroblob(30000000) || x'01')"
"""What takes days to work out, in one step of SQLite's, which nothing ends."""


@pytest.mark.parametrize(
    "statement",
    [
        f"create table matches (match_id blob, place integer, body blob generated always as ({LONG}) virtual, checksum blob)",
        f"create table matches (match_id blob, place integer, body blob, checksum blob generated always as ({LONG}) stored)",
        f"create table matches (match_id blob, place integer check (place = {LONG}), body blob, checksum blob)",
        f"create table matches (match_id blob, place integer, body blob default ({LONG}), checksum blob)",
        f"create table more (x integer default ({LONG}))",
        f"create index x on meta ({LONG})",
        f"create index x on meta (name) where name = {LONG}",
        "create virtual table x using rtree (a, b, c)",
    ],
)
def test_a_journal_that_has_its_author_s_formulas_worked_out_is_refused(statement: str, tmp_path: Path) -> None:
    with Journal(tmp_path):
        pass
    with sqlite3.connect(tmp_path / JOURNAL_FILE) as db:
        if "create table matches" in statement:
            db.execute("drop table matches")
        db.execute(statement)
    for is_read_only in (True, False):
        with pytest.raises(StoreError, match="not ours: it holds a"):
            Journal(tmp_path, is_read_only=is_read_only)


@pytest.mark.parametrize("key", ["name", "sha256", "version", "main"])
def test_a_version_of_a_stranger_s_store_leads_nowhere_else(key: str, tmp_path: Path) -> None:
    folder = tmp_path / "submissions" / "versions" / "bob"
    folder.mkdir(parents=True)
    version = {
        "name": "bob", "version": 1, "sha256": "0" * 64, "main": "bob.py", "games": [], "bytes": 1, "submitted": "2026-01-01",
    }  # fmt: skip
    (folder / "1.json").write_text(json.dumps(version | {key: UP}))
    with pytest.raises(StoreError):
        (found,) = Submissions(tmp_path).find("submitted:bob")
        Submissions(tmp_path).files(found)


@pytest.mark.parametrize(
    "config", [{}, {"clock": 1}, {"clock": {"move": -1, "bank": 0}}, {"clock": {"move": 1e300, "bank": 0}}]
)
def test_a_clock_that_is_none_is_refused(config: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"manifest\.json: damaged: config: clock"):
        stored_clock(make_manifest(config=config), tmp_path)


@pytest.mark.parametrize("config", [{}, {"memory": "1"}, {"memory": 0}, {"memory": 1 << 62}])
def test_limits_that_are_none_are_refused(config: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"manifest\.json: damaged: config: limits"):
        stored_limits(make_manifest(config=config), tmp_path)


@pytest.mark.parametrize("started", ["", "now", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_a_time_that_is_none_is_refused(started: str, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="started"):
        _ = Entry(tmp_path, make_manifest(started=started)).started


@pytest.mark.parametrize("words", [["replay"], ["capsule"]])
@pytest.mark.parametrize("changes", [{"options": "[]"}, {"options": '{"x":1}'}, {"actions": (1 << 62,)}, {"game": HOSTILE}])
def test_a_stranger_s_match_is_refused_with_a_message(
    words: list[str],
    changes: dict[str, Any],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    write_results(tmp_path, [make_record(**changes)], "alice", "bob")
    manifest = read_manifest(tmp_path / "cup")
    clock = {"move": 1.0, "bank": 0.0}
    write_manifest(tmp_path / "cup", replace(manifest, key="00" * 32, config={"clock": clock, "memory": 1 << 30}))
    (record,) = numbered([make_record(**changes)])
    assert locate_match(tmp_path, record.match_id)[1].match_id == record.match_id
    seat = ["0", "--decision", "0"] if words == ["capsule"] else []
    assert main([*words, record.match_id, *seat, "--out", str(tmp_path)]) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith("arena: ") and "Traceback" not in captured.err and not captured.out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cup"] and (tmp_path / "cup" / MANIFEST_FILE).exists()
