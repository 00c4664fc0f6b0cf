"""Locked seats: same play as unlocked, both think at once, no compiling, exact blame. Real kills, a really taken CPU."""

import os
import re
import select
import shutil
import signal
from pathlib import Path

import msgspec
import pytest

from arena import games
from arena.agent import StartInfo, read_bot
from arena.agent.view import View
from arena.cli.bench.seats import SeatCost
from arena.cli.main import main
from arena.cli.measuring.commands import CommandCost
from arena.engine import jit
from arena.games import names
from arena.match import Answer, Fault
from arena.match.sandbox import NAMESPACE, LockedSeat, Supervisor
from arena.match.single_match import play_match
from arena.records import Clock, Ending
from arena.tournament.workers.ray.watchdog import descendants
from helpers.locked_matches import CLOCK, LIMITS, RIVAL, first_view, play_locked
from helpers.paths import TEST_BOTS
from helpers.processes import survivors, taken_cpu, until, waits_for_signal

INFO = StartInfo("naga", {}, 2, 0, CLOCK)


def test_a_locked_bot_plays_as_it_does_unlocked(supervisor: Supervisor) -> None:
    for bot in ("counting_bot.py", "folder_bot"):
        open_ = play_match("naga", [TEST_BOTS / bot, RIVAL], seed=3)
        locked = play_locked(supervisor, [TEST_BOTS / bot, RIVAL]).record
        assert locked.actions == open_.actions and [seat.ending for seat in locked.seats] == [Ending.PLAYED] * 2
        assert {seat.isolation for seat in locked.seats} == {supervisor.level}
        assert not survivors(descendants({supervisor.pid}) - set(supervisor.pids))  # the match is over, and so are its seats


def test_a_bots_files_are_on_a_file_system_of_its_own_that_remembers_nothing(supervisor: Supervisor) -> None:
    if supervisor.level != NAMESPACE:
        pytest.skip("mounts need namespaces")
    path = TEST_BOTS / "telling_bot.py"
    said = play_locked(supervisor, [path, path]).outputs
    found = [re.fullmatch(r"device (\d+)\n", text) for text in said]
    assert all(found), said
    devices = {int(match[1]) for match in found if match}
    assert len(devices) == 2 and supervisor.path(read_bot(path)).stat().st_dev not in devices


def test_a_bot_that_looks_up_names_for_ever_does_not_become_ready(supervisor: Supervisor, tmp_path: Path) -> None:
    path = tmp_path / "asking.py"
    path.write_text("import os\nwhile True:\n    os.access('/new', os.F_OK)\n")
    with LockedSeat(supervisor, read_bot(path), seed=1, params={}, limits=LIMITS) as seat:
        found = seat.start(StartInfo("naga", {}, 2, 0, Clock(0.1, 0.0, 0.1)))
        assert found is not None and found.ending is Ending.STARTUP, found


def test_a_trace_shows_the_line_although_the_file_cannot_be_opened_any_more(supervisor: Supervisor, tmp_path: Path) -> None:
    path = tmp_path / "failing.py"
    text = "from arena.agent import Agent\n\nclass Failing(Agent):\n    def act(self, view):\n        return view.nothing\n"
    path.write_text(text)
    record = play_locked(supervisor, [path, RIVAL]).record
    assert record.seats[0].ending is Ending.CRASH and "return view.nothing" in record.notes[0]


def test_who_has_compiled_rules_waits_for_nobody_that_compiles_a_search(supervisor: Supervisor) -> None:
    """`arena warmup` holds the game's lock for minutes."""
    games.compile_rules(games.load("naga"))
    with jit.compiling(games.load("naga").package), Supervisor(["naga"]) as other:
        assert other.level == supervisor.level


def test_compiled_code_is_used_without_compiling(supervisor: Supervisor) -> None:
    played = play_locked(supervisor, [TEST_BOTS / "studious_bot.py", RIVAL])
    assert played.record.seats[0].ending is Ending.PLAYED, played.record.notes
    assert "compilations 0" in played.outputs[0] and "decisions 0" not in played.outputs[0]


def test_features_are_ready_before_the_match(supervisor: Supervisor) -> None:
    bots = [TEST_BOTS / "learnt_bot.py"] * 2
    played = play_locked(supervisor, bots)
    assert [seat.ending for seat in played.record.seats] == [Ending.PLAYED] * 2, played.record.notes
    assert played.record.actions == play_match("naga", bots, seed=3).actions
    assert played.outputs == ["compilations 0\n"] * 2


