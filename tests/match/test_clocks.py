"""The clocks of locked seats: nothing that a bot does moves a deadline, holds up the host or takes a rival's CPU."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena import match
from arena.agent import Agent, EndInfo, StartInfo, read_bot
from arena.match import SLEEP_SECONDS, Answer, Fault, Spent, awake
from arena.match.awake import Beats
from arena.match.choose import BotSeat, most_seconds
from arena.match.in_process import InProcessSeat
from arena.match.sandbox import CommandSeat, LockedSeat, Supervisor, cgroups, pressure
from arena.records import Clock, Ending
from helpers.attacks import ATTACKS
from helpers.locked_matches import LIMITS, RIVAL, first_view, play_locked
from helpers.processes import taken_cpu, until

HURRIED = Clock(move=0.1, bank=0.05, start=5.0)
INFO = StartInfo("naga", {}, 2, 0, HURRIED)
PYTHON = "import os, select, signal, time\nfrom arena.agent import Agent\nfrom arena.match.sandbox import wire, worker\n"


def python_bot(folder: Path, body: str, *, act: str = "return view.legal[0]") -> Path:
    bot = folder / "written.py"
    indented = "".join(f"    {line}\n" for line in body.splitlines())
    bot.write_text(f"{PYTHON}\nclass Bot(Agent):\n{indented}    def act(self, view):\n        {act}\n")
    return bot


def command_bot(folder: Path, act: str, *, end: str = "pass") -> Path:
    """A command bot in Python; `act` and `end`: what it does when it is asked, and when it is told the end."""
    bot = folder / "program"
    bot.mkdir()
    (bot / "main.py").write_text(
        "import json, os, sys, threading, time\n"
        "for line in sys.stdin:\n"
        "    message = json.loads(line)\n"
        '    def reply(**keys): print(json.dumps({"id": message["id"], **keys}), flush=True)\n'
        '    if message["type"] == "start": reply(ok=True)\n'
        f'    if message["type"] == "act": {act}\n'
        f'    if message["type"] == "end": {end}\n'
    )
    (bot / "bot.toml").write_text('name = "program"\ncommand = ["python3", "-S", "main.py"]\n')
    return bot


DRIP = """
def {name}(self, *told):
    os.write(worker.SOCKET, b"\\x00\\x80\\x00\\x00")
    while True:
        os.write(worker.SOCKET, b"x")
        os.write(1, b".")
        time.sleep(0.01)
