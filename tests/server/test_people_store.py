"""The store of people's matches: found by id, listed by nothing else, whole after a crash."""

import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from arena.cli.main import main
from arena.errors import ConfigError, StoreError
from arena.records import MatchRecord
from arena.results.lock import FolderLock
from arena.server.people.store import PERSON, keep, newest, records
from arena.tournament.archive.finding import find_match, is_of_people, locate_match
from arena.tournament.config import check_tournament_name
from helpers.people_matches import people_match
from helpers.server import server
from helpers.tournaments import run

Kept = tuple[Path, MatchRecord, bytes]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """A folder with one match of alice against a level."""
    out = tmp_path_factory.mktemp("results")
    record, key = people_match("naga", "alice:club", "casual", seed=5)
    return out, keep(out, record, key), key


def other(record: MatchRecord, number: int) -> MatchRecord:
    """The same match under another id."""
    return msgspec.structs.replace(record, match_id=f"{number:024x}")


def test_a_match_is_kept_as_it_was_behind_all_others(kept: Kept, tmp_path: Path) -> None:
    _, record, key = kept
    assert list(records(tmp_path)) == [] and newest(tmp_path, 5) == []
    for number in range(4):
        assert keep(tmp_path, other(record, number), key).index == number
    stored = list(records(tmp_path))
    assert [one.match_id for one in stored] == [f"{number:024x}" for number in range(4)]
    assert stored[2] == msgspec.structs.replace(other(record, 2), index=2)
    assert stored[0].pool == "people/naga" and stored[0].seats[0].isolation == PERSON
    page = newest(tmp_path, 3)
    assert [one.record.index for one in page] == [3, 2, 1] and page[0].ended.endswith("+00:00")
    assert [one.record.index for one in newest(tmp_path, 3, before=1)] == [0]


def test_a_match_is_found_by_its_id_and_by_its_first_digits(kept: Kept) -> None:
    out, record, key = kept
    folder, found, found_key = locate_match(out, record.match_id)
    assert (folder, found, found_key) == (out / "people", record, key)
    assert is_of_people(found)
    assert find_match(out, record.match_id[:8].upper()) == (record, key)
    with pytest.raises(StoreError, match="not found"):
        locate_match(out, "0" * 24)