class Together:
    """A table at which no answer is taken before every seat of a simultaneous choice has given its own."""

    def __init__(self) -> None:
        self.asked: list[LockedSeat] = []
        self.most = 0

    def wait(self) -> None:
        """Until all that were asked have replied: for ever, if one of them was only asked after another's answer."""
        self.most = max(self.most, len(self.asked))
        for seat in self.asked:
            assert seat._child is not None
            replied, _, _ = select.select([seat._child._channel], [], [], 60)
            assert replied


class Patient(LockedSeat):
    """Gives its answer when all that were asked have replied."""

    table = Together()

    def ask(self, view: View) -> None:
        self.table.asked.append(self)
        super().ask(view)

    def answer(self) -> Answer | Fault:
        if self in self.table.asked:
            self.table.wait()
            self.table.asked.remove(self)
        return super().answer()


def test_simultaneous_choices_are_made_at_the_same_time(supervisor: Supervisor) -> None:
    """Each answer is only taken when the other seat's bot has been asked and has replied too."""
    Patient.table = Together()
    record = play_locked(supervisor, [RIVAL, RIVAL], seat_type=Patient).record
    assert [seat.ending for seat in record.seats] == [Ending.PLAYED] * 2 and Patient.table.most == 2


def test_a_killed_seat_is_a_host_fault_twice_and_its_bots_the_third_time(supervisor: Supervisor) -> None:
    for earlier, ending in ((0, Ending.HOST), (1, Ending.HOST), (2, Ending.MEMORY)):
        with LockedSeat(supervisor, read_bot(RIVAL), seed=1, params={}, limits=LIMITS, earlier_kills=earlier) as seat:
            assert seat.start(INFO) is None
            os.kill(seat.pid, signal.SIGKILL)
            seat.ask(first_view(seat=0))
            found = seat.answer()
            assert isinstance(found, Fault) and found.ending is ending and seat.was_killed
    assert play_locked(supervisor, [RIVAL, RIVAL]).record.seats[0].ending is Ending.PLAYED


def test_a_killed_zygote_is_a_host_fault_and_the_next_match_has_a_new_one() -> None:
    with Supervisor(["naga"]) as own:
        first = own.pid
        with LockedSeat(own, read_bot(RIVAL), seed=1, params={}, limits=LIMITS) as seat:
            assert seat.start(INFO) is None
            child = seat.pid
            os.kill(first, signal.SIGKILL)
            assert not survivors({child})
            seat.ask(first_view(seat=0))
            found = seat.answer()
            assert isinstance(found, Fault) and found.ending is Ending.HOST and not seat.was_killed
        assert play_locked(own, [RIVAL, RIVAL]).record.seats[0].ending is Ending.PLAYED
        second = own.pid
        assert second != first
    assert not survivors({first, second})


def test_what_happens_at_the_start_is_a_startup_fault(supervisor: Supervisor, tmp_path: Path) -> None:
    for body, told in (
        ("while True: pass", "CPU time"),
        ("raise ValueError('no')", "no"),
        ("import os; os._exit(98)", "code 98"),
    ):
        bot = tmp_path / "late.py"
        bot.write_text(body + "\n" + RIVAL.read_text())
        record = play_locked(supervisor, [RIVAL, bot], clock=Clock(0.5, 0.0, 0.3)).record
        assert record.seats[1].ending is Ending.STARTUP and record.seats[1].fault_decision == -1
        assert told in record.notes[0] and record.seats[0].place == 1


TALKATIVE = """
import sys
print("first\\x1b[2J" * 1000)
print("last", "words", sep="\\n", file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("deed", "ending", "ended"),
    [
        ("import os; os._exit(7)", Ending.CRASH, "exit code 7"),
        ("import os; os.abort()", Ending.CRASH, "SIGABRT"),
        ("while True: pass", Ending.TIMEOUT, "killed by the host"),
        ("return 'no action'", Ending.ILLEGAL, ""),
        ("raise ValueError(5)", Ending.CRASH, ""),
    ],
)
def test_what_is_left_of_a_failed_seat_is_in_the_record(
    deed: str, ending: Ending, ended: str, supervisor: Supervisor, tmp_path: Path
) -> None:
    bot = tmp_path / "talkative.py"
    said = "".join(f"        {line}\n" for line in TALKATIVE.strip().splitlines())
    bot.write_text(f"from arena.agent import Agent\nclass Bot(Agent):\n    def act(self, view):\n{said}        {deed}\n")
    record = play_locked(supervisor, [RIVAL, bot], clock=Clock(0.2, 0.0, 5.0)).record
    (fault,) = record.faults
    assert (fault.seat, fault.ending, fault.exit, fault.decision) == (1, ending, ended, record.seats[1].fault_decision)
    assert fault.reason.partition("\n")[0] in record.notes[0]
    assert fault.output.endswith("last\nwords") and len(fault.output) < 2 * 4096 and "\x1b" not in fault.output
    assert len(fault.output) > 4000


LATE = """
import signal, time
from arena.agent import Agent