"""


def test_bytes_that_drip_in_do_not_keep_a_start_waiting(
    supervisor: Supervisor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.match.sandbox.seat.SLEEP_SECONDS", 1.0)
    bot = python_bot(tmp_path, DRIP.format(name="start"))
    record = play_locked(supervisor, [RIVAL, bot], clock=Clock(5.0, 5.0, 0.1)).record
    assert [seat.ending for seat in record.seats] == [Ending.PLAYED, Ending.STARTUP]
    assert "no answer in" in record.notes[0] or "CPU time" in record.notes[0]


@pytest.mark.parametrize(
    "deed",
    [
        DRIP.format(name="end"), "def end(self, told):\n    os._exit(9)", "def end(self, told):\n    time.sleep(600)",
        "def end(self, told):\n    os.write(worker.SOCKET, wire.frame(wire.Lacking(1, 'puct')))\n    time.sleep(600)",
        "def end(self, told):\n    while True: print('x' * 100000)",
    ],
)  # fmt: skip
def test_what_a_bot_does_at_the_end_holds_up_nobody_and_the_result_stands(
    deed: str, supervisor: Supervisor, tmp_path: Path
) -> None:
    honest = play_locked(supervisor, [RIVAL, python_bot(tmp_path, "")]).record
    record = play_locked(supervisor, [RIVAL, python_bot(tmp_path, deed)]).record
    assert [(seat.place, seat.score, seat.ending) for seat in record.seats] == [
        (seat.place, seat.score, seat.ending) for seat in honest.seats
    ]
    assert record.actions == honest.actions and not record.notes


@pytest.mark.parametrize("end", ["os.write(1, b'x' * 1000)", "os._exit(3)", "os.kill(os.getpid(), 35)", "time.sleep(600)"])
def test_nor_does_what_a_program_does_then(end: str, supervisor: Supervisor, tmp_path: Path) -> None:
    record = play_locked(supervisor, [RIVAL, command_bot(tmp_path, "reply(action=0)", end=end)]).record
    assert [seat.ending for seat in record.seats] == [Ending.PLAYED] * 2 and not record.notes


def test_an_error_of_ours_at_the_end_changes_no_result(supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(seat: BotSeat, result: EndInfo) -> None:
        raise RuntimeError("our bug")

    honest = play_locked(supervisor, [RIVAL, RIVAL]).record
    monkeypatch.setattr(LockedSeat, "end", fail)
    assert play_locked(supervisor, [RIVAL, RIVAL]).record.actions == honest.actions


@pytest.mark.parametrize("is_command", [False, True])
def test_sleeping_just_under_each_limit_again_and_again_is_a_timeout(
    is_command: bool, supervisor: Supervisor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.match.sandbox.held.SLEEP_SECONDS", 0.5)
    act = "time.sleep(0.4); reply(action=0)"
    bot = command_bot(tmp_path, act) if is_command else python_bot(tmp_path, "", act="time.sleep(0.4); return view.legal[0]")
    record = play_locked(supervisor, [RIVAL, bot], clock=Clock(0.2, 0.0, 5.0)).record
    rival, sleeper = record.seats
    assert (rival.ending, sleeper.ending) == (Ending.PLAYED, Ending.TIMEOUT)
    assert "s asleep" in record.notes[0] or "overslept" in record.notes[0]
    assert sleeper.fault_decision is not None and sleeper.fault_decision > 0 and sleeper.cpu_ms_max < 200


@pytest.mark.parametrize("is_command", [False, True])
def test_many_short_naps_count_as_sleep(is_command: bool, supervisor: Supervisor, tmp_path: Path) -> None:
    """The ladder leaves out a bot that sleeps while others wait for it: so it may not do it in small pieces."""
    bot = (
        command_bot(tmp_path, "time.sleep(0.045); reply(action=0)")
        if is_command
        else python_bot(tmp_path, "", act="select.select([], [], [], 0.045); return view.legal[0]")
    )
    seat_type = CommandSeat if is_command else LockedSeat
    with seat_type(supervisor, read_bot(bot), seed=1, params={}, limits=LIMITS) as seat:
        assert seat.start(INFO) is None
        for _ in range(12):
            seat.ask(first_view(seat=0, clock=Clock(0.1, 5.0)))
            assert isinstance(seat.answer(), Answer)
        assert seat.spent.asleep > 0.2


def test_sleep_beyond_what_a_match_allows_uses_up_the_bank(supervisor: Supervisor, tmp_path: Path) -> None:
    bot = read_bot(python_bot(tmp_path, "", act="time.sleep(0.3); return view.legal[0]"))
    with LockedSeat(supervisor, bot, seed=1, params={}, limits=LIMITS) as seat:
        assert seat.start(INFO) is None
        asleep = []
        for allowed in (5.0, 0.0):
            seat.spent.asleep = SLEEP_SECONDS - allowed
            seat.ask(first_view(seat=0, clock=Clock(0.1, 5.0)))
            answer = seat.answer()
            assert isinstance(answer, Answer) and answer.cpu_seconds < 0.1
            asleep.append(answer.overslept)
        assert asleep[0] == 0 and 0.1 < asleep[1] < 5.0


def test_a_bot_that_thinks_for_its_whole_clock_sleeps_for_nothing_of_it(supervisor: Supervisor, tmp_path: Path) -> None:
    act = "began = time.thread_time()\n        while time.thread_time() - began < 0.3: pass\n        return view.legal[0]"
    with LockedSeat(supervisor, read_bot(python_bot(tmp_path, "", act=act)), seed=1, params={}, limits=LIMITS) as seat:
        assert seat.start(INFO) is None
        seat.ask(first_view(seat=0, clock=Clock(0.5, 0.5)))
        answer = seat.answer()
        assert isinstance(answer, Answer) and answer.cpu_seconds > 0.25 and seat.spent.asleep < 0.2


def test_a_gap_in_which_nobody_ran_is_not_charged(
    supervisor: Supervisor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To this process a suspended machine is a clock that has gone on by much between two looks."""
    jumps = iter([0.0] * 4 + [1000.0] * 1000)
    jumping = Beats(lambda: time.monotonic() + next(jumps, 1000.0))
    monkeypatch.setattr(awake, "beats", lambda: jumping)
    bot = read_bot(python_bot(tmp_path, "", act="time.sleep(0.3); return view.legal[0]"))
    with LockedSeat(supervisor, bot, seed=1, params={}, limits=LIMITS) as seat:
        assert seat.start(INFO) is None
        seat.ask(first_view(seat=0, clock=Clock(5.0, 0.0)))
        answer = seat.answer()
    assert isinstance(answer, Answer) and not answer.overslept and jumping.missed > 900


