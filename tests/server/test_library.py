"""Answers are kept until their files change; a board may be rewritten, damaged or taken away while it is read."""

import os
import shutil
import threading
from pathlib import Path

import pytest

from arena.errors import StoreError
from arena.server.library import Library
from arena.server.problems import Problem
from helpers.records import make_record
from helpers.results import write_results
from helpers.server import server


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    write_results(tmp_path, [make_record()] * 4, "alice", "bob")
    return tmp_path / "cup"


def test_an_answer_is_kept_until_a_file_changes(cup: Path) -> None:
    library, made = Library(cup.parent), []

    def make() -> int:
        made.append(1)
        return len(made)

    assert [library.kept("x", cup, make) for _ in range(3)] == [1, 1, 1]
    (cup / "manifest.json").write_text((cup / "manifest.json").read_text() + " ")
    assert [library.kept("x", cup, make) for _ in range(2)] == [2, 2]


def test_many_who_ask_at_once_are_answered_by_one_reading(cup: Path) -> None:
    library, made, begun = Library(cup.parent), [], threading.Barrier(8)

    def make() -> int:
        made.append(1)
        return len(made)

    def ask() -> None:
        begun.wait()
        assert library.kept("x", cup, make) == 1

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [1]


def test_a_board_that_is_rewritten_while_it_is_read_is_read_again(cup: Path) -> None:
    library, seen = Library(cup.parent), []

    def make() -> str:
        seen.append((cup / "ratings.parquet").stat().st_mtime_ns)
        if len(seen) < 3:
            (cup / "ratings.parquet").write_bytes(b"half" * len(seen))
            raise StoreError("damaged")
        return "whole"

    assert library.kept("x", cup, make) == "whole" and len(seen) == 3


def test_a_board_that_is_rewritten_all_the_time_is_a_matter_of_waiting(cup: Path) -> None:
    library, writes = Library(cup.parent), iter(range(1, 100))

    def make() -> str:
        (cup / "ratings.parquet").write_bytes(b"x" * next(writes))
        raise StoreError("damaged")

    with pytest.raises(Problem) as refused:
        library.kept("x", cup, make)
    assert refused.value.status == 503


@pytest.mark.parametrize("file", ["manifest.json", "ratings.parquet", "matches.parquet", "totals.parquet", "history.parquet"])
@pytest.mark.parametrize("content", [b"", b"{", b"PAR1" + b"\0" * 40 + b"PAR1"])
def test_a_damaged_file_is_told_and_everything_else_goes_on(cup: Path, file: str, content: bytes) -> None:
    with server(cup.parent) as client:
        assert client.get("/api/t/cup?pool=naga").status_code == 200
        (cup / file).write_bytes(content)
        for address in ("/t/cup", "/t/cup?pool=naga", "/t/cup/matches", "/bots/alice", "/tv", "", f"/m/{0:024x}"):
            page, data = client.get(address or "/"), client.get(f"/api{address}")
            assert page.status_code in (200, 404, 500) and data.status_code == page.status_code
            assert "Traceback" not in page.text + data.text
        assert client.get("/").status_code == 200


def test_a_tournament_and_a_folder_that_vanish_are_gone_and_the_server_goes_on(cup: Path) -> None:
    with server(cup.parent) as client:
        assert client.get("/api/t/cup").status_code == 200
        shutil.rmtree(cup)
        assert client.get("/api/t/cup").status_code == client.get("/t/cup/matches").status_code == 404
        assert client.get("/api").json()["tournaments"] == []
        shutil.rmtree(cup.parent)
        home = client.get("/api").json()
        assert home["tournaments"] == [] and "no such folder" in home["trouble"]
        assert [client.get(address).status_code for address in ("/", "/t/cup", "/tv", "/bots/alice")] == [200, 404, 200, 404]


@pytest.mark.parametrize("file", ["manifest.json", "journal.sqlite", "lock", "matches.parquet"])
def test_a_file_without_an_end_holds_nobody_up(cup: Path, file: str) -> None:
    other = cup.parent / "strange"
    shutil.copytree(cup, other)
    (other / file).unlink(missing_ok=True)
    os.mkfifo(other / file)
    (cup.parent / "device").mkdir()
    (cup.parent / "device" / "manifest.json").symlink_to("/dev/zero")
    with server(cup.parent) as client:
        trouble = {card["name"]: card["trouble"] for card in client.get("/api").json()["tournaments"]}
        assert trouble["cup"] is None and "not a plain file" in trouble["device"]
        for address in ("/t/strange", "/t/strange/matches", "/t/device", "/bots", "/bots/alice", "/tv", f"/m/{0:024x}"):
            page, data = client.get(address), client.get(f"/api{address}")
            assert page.status_code in (200, 404, 500) and data.status_code == page.status_code, address
            assert "Traceback" not in page.text + data.text
        assert client.get("/t/cup").status_code == 200