def think(*_):
    while True:
        pass

class Late(Agent):
    def act(self, view):
        signal.signal(signal.SIGUSR1, think)
        time.sleep(600)
"""


@pytest.mark.parametrize(
    ("thinks", "idle", "ending", "is_proven"),
    [
        (True, 0.0, Ending.HOST, True), (True, 0.5, Ending.HOST, False), (True, 0.9, Ending.TIMEOUT, None),
        (False, 0.0, Ending.TIMEOUT, None),
    ],
)  # fmt: skip
def test_a_late_seat_is_a_host_fault_when_it_waited_for_a_cpu(
    thinks: bool, idle: float, ending: Ending, is_proven: bool | None, supervisor: Supervisor, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """At idle priority on a CPU that a crowd keeps busy: a bot that would think is excused, one that sleeps is not.

    Nor is one whose cores idled meanwhile. It is proven if others had the cores all the while.
    """
    monkeypatch.setattr("arena.match.sandbox.child.BACKSTOP_FACTOR", 4.0)
    monkeypatch.setattr("arena.match.sandbox.child.BACKSTOP_SECONDS", 0.7)
    monkeypatch.setattr("arena.match.sandbox.held.SLEEP_SECONDS", 0.5)
    monkeypatch.setattr("arena.match.sandbox.pressure.Spell.idle_share", lambda spell: idle)
    bot = tmp_path / "late.py"
    bot.write_text(LATE)
    with taken_cpu() as cpu, LockedSeat(supervisor, read_bot(bot), seed=1, params={}, limits=LIMITS) as seat:
        assert seat.start(INFO) is None
        seat.ask(first_view(seat=0, clock=Clock(0.2, 0.0, 5.0)))
        until(lambda: waits_for_signal(seat.pid))
        os.sched_setaffinity(seat.pid, [cpu])
        os.sched_setscheduler(seat.pid, os.SCHED_IDLE, os.sched_param(0))
        if thinks:
            os.kill(seat.pid, signal.SIGUSR1)
        found = seat.answer()
    assert isinstance(found, Fault) and found.ending is ending, found
    assert (None if found.starved is None else found.starved.is_proven) is is_proven
    assert ("the machine is short of CPU" if ending is Ending.HOST else "no answer in") in found.reason


def test_a_match_of_locked_bots_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    shown = []
    for flags in ([], ["--locked"]):
        assert main(["match", "naga", str(RIVAL), str(TEST_BOTS / "folder_bot"), "--seed", "4", *flags]) == 0
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1] and "place 1" in shown[0]


def test_the_doctor_tests_every_layer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--out", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [re.split(" {2,}", line)[1] for line in lines[2:]] == [*LAYERS, *MACHINE]  # below the heads of the columns
    assert any(line.startswith("ok") and "isolation: locked" in line for line in lines)


MACHINE = ["results folder", "cache folder", "memory", "shared memory", "compiled code", "toolchains", "graphics card"]
LAYERS = [
    "landlock", "seccomp", "namespaces", "user", "memory limit", "programs", "memory cgroup", "coarse clocks",
    "processor caches", "clock and kill", "parent's death", "host pressure", "the whole lock",
]  # fmt: skip


KINDS = {"seats": SeatCost, "commands": CommandCost}


@pytest.mark.slow
def test_the_bench_shows_seats_with_one_room_and_with_all(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, few in (("seats.STARTS", 2), ("seats.ROUND_TRIPS", 5), ("seats.MATCH_SECONDS", 1e-6)):
        monkeypatch.setattr(f"arena.cli.bench.{name}", few)
    for name in ("STARTS", "ROUND_TRIPS"):
        monkeypatch.setattr(f"arena.cli.measuring.commands.{name}", 2)
    assert main(["bench", "seats", "--format", "json"]) == 0
    figures = msgspec.json.decode(capsys.readouterr().out)
    costs, commands = (msgspec.convert(figures[key], list[kind]) for key, kind in KINDS.items())
    tools = {"C": "cc", "Python without arena": "python3", "Node.js": "node"}
    assert [cost.language for cost in commands] == [name for name, tool in tools.items() if shutil.which(tool)]
    assert all(cost.start_ms > 0 and cost.round_trip_us > 0 and cost.round_trip_cpu_us > 0 for cost in commands)
    assert [cost.games for cost in costs] == [1, len(names())]
    assert all(value > 0 for cost in costs for value in (cost.start_ms, cost.start_cpu_ms, cost.decisions_per_second))
