"""A machine that is suspended in the middle of a decision: every process is stopped, and goes on. That is nobody's time."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from arena.agent import StartInfo, read_bot
from arena.match import Answer
from arena.match.sandbox import LockedSeat, Supervisor
from arena.records import Clock
from arena.tournament.session import LOCAL, Results, read_results
from arena.tournament.workers.ray.watchdog import descendants
from helpers.locked_matches import LIMITS, RIVAL, first_view
from helpers.paths import TEST_BOTS
from helpers.processes import until, waiting_seats, waits_for_signal
from helpers.tournaments import arena, ended, write_config

WAITING = TEST_BOTS / "waiting_bot.py"
FREEZE = """
import os, signal, sys, time
seat, *pids = map(int, sys.argv[2:])
time.sleep(0.2)
for pid in (seat, *pids):
    os.kill(pid, signal.SIGSTOP)
time.sleep(float(sys.argv[1]))
for pid in (*pids, seat):
    os.kill(pid, signal.SIGCONT)
os.kill(seat, signal.SIGUSR1)
"""


def test_a_seat_and_its_worker_that_are_stopped_in_a_decision_lose_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here this process is the worker. The bot may sleep for 1.5 s, and both are stopped for 2 s."""
    monkeypatch.setattr("arena.match.sandbox.held.SLEEP_SECONDS", 1.5)
    clock = Clock(move=0.1, bank=0.0, start=5.0)
    with (
        Supervisor(["naga"]) as supervisor,
        LockedSeat(supervisor, read_bot(WAITING), seed=1, params={}, limits=LIMITS) as seat,
    ):
        assert seat.start(StartInfo("naga", {}, 2, 0, clock)) is None
        seat.ask(first_view(seat=0, clock=clock))
        until(lambda: waits_for_signal(seat.pid))
        freezing = subprocess.Popen([sys.executable, "-I", "-S", "-c", FREEZE, "2", str(seat.pid), str(os.getpid())])
        answer = seat.answer()
        assert freezing.wait() == 0
    assert isinstance(answer, Answer) and not answer.overslept, answer


def freeze(process: "subprocess.Popen[str]", seconds: float) -> None:
    """Stop a process and all below it, for so long, once the worker has seen that this is no quick answer."""
    time.sleep(0.2)
    stopped: set[int] = set()
    while fresh := ({process.pid} | descendants({process.pid})) - stopped:
        for pid in fresh:
            os.kill(pid, signal.SIGSTOP)
        stopped |= fresh
    time.sleep(seconds)
    for pid in stopped:
        os.kill(pid, signal.SIGCONT)


def played(folder: Path, frozen: float) -> Results:
    """A tournament of bots that are locked in, whose machine is suspended for so long while a bot is to decide."""
    folder.mkdir()
    clock = {"move": "400ms", "bank": "0s"}
    config = write_config(folder, [{"path": str(RIVAL)}, {"path": str(WAITING)}], deals=1, clock=clock)
    process = arena("tournament", config, "--out", folder / "out", "--backend", LOCAL, "--workers", 1)
    is_over = threading.Event()

    def send_on() -> None:
        while not is_over.wait(0.02):
            for pid in waiting_seats(process.pid):
                os.kill(pid, signal.SIGUSR1)

    until(lambda: waiting_seats(process.pid), process)
    if frozen:
        freeze(process, frozen)
    sending = threading.Thread(target=send_on)
    sending.start()
    code, _, errors = ended(process)
    is_over.set()
    sending.join()
    assert code == 0, errors
    return read_results(folder / "out" / "small")


@pytest.mark.slow
def test_a_suspended_machine_changes_no_result(tmp_path: Path) -> None:
    """Longer than a bot may sleep in a match, with its clock."""
    calm, frozen = played(tmp_path / "calm", 0.0), played(tmp_path / "frozen", 6.0)
    assert frozen.manifest.results_sha256 == calm.manifest.results_sha256
    endings = {seat.ending for record in frozen.records() for seat in record.seats}
    assert endings == {"played"} and all(seat.reproducible for record in frozen.records() for seat in record.seats)
