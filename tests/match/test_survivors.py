"""Nothing of ours survives the end of what it belongs to, whatever ended that: with real kills of processes started here."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from arena.tournament.session import LOCAL, RAY
from arena.tournament.workers.ray.watchdog import descendants
from helpers.attacks import ATTACKS
from helpers.locked_matches import RIVAL
from helpers.paths import TESTS
from helpers.processes import SECONDS, busy_seats, command, processes_below, seats, survivors, until, zygotes

BACKENDS = [LOCAL, pytest.param(RAY, marks=pytest.mark.slow)]
WORKER = """
import pathlib, sys, threading
sys.path.insert(0, sys.argv[1])
from helpers.locked_matches import RIVAL, play_locked
from arena.records import Clock
from arena.match.sandbox import Supervisor

def play():
    with Supervisor(["naga"]) as supervisor:
        play_locked(supervisor, [RIVAL, pathlib.Path(sys.argv[3])], clock=Clock(600.0, 0.0))

if sys.argv[2] == "main thread":
    play()
threading.Thread(target=play).start()
"""


@pytest.mark.parametrize(
    ("blow", "thread"),
    [
        (signal.SIGKILL, "main thread"), (signal.SIGINT, "main thread"), (signal.SIGTERM, "main thread"),
        (signal.SIGKILL, "another thread"),
    ],
)  # fmt: skip
def test_nothing_survives_a_killed_worker(blow: signal.Signals, thread: str, tmp_path: Path) -> None:
    """From another thread the zygote cannot be given a death signal: the end of its socket must do."""
    command = [sys.executable, "-c", WORKER, str(TESTS), thread, str(ATTACKS["loops"].bot(tmp_path))]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        busy = until(lambda: len(seats(process.pid)) == 2 and busy_seats(process.pid, cpu=0.1), process)
        family = zygotes(process.pid) | descendants(zygotes(process.pid))
        assert busy < family and len(seats(process.pid)) == 2
        mounts = mount_namespaces(family)
        held = held_namespaces(family)
    finally:
        process.send_signal(blow)
        began = time.monotonic()
        try:
            process.communicate(timeout=30)
        finally:
            process.kill()
    assert not survivors(family, began)
    assert not mounts & mount_namespaces(all_processes())
    for descriptor in held:
        os.close(descriptor)


def held_namespaces(pids: set[int]) -> list[int]:
    """Descriptors that keep the mount namespaces of these processes: else the kernel may give their numbers anew."""
    held = []
    for pid in pids:
        with contextlib.suppress(PermissionError):  # of a process that an ordinary user may not look into
            held.append(os.open(f"/proc/{pid}/ns/mnt", os.O_RDONLY))
    return held


def all_processes() -> set[int]:
    return {int(path.name) for path in Path("/proc").glob("[0-9]*")}


def mount_namespaces(pids: set[int]) -> set[str]:
    """Those of these processes, but our own."""
    found = set()
    for pid in pids:
        try:
            found.add(str(Path(f"/proc/{pid}/ns/mnt").readlink()))
        except OSError:  # ended, or another user's
            continue
    return found - {str(Path("/proc/self/ns/mnt").readlink())}


@pytest.fixture
def temporary() -> Iterator[Path]:
    """Where arena may leave nothing behind: a short path, as Ray needs it."""
    folder = Path(tempfile.mkdtemp(prefix="ar-", dir="/tmp"))
    yield folder
    shutil.rmtree(folder)


class Run:
    """A tournament with a bot that computes without end, in a process group of its own as on a terminal."""

    def __init__(self, folder: Path, temporary: Path, backend: str) -> None:
        config = {
            "name": "endless", "games": [{"game": "naga", "seats": 2}], "deals": 4,
            "bots": [str(RIVAL), str(ATTACKS["loops"].bot(folder))], "clock": {"move": "600s", "bank": "1s", "start": "10s"},
        }  # fmt: skip
        path = folder / "endless.yaml"
        path.write_text(yaml.safe_dump(config))
        arguments = ["tournament", path, "--out", folder / "out", "--backend", backend, "--workers", 1]
        self.temporary = temporary
        self.process = subprocess.Popen(
            [sys.executable, "-m", "arena", *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            text=True, start_new_session=True, env={**os.environ, "TMPDIR": str(temporary)},
        )  # fmt: skip

    def __enter__(self) -> "Run":
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGINT)
            self.process.wait(60)

    def seats(self) -> set[int]:
        """The zygote and what it forked for a match whose bot computes: once there are two seats."""

        def found() -> set[int]:
            zygote = zygotes(self.process.pid)
            is_played = busy_seats(self.process.pid, cpu=0.1) and len(seats(self.process.pid)) == 2
            return zygote | processes_below(zygote) if is_played else set()

        return set(until(found, self.process))

    def family(self) -> set[int]:
        """All that it started; a watchdog is in a session of its own."""
        return descendants({self.process.pid}) | {self.process.pid}

    def left(self, pids: set[int], began: float) -> Any:
        """What there still is SECONDS after `began`: processes, and files in the temporary folder."""
        living = survivors(pids, began)
        while (files := list(self.temporary.iterdir())) and time.monotonic() < began + SECONDS:
            time.sleep(0.02)
        return {pid: command(pid) for pid in living}, files


@pytest.mark.parametrize("backend", BACKENDS)
def test_nothing_survives_a_killed_worker_nor_ctrl_c(backend: str, tmp_path: Path, temporary: Path) -> None:
    """After the kill of its worker the tournament goes on in another one."""
    with Run(tmp_path, temporary, backend) as run:
        seats = run.seats()
        (zygote,) = zygotes(run.process.pid)
        os.kill(parent(zygote), signal.SIGKILL)
        assert not survivors(seats)
        again = run.seats()
        assert not seats & again
        family = run.family()
        assert again < family
        os.killpg(run.process.pid, signal.SIGINT)
        began = time.monotonic()
        assert run.process.wait(60) == 130
        assert run.left(family, began) == ({}, [])


def parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


@pytest.mark.parametrize("backend", BACKENDS)
def test_nothing_survives_a_killed_driver(backend: str, tmp_path: Path, temporary: Path) -> None:
    with Run(tmp_path, temporary, backend) as run:
        seats = run.seats()
        family = run.family()
        assert seats < family
        run.process.kill()
        began = time.monotonic()
        run.process.wait(60)
        assert run.left(family, began) == ({}, [])