LATE = ("naps", "sleeps_then_computes")


@pytest.mark.slow
@pytest.mark.parametrize("name", LATE)
def test_no_bot_makes_itself_a_seat_that_the_machine_had_no_cpu_for(name: str, supervisor: Supervisor, tmp_path: Path) -> None:
    bot = read_bot(ATTACKS[name].bot(tmp_path))
    with taken_cpu() as cpu, LockedSeat(supervisor, bot, seed=1, params={}, limits=LIMITS) as seat:
        assert seat.start(INFO) is None
        os.sched_setaffinity(seat.pid, [cpu])
        view = first_view(seat=0, clock=Clock(0.3, 0.0))
        while True:
            seat.ask(view)
            if isinstance(found := seat.answer(), Fault):
                break
    assert found.ending is Ending.TIMEOUT, found


def test_time_that_an_earlier_attempt_took_counts(supervisor: Supervisor, tmp_path: Path) -> None:
    with LockedSeat(supervisor, read_bot(ATTACKS["sleeps"].bot(tmp_path)), seed=1, params={}, limits=LIMITS) as seat:
        assert seat.start(INFO) is None
        seat.spent = Spent(busy=match.seconds_of_match(HURRIED) - 0.01)
        seat.ask(first_view(seat=0, clock=Clock(600.0, 0.0)))
        while isinstance(answer := seat.answer(), Answer):
            seat.ask(first_view(seat=0, clock=Clock(600.0, 0.0)))
        assert answer.ending is Ending.TIMEOUT


def test_a_seat_in_this_process_has_the_same_time_for_its_match(monkeypatch: pytest.MonkeyPatch) -> None:
    class Ready:
        agent_class = Agent

        def __enter__(self) -> "Ready":
            return self

        def __exit__(self, *_: object) -> None:
            pass

    monkeypatch.setattr("arena.match.in_process._is_short_of_cpu", lambda: False)
    monkeypatch.setattr(Agent, "act", lambda self, view: view.legal[0])
    with InProcessSeat(Ready, 1, {}) as seat:
        assert seat.start(INFO) is None
        seat.ask(first_view(seat=0))
        assert isinstance(seat.answer(), Answer) and seat.spent.wall > 0
        seat.spent.wall = match.MATCH_FACTOR * match.seconds_of_match(HURRIED)
        found = seat.answer()
        assert isinstance(found, Fault) and found.ending is Ending.TIMEOUT


def test_the_patience_with_a_seat_covers_all_that_it_may_take() -> None:
    for clock in (HURRIED, Clock(1.0, 10.0), Clock(60.0, 600.0)):
        decisions = match.MATCH_FACTOR * match.seconds_of_match(clock)
        assert decisions > match.BACKSTOP_FACTOR * (clock.move + clock.bank) + match.BACKSTOP_SECONDS
        assert most_seconds(clock) > decisions + match.BACKSTOP_FACTOR * clock.start + match.BACKSTOP_SECONDS


BURNING = "reply(action=0); [threading.Thread(target=lambda: [None for _ in iter(int, 1)]).start() for _ in range(8)]"
REPLIES_AND_COMPUTES = (
    "os.write(worker.SOCKET, wire.frame(wire.Action(__import__('sys')._getframe(1).f_locals['ask'].id, 0)))\n"
    "        while True: pass"
)


