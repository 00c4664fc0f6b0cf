"""A trusted bot that asks something outside itself: its rows say so, nothing claims that they can be repeated, all else is."""

from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from arena.audit.match_audit import match_problems
from arena.audit.results_audit import audit_results
from arena.games import load
from arena.match.sandbox import CommandSeat, LockedSeat
from arena.reports.board import asking_bots, ranked, warnings
from arena.reports.printed import print_board
from arena.reports.terminal import ConsolePage
from arena.results import parquet
from arena.results.hashing import ResultsHash, is_reproducible
from arena.results.manifest import read_manifest, write_manifest
from arena.tournament.formats.plan import read_plan
from helpers.outside import asking_bot, asking_program, counting_server
from helpers.paths import TEST_BOTS
from helpers.tournaments import run

OTHERS = [TEST_BOTS / "counting_bot.py", TEST_BOTS / "folder_bot"]


@pytest.fixture
def address() -> Iterator[str]:
    with counting_server() as found:
        yield found


@pytest.mark.parametrize("make", [asking_bot, asking_program])
def test_its_matches_are_not_called_reproducible_and_all_others_are(
    make: Callable[[Path, str], Path], tmp_path: Path, address: str
) -> None:
    bots = [make(tmp_path, address), *OTHERS]
    first, second = (run(tmp_path, out, bots=bots, deals=2) for out in ("one", "two"))
    records = list(first.records())
    for record in records:
        for seat in record.seats:
            assert seat.asks_outside == (seat.bot == "asking")
            assert seat.reproducible == (seat.bot != "asking"), "the others' rows say what they did themselves"
        assert is_reproducible(record) == ("asking" not in [seat.bot for seat in record.seats])
    assert [record.actions for record in records] != [record.actions for record in second.records()], "it acts otherwise"
    assert first.manifest.results_sha256 != second.manifest.results_sha256
    assert first.manifest.reproducible_sha256 == second.manifest.reproducible_sha256
    kept = ResultsHash()
    for record in records:
        if "asking" not in [seat.bot for seat in record.seats]:
            kept.add(record)
    assert first.manifest.reproducible_sha256 == kept.results_sha256, "no match of the asking bot is in it"


def test_its_matches_are_verified_by_their_log(tmp_path: Path, address: str) -> None:
    results = run(tmp_path, bots=[asking_bot(tmp_path, address), *OTHERS], deals=1)
    (tmp_path / "asking.py").unlink()
    assert audit_results(results.folder, 1, lambda _: None).problems == []
    record = next(one for one in results.records() if one.seats[0].asks_outside)
    plan = read_plan(results.manifest.config, bytes.fromhex(results.manifest.key or ""))
    forged = msgspec.structs.replace(
        record, seats=(msgspec.structs.replace(record.seats[0], reproducible=True), *record.seats[1:])
    )
    assert match_problems(load("naga"), plan.setup(record.index), record) == []
    assert match_problems(load("naga"), plan.setup(record.index), forged) == [
        "seat 0: reproducible, and yet its bot asks something outside itself"
    ]


def test_whoever_takes_the_mark_away_is_found(tmp_path: Path, address: str) -> None:
    results = run(tmp_path, bots=[asking_bot(tmp_path, address), *OTHERS], deals=1)
    manifest = read_manifest(results.folder)
    hidden = tuple(msgspec.structs.replace(bot, asks_outside=False) for bot in manifest.bots)
    write_manifest(results.folder, msgspec.structs.replace(manifest, bots=hidden))
    problems = audit_results(results.folder, 1, lambda _: None).problems
    assert problems and all("bots: asks_outside" in problem for problem in problems)
    write_manifest(results.folder, manifest)
    parquet.write_matches(
        results.folder,
        [
            msgspec.structs.replace(
                record, seats=tuple(msgspec.structs.replace(seat, asks_outside=False) for seat in record.seats)
            )
            for record in results.records()
        ],
    )
    found = " ".join(audit_results(results.folder, 1, lambda _: None).problems)
    assert "results_sha256" in found and "bots: asks_outside" in found


def test_boards_mark_it_and_say_what_the_mark_means(tmp_path: Path, address: str) -> None:
    results = run(tmp_path, bots=[asking_bot(tmp_path, address), *OTHERS], deals=1)
    asking = asking_bots(results.manifest)
    assert asking == {("asking", 1)}
    rows = ranked(results.ratings, "naga", asking=asking)
    assert {row.bot for row in rows if row.asks_outside} == {"asking"}
    text = StringIO()
    print_board(results.manifest, results.ratings, ConsolePage(Console(file=text, width=200)))
    assert "asking *" in text.getvalue()
    assert "* asks something outside itself" in text.getvalue()
    assert [note.ja.startswith("* ネットワークなど") for note in warnings(results.manifest)] == [True]


def test_an_untrusted_bot_cannot_excuse_itself_by_it() -> None:
    """It has nothing outside to ask: were it believed, it would not be played again, and a memory would not be found."""
    assert not hasattr(LockedSeat, "asks_outside")
    assert not hasattr(CommandSeat, "asks_outside")
