"""Time in which nobody ran is nobody's time."""

import asyncio
import threading

import pytest

from arena.match import awake
from arena.match.awake import BEAT, Beats


class Times:
    """Clocks of a process that a test moves on."""

    def __init__(self) -> None:
        self.wall = 100.0
        self.cpu = 5.0
        self.beats = Beats(lambda: self.wall, lambda: self.cpu)

    def pass_by(self, wall: float, cpu: float = 0.0) -> float:
        """So much time passes between two looks; returns how much of it the clock shows."""
        before = self.beats.now()
        self.wall += wall
        self.cpu += cpu
        return self.beats.now() - before


def test_a_gap_between_two_looks_does_not_count() -> None:
    times = Times()
    shown = times.pass_by(25.0)
    assert abs(shown - BEAT) < 1e-9 and abs(times.beats.missed - (25.0 - BEAT)) < 1e-9
    assert abs(sum(times.pass_by(BEAT) for _ in range(30)) - 30 * BEAT) < 1e-9


def test_what_this_process_computes_between_two_looks_is_no_gap() -> None:
    """Compiled code keeps the thread that looks from looking."""
    assert abs(Times().pass_by(25.0, cpu=25.0) - 25.0) < 1e-9
    assert abs(Times().pass_by(25.0, cpu=5.0) - 5.0) < 1e-9


def test_a_late_look_of_a_busy_machine_is_no_gap() -> None:
    assert abs(Times().pass_by(3 * BEAT) - 3 * BEAT) < 1e-9


def test_one_thread_of_the_process_looks() -> None:
    first = awake.now()
    assert awake.now() >= first and awake.missed() >= 0
    assert sum(thread.name == "beats" for thread in threading.enumerate()) == 1


def test_the_deadlines_of_a_loop_stand_still_in_a_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    times = Times()
    monkeypatch.setattr(awake, "now", times.beats.now)
    passed: list[str] = []

    async def wait() -> None:
        loop = asyncio.get_running_loop()
        awake.keep_time(loop)
        loop.call_later(5.0, passed.append, "late")
        for seconds, is_late in ((25.0, False), *[(BEAT, False)] * 30, *[(BEAT, None)] * 30):
            times.wall += seconds
            for _ in range(3):
                await asyncio.sleep(0)
            assert is_late is None or bool(passed) is is_late

    asyncio.run(wait())
    assert passed == ["late"]