@pytest.mark.parametrize("is_command", [False, True])
def test_a_bot_that_computes_while_a_rival_thinks_is_stopped_and_charged(
    is_command: bool, supervisor: Supervisor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.match.sandbox.held.SLEEP_SECONDS", 1.0)
    path = command_bot(tmp_path, BURNING) if is_command else python_bot(tmp_path, "", act=REPLIES_AND_COMPUTES)
    kind = CommandSeat if is_command else LockedSeat
    with (
        kind(supervisor, read_bot(path), seed=1, params={}, limits=LIMITS) as burning,
        LockedSeat(supervisor, read_bot(ATTACKS["sleeps"].bot(tmp_path)), seed=1, params={}, limits=LIMITS) as rival,
    ):
        for seat in (burning, rival):
            assert seat.start(INFO) is None
        burning.ask(first_view(seat=0))
        assert isinstance(burning.answer(), Answer) and states(burning.pid) != {"T"}
        until(lambda: burning.unanswered_cpu > 0.1)
        while True:  # until the rival sleeps
            rival.ask(first_view(seat=1, clock=HURRIED))
            if isinstance(rival.answer(), Fault):
                break
        assert states(burning.pid) == {"T"}
        used = burning.unanswered_cpu
        until(lambda: states(burning.pid) == {"T"})
        assert burning.unanswered_cpu == used
        burning.ask(first_view(seat=0, clock=Clock(0.05, 0.0)))
        found = burning.answer()
        if isinstance(found, Answer):  # it came with the first look at the clock: then the referee says that it is late
            assert found.cpu_seconds > 0.1
        else:
            assert found.ending is Ending.TIMEOUT, found


@pytest.fixture(scope="module")
def in_background() -> Iterator[Supervisor]:
    with Supervisor(["naga"], is_in_background=True) as opened:
        yield opened


@pytest.mark.parametrize("is_command", [False, True])
def test_a_bot_that_nobody_asks_computes_nothing_where_people_think(
    is_command: bool, in_background: Supervisor, tmp_path: Path
) -> None:
    """It has a low priority besides, as has all that computes and that no person waits for."""
    path = command_bot(tmp_path, BURNING) if is_command else python_bot(tmp_path, "", act=REPLIES_AND_COMPUTES)
    kind = CommandSeat if is_command else LockedSeat
    with kind(in_background, read_bot(path), seed=1, params={}, limits=LIMITS) as burning:
        assert burning.start(INFO) is None
        until(lambda: states(burning.pid) == {"T"})
        burning.ask(first_view(seat=0))
        assert isinstance(burning.answer(), Answer)
        until(lambda: states(burning.pid) == {"T"})
        used = burning.unanswered_cpu
        assert states(burning.pid) == {"T"} and burning.unanswered_cpu == used
        assert os.getpriority(os.PRIO_PROCESS, burning.pid) > os.getpriority(os.PRIO_PROCESS, 0)


def states(pid: int) -> set[str]:
    """The states of a process's threads."""
    return {
        (thread / "stat").read_bytes().rpartition(b")")[2].split()[0].decode() for thread in Path(f"/proc/{pid}/task").iterdir()
    }


@pytest.mark.parametrize(("held_back", "idle"), [(0.0, 0.9), (4.0, 0.5), (20.0, 0.0)])
def test_cores_that_idle_because_a_container_has_its_share_are_nobodys_to_have(
    held_back: float, idle: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    since = [0.0]
    monkeypatch.setattr(awake, "now", lambda: since[0])
    monkeypatch.setattr(pressure, "_idle", lambda cores: 0.9 * len(cores) * since[0])
    monkeypatch.setattr(cgroups, "held_back", lambda: held_back * since[0] / 10)
    spell = pressure.Spell(os.getpid(), 0.0)
    since[0] = 10.0
    assert spell.idle_share() == pytest.approx(idle) and spell.taken_share(0.0) == pytest.approx(1.0 - idle)
