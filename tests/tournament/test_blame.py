"""Whose fault it is when the host fails: three failures at one seat are its bot's, those of the machine are nobody's."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.match import Answer, Fault, Starved
from arena.match.in_process import InProcessSeat
from arena.match.sandbox import LockedSeat
from arena.records import Ending, MatchRecord
from arena.results.journal import Journal
from arena.tournament import playing
from arena.tournament.session import Results
from helpers.paths import TEST_BOTS
from helpers.tournaments import run

COUNTING, SET = TEST_BOTS / "counting_bot.py", TEST_BOTS / "set_bot.py"


def stored(results: Results) -> list[MatchRecord]:
    with Journal(results.folder) as journal:
        return list(journal.records())


def of(record: MatchRecord, bot: str) -> Any:
    return next(seat for seat in record.seats if seat.bot == bot)


def failing(deed: Callable[[], Fault], bot: str) -> Callable[[InProcessSeat], Answer | Fault]:
    """An `answer` that does this at the bot's seats, and what it should at others."""
    answer = InProcessSeat.answer

    def failing_answer(seat: InProcessSeat) -> Answer | Fault:
        return deed() if bot in seat._load.args[0].main else answer(seat)  # type: ignore[attr-defined]

    return failing_answer


def raising() -> Fault:
    raise RuntimeError("our bug")


def lost() -> Fault:
    return Fault(Ending.HOST, "its process was lost")


@pytest.mark.parametrize(("deed", "told"), [(raising, "RuntimeError: our bug"), (lost, "its process was lost")])
def test_a_seat_that_fails_its_host_three_times_alone_is_to_blame(
    deed: Callable[[], Fault], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(InProcessSeat, "answer", failing(deed, "set_bot"))
    results = run(tmp_path, bots=[COUNTING, SET], deals=2)
    assert results.manifest.void == 0 and results.tally.void_matches == 0
    for record in stored(results):
        assert (of(record, "set_bot").ending, of(record, "set_bot").place) == (Ending.CRASH, 2)
        assert (of(record, "counting_bot").ending, of(record, "counting_bot").place) == (Ending.PLAYED, 1)
        (note,) = record.notes
        assert "failed its host 3 times in this match" in note and told in note and record.attempts == 3


def starved() -> Fault:
    return Fault(Ending.HOST, "the machine is short of CPU", starved=Starved(10.0))


def without_proof() -> Fault:
    return Fault(
        Ending.HOST, "0.1 s of CPU time, 9 s ready, its cores used by others for 3 %", starved=Starved(10.0, is_proven=False)
    )


def test_a_machine_that_is_short_of_cpu_is_no_bots_fault_however_often(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(InProcessSeat, "answer", failing(starved, "set_bot"))
    results = run(tmp_path, bots=[COUNTING, SET], deals=1)
    assert results.manifest.void == 2


@pytest.mark.parametrize("proven", [0, 1, 2])
def test_a_seat_that_is_starved_where_nobody_had_the_cpu_is_to_blame(
    proven: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if others had it at its first failures, such as bots of the same author beside it."""
    first = [starved()] * proven
    monkeypatch.setattr(InProcessSeat, "answer", failing(lambda: first.pop() if first else without_proof(), "set_bot"))
    results = run(tmp_path, bots=[COUNTING, SET], deals=1)
    assert results.manifest.void == 0
    for record in stored(results):
        assert (of(record, "set_bot").ending, of(record, "counting_bot").place) == (Ending.TIMEOUT, 1)
        assert "failed its host 3 times in this match" in record.notes[0] and "used by others for 3 %" in record.notes[0]


@pytest.mark.usefixtures("one_zygote")
def test_a_seat_that_was_never_locked_in_is_not_to_blame(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(seat: LockedSeat, *_: object) -> Fault:
        raise OSError("too many open files")

    monkeypatch.setattr(LockedSeat, "start", fail)
    results = run(tmp_path, bots=[COUNTING, {"path": str(SET)}], deals=1)
    assert results.manifest.void == 2


@pytest.mark.usefixtures("one_zygote")
def test_who_takes_the_cpu_from_a_seat_is_to_blame_that_it_is_late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer, late = InProcessSeat.answer, [starved()] * 3  # of the first match
    monkeypatch.setattr(InProcessSeat, "answer", lambda seat: late.pop() if late else answer(seat))
    monkeypatch.setattr(LockedSeat, "unanswered_cpu", property(lambda seat: 9.0))
    results = run(tmp_path, bots=[COUNTING, {"path": str(SET)}], deals=1)
    blamed, played = sorted(stored(results), key=lambda record: -record.attempts)
    assert (of(blamed, "set_bot").ending, of(blamed, "counting_bot").place) == (Ending.TIMEOUT, 1)
    assert "used 9.0 s of CPU time" in blamed.notes[0] and {seat.ending for seat in played.seats} == {Ending.PLAYED}


LOOPING = """
from arena.agent import Agent

class Looping(Agent):
    def act(self, view):
        while True:
            pass
"""


@pytest.mark.slow
@pytest.mark.processes
def test_a_match_whose_worker_had_to_be_killed_is_the_timeout_of_the_seat_that_it_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bot in the worker's own process cannot be stopped in any other way."""
    monkeypatch.setattr(playing, "most_seconds", lambda clock: 0.0)
    monkeypatch.setattr(playing, "_PATIENCE_SECONDS", 15.0)  # with the start of the worker
    looping = tmp_path / "looping.py"
    looping.write_text(LOOPING)
    results = run(tmp_path, bots=[COUNTING, looping], deals=1)
    assert results.manifest.void == 0 and results.tally.overdue_chunks == 2
    for record in stored(results):
        assert of(record, "looping").ending is Ending.TIMEOUT and of(record, "counting_bot").place == 1
        assert "this one was waited for" in record.notes[0]