def test_a_match_is_replayed_traced_and_made_a_capsule(kept: Kept, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, record, _ = kept
    assert main(["replay", record.match_id[:6], "--out", str(out)]) == 0
    shown = capsys.readouterr().out
    assert "seat 0: alice" in shown and "place 1" in shown
    assert main(["replay", record.match_id, "--trace", "--out", str(out)]) == 0
    assert len(capsys.readouterr().out.splitlines()) > len(record.actions)
    decision = next(number for number in range(len(record.actions)) if number > 2)
    file = tmp_path / "one.json"
    for seat in (0, 1):
        code = main(["capsule", record.match_id, str(seat), "--decision", str(decision), "--to", str(file), "--out", str(out)])
        if code == 0:
            break
    assert code == 0 and msgspec.json.decode(file.read_bytes())["tournament"] == "people"


def test_the_server_shows_the_match_at_its_address(kept: Kept) -> None:
    out, record, _ = kept
    with server(out) as client:
        page = client.get(f"/m/{record.match_id}")
        assert page.status_code == 200 and "/t/people" not in page.text and "/bots/alice" not in page.text
        answer = client.get(f"/api/m/{record.match_id}?seat=0").json()
        assert answer["of_people"] and answer["card"]["seats"][0]["bot"] == "alice"
        assert client.get(f"/embed/m/{record.match_id}").status_code == 200
        assert client.get("/t/people").status_code == 404
        assert client.get("/api").json()["tournaments"] == []


def test_the_server_gives_the_match_as_the_trace_that_the_terminal_prints(
    kept: Kept, capsys: pytest.CaptureFixture[str]
) -> None:
    out, record, _ = kept
    with server(out) as client:
        address = f"/m/{record.match_id}/trace"
        assert f'href="{address}"' in client.get(f"/m/{record.match_id}").text
        file = client.get(address)
        assert file.headers["content-disposition"] == f'attachment; filename="{record.match_id}.jsonl"'
        assert client.get(f"/api{address}").json() == {"match_id": record.match_id, "text": file.text}
        assert client.get(f"/m/{'0' * len(record.match_id)}/trace").status_code == 404
    assert printed(capsys, "replay", record.match_id, "--trace", "--out", out)[:2] == (0, file.text)


def printed(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    code = main([str(word) for word in words])
    found = capsys.readouterr()
    return code, found.out, found.err


VERBS = (
    ("status",),
    ("leaderboard",),
    ("leaderboard", "archive"),
    ("archive",),
    ("bots",),
    ("rerate",),
    ("verify-results", "small"),
)


def everything(out: Path, capsys: pytest.CaptureFixture[str]) -> dict[tuple[str, ...], tuple[int, str, str]]:
    """What each verb says of a folder, machine-readable where it can be."""
    found = {}
    for verb in VERBS:
        extra = ["--format", "json"] if verb[0] in ("status", "leaderboard", "archive", "bots") else []
        found[verb] = printed(capsys, *verb, *extra, "--out", out)
    return found


def test_no_verb_lists_the_matches_of_people(kept: Kept, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Leaderboards are byte-equal with and without them, those of everything included."""
    out = tmp_path / "out"
    run(tmp_path, deals=2)
    assert main(["archive", "--out", str(out)]) == 0
    capsys.readouterr()
    everything(out, capsys)  # the server is rated when it is first asked for
    before = everything(out, capsys)
    files = {path: path.read_bytes() for path in out.rglob("*.parquet")}
    shutil.copytree(kept[0] / "people", out / "people")
    after = everything(out, capsys)
    for verb, (code, text, complaint) in before.items():
        assert code == 0, (verb, complaint)
        if verb[0] != "verify-results":  # it says how long it took
            assert after[verb] == (code, text, complaint), verb
        assert "alice" not in after[verb][1]
    assert files == {path: path.read_bytes() for path in out.rglob("*.parquet")}
    code, _, complaint = printed(capsys, "leaderboard", "people", "--out", out)
    assert code == 2 and "no tournament 'people'" in complaint
    assert printed(capsys, "archive", "--add", out / "people", "--out", out)[0] == 2
    assert printed(capsys, "report", "people", "--out", out)[0] == 2


def test_an_old_tournament_of_that_name_stays_readable(kept: Kept, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(tmp_path, deals=2)
    out = tmp_path / "out"
    (out / "small").rename(out / "people")
    keep(out, kept[1], kept[2])
    code, text, _ = printed(capsys, "leaderboard", "people", "--out", out)
    assert code == 0 and "alice" not in text
    assert locate_match(out, kept[1].match_id)[1].seats[0].bot == "alice"


def test_a_new_tournament_cannot_have_that_name() -> None:
    with pytest.raises(ConfigError, match="'people' is the folder of the matches that people play"):
        check_tournament_name("people", "name")


def _keep_some(out: Path, record: MatchRecord, key: bytes, first: int) -> None:
    for number in range(first, first + 5):
        keep(out, other(record, number), key)


def test_two_processes_may_keep_matches_at_the_same_time(kept: Kept, tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=_keep_some, args=(tmp_path, kept[1], kept[2], 100 * number)) for number in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    stored = list(records(tmp_path))
    assert [one.index for one in stored] == list(range(15))
    assert len({one.match_id for one in stored}) == 15


def test_who_waits_too_long_is_told_who_writes(tmp_path: Path) -> None:
    with (
        FolderLock(tmp_path),
        pytest.raises(StoreError, match=f"process {os.getpid()}"),
        FolderLock(tmp_path, patience=0.02),
    ):
        pass


KILLED = """
import sys, os, signal
from pathlib import Path
import msgspec
from arena.server.people import store
from arena.records import MatchRecord
from arena.results.journal import Journal
out, moment = Path(sys.argv[1]), sys.argv[2]
record = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=MatchRecord)

def dying(self, *arguments):
    if moment == "after":
        whole(self, *arguments)
    os.kill(os.getpid(), signal.SIGKILL)

whole, name = (Journal.add, "add") if moment != "inside" else (Journal._set, "_set")
setattr(Journal, name, dying)
store.keep(out, record, bytes(32))
"""


@pytest.mark.parametrize(("moment", "is_kept"), [("before", False), ("inside", False), ("after", True)])
def test_a_process_that_is_killed_leaves_the_match_whole_or_not_at_all(
    kept: Kept, tmp_path: Path, moment: str, is_kept: bool
) -> None:
    _, record, key = kept
    keep(tmp_path, other(record, 1), key)
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path), moment],
        input=msgspec.msgpack.encode(other(record, 2)), check=False,
    )  # fmt: skip
    assert killed.returncode == -signal.SIGKILL
    following = keep(tmp_path, other(record, 3), key)
    wanted = [1, 2, 3] if is_kept else [1, 3]
    assert [int(one.match_id, 16) for one in records(tmp_path)] == wanted
    assert following.index == len(wanted) - 1
    assert [int(one.record.match_id, 16) for one in newest(tmp_path, 9)] == wanted[::-1]
