"""Matches that are played again for their notes, in a child process each: nothing that it does holds up the server."""

import threading
from pathlib import Path

import pytest

from arena.server import bot_notes as module
from arena.server.bot_notes import KEPT, LEFT, MOST_AT_ONCE, Hearing, NotesChild, NotesDesk
from arena.server.problems import Problem
from helpers.notes_children import child, settle
from helpers.processes import runs

KEY = ("a" * 24, 0, "b" * 64)


def heard(script: str, *, seconds: float = 600.0, lonely: float = 600.0) -> tuple[Hearing, int]:
    """What comes of a child that says this, when it is over, and the number of its process."""
    over = threading.Event()
    hearing = Hearing("aya", module.awake.now())
    process = NotesChild(child(script), hearing, seconds=seconds, lonely=lonely, when_over=over.set)
    assert over.wait(60)
    return hearing, process.pid


def test_what_it_says_is_kept() -> None:
    hearing, pid = heard("good")
    assert (hearing.decisions, hearing.answered, hearing.failed, hearing.is_late) == (5, 2, None, False)
    assert [(one.decision, one.notes[0].value, one.output) for one in hearing.said] == [(1, 1.0, "at 1"), (2, 2.0, "at 2")]
    assert hearing.ended is not None and hearing.ended.first_output == "hello" and not runs(pid)


@pytest.mark.parametrize(("script", "why"), [("dies", "its process was killed"), ("raves", "does not understand")])
def test_a_process_that_fails_is_told_and_gone(script: str, why: str) -> None:
    hearing, pid = heard(script)
    assert hearing.failed is not None and why in hearing.failed.why and not runs(pid)


def test_a_flood_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 1 << 18)
    hearing, pid = heard("floods")
    assert hearing.failed is not None and not runs(pid)


def test_what_was_heard_before_the_limit_is_shown() -> None:
    hearing, pid = heard("stays", seconds=0.0)
    assert hearing.is_late and hearing.is_over and hearing.failed is None and not runs(pid)


def test_nobody_waits_for_ever() -> None:
    hearing, pid = heard("stays", lonely=0.0)
    assert hearing.failed is LEFT and not runs(pid)


def test_one_at_a_time_for_each_and_few_in_all(tmp_path: Path) -> None:
    desk = NotesDesk(tmp_path, command=child("stays"))
    try:
        first = desk.ask(KEY, "aya")
        assert desk.ask(KEY, "aya") is first and desk.ask(KEY, "ben") is first, "what is played is not played twice"
        with pytest.raises(Problem) as refused:
            desk.ask(("c" * 24, 0, "b" * 64), "aya")
        assert (refused.value.status, refused.value.why) == (429, "notes_refusal_one_at_a_time")
        for number in range(1, MOST_AT_ONCE):
            desk.ask((f"{number:024}", 0, "b" * 64), f"author {number}")
        with pytest.raises(Problem) as busy:
            desk.ask(("d" * 24, 0, "b" * 64), "zoe")
        assert (busy.value.status, busy.value.why) == (429, "notes_refusal_busy")
        pids = [process.pid for process in desk._children.values()]
        assert len(pids) == MOST_AT_ONCE and all(map(runs, pids))
    finally:
        desk.close()
    settle(desk)
    assert not any(map(runs, pids))
    with pytest.raises(Problem) as closed:
        desk.ask(("d" * 24, 0, "b" * 64), "aya")
    assert closed.value.status == 503


def test_a_failure_is_told_once_and_the_oldest_are_forgotten(tmp_path: Path) -> None:
    desk = NotesDesk(tmp_path, command=child("fails"))
    hearing = desk.ask(KEY, "aya")
    settle(desk)
    assert desk.ask(KEY, "aya") is hearing and hearing.failed is not None
    again = desk.ask(KEY, "aya")
    assert again is not hearing
    desk.close()
    settle(desk)
    for number in range(KEPT + 5):
        one = Hearing("aya", 0.0)
        one.ended = module.Ended()
        desk._hearings[(f"{number:024}", 0, "")] = one
    desk.ask((f"{3:024}", 0, ""), "aya")
    assert len(desk._hearings) == KEPT and (f"{3:024}", 0, "") in desk._hearings and (f"{0:024}", 0, "") not in desk._hearings
