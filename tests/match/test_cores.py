"""A worker and its quick bots stay on one core, which no other worker has; with a slow bot all may run anywhere."""

import os
from collections.abc import Iterator

import pytest

from arena.agent import BotFiles, StartInfo
from arena.match import Answer
from arena.match.sandbox import LockedSeat, processor
from arena.match.sandbox.processor import Core
from arena.records import Clock
from helpers.locked_matches import LIMITS, first_view, supervising

pytestmark = pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity") or len(os.sched_getaffinity(0)) < 2, reason="there is only one core to be on"
)
CLOCK = Clock(move=5.0, bank=5.0)
BOT = BotFiles("slow.py", {"slow.py": b"""
import time
from arena.agent import Agent

class Slow(Agent):
    def act(self, view):
        while time.process_time() < self.params["seconds"]:
            pass
        return 0
"""})  # fmt: skip


@pytest.fixture(autouse=True)
def no_other_tests_claims(monkeypatch: pytest.MonkeyPatch) -> None:
    """Locked matches of tests that run beside this one hold cores of the same machine."""
    monkeypatch.setattr(processor, "CLAIM", f"arena core of test {os.getpid()}")


@pytest.fixture
def everywhere() -> Iterator[set[int]]:
    found = os.sched_getaffinity(0)
    yield found
    os.sched_setaffinity(0, found)


def test_no_two_have_one_core_and_each_is_given_back(everywhere: set[int]) -> None:
    held = [Core() for _ in everywhere]
    found = []
    for core in held:
        core.hold([])
        found.append(frozenset(os.sched_getaffinity(0)))
        core.leave([])
        assert os.sched_getaffinity(0) == everywhere
    beyond = Core()
    beyond.hold([])
    assert os.sched_getaffinity(0) == everywhere  # there is none left
    assert len(set(found)) == len(held) and all(len(own) == 1 for own in found)
    held[0].close([])
    beyond.hold([])
    assert frozenset(os.sched_getaffinity(0)) == found[0]
    for core in (*held, beyond):
        core.close([])


@pytest.mark.parametrize("is_idle", [True, False])
def test_a_core_that_others_use_too_is_left_for_a_while_if_another_idles(
    everywhere: set[int], is_idle: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    idle = iter([100.0, 102.0, 104.0] if is_idle else [100.0, 100.1, 100.2])
    monkeypatch.setattr(processor, "idle_seconds", lambda: next(idle))
    core = Core()
    core.hold([])
    core.judge([], cpu=0.9, wall=1.0)
    core.judge([], cpu=0.1, wall=0.9)  # too little, and not looked at yet
    assert len(os.sched_getaffinity(0)) == 1
    core.judge([], cpu=0.1, wall=0.2)
    for _ in range(2):
        assert (os.sched_getaffinity(0) == everywhere) == is_idle
        core.hold([])
    core.close([])


@pytest.mark.parametrize("seconds", [0.0, 0.3])
def test_all_stay_until_a_bot_is_slow(everywhere: set[int], seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    if not seconds:
        monkeypatch.setattr("arena.match.sandbox.child._SLOW", 60.0)  # whatever else this machine has to do
    with supervising() as supervisor:
        supervisor.stay()
        assert len(os.sched_getaffinity(0)) == 1
        with LockedSeat(supervisor, BOT, seed=1, params={"seconds": seconds}, limits=LIMITS) as seat:
            assert seat.start(StartInfo("naga", {}, 2, 0, CLOCK)) is None
            supervisor.expect([("naga", BOT)], LIMITS)
            seat.ask(first_view(seat=0, clock=CLOCK))
            assert isinstance(seat.answer(), Answer)
            with LockedSeat(supervisor, BOT, seed=1, params={"seconds": seconds}, limits=LIMITS) as spare:
                assert spare.start(StartInfo("naga", {}, 2, 0, CLOCK)) is None
                found = [os.sched_getaffinity(pid) for pid in (0, *supervisor.pids, seat.pid, spare.pid)]
        if seconds:
            assert all(one == everywhere for one in found)
        else:
            assert all(one == found[0] for one in found)
    assert os.sched_getaffinity(0) == everywhere
