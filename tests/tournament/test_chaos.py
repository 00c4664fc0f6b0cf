"""Chaos, the short form: real processes, real kills, and the results of a calm run all the same.

Only processes that a test has started are killed. Each test asserts from its log that what it is about did happen.
"""

import os
import random
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec
import pytest

from arena.errors import StoreError
from arena.records import MatchRecord
from arena.results.journal import Journal, Row, packed
from arena.results.status import Trouble, read_status
from arena.tournament import playing
from arena.tournament.run import run_tournament
from arena.tournament.session import LOCAL, RAY, Observer, Progress, Results, Settings, read_results
from arena.tournament.workers.backend import Chunk, Lost, Ticket
from arena.tournament.workers.driver import ATTEMPTS
from arena.tournament.workers.local import LocalBackend
from arena.tournament.workers.ray.watchdog import descendants
from helpers.processes import command, runs, survivors, until
from helpers.tournaments import GOOD_BOTS, arena, assert_same, ended, journalled, run, write_config

pytestmark = pytest.mark.processes
DEALS = 30
POISON = """
import os, signal
from arena.agent import Agent

class Poison(Agent):
    def act(self, view):
        if {"d4", "d6", "l7"} < set(view.hand):
            os.kill(os.getpid(), signal.SIGKILL)
        return view.legal[0]
"""
"""Trusted, so that it runs inside the worker: with one hand, which seed 7 deals it once, it kills that worker."""


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """The results of an undisturbed run on one worker."""
    return run(tmp_path_factory.mktemp("calm"), deals=DEALS)


DIES_IN_ADD = """
import os, signal, sys
from arena.cli.main import main
from arena.results.journal import Journal
from arena.results.status import Trouble, read_status

where, number, log = sys.argv[1], int(sys.argv[2]), sys.argv[3]
real_add, real_set, calls = Journal.add, Journal._set, []

def die():
    with open(log, "a") as file:
        file.write(where + "\\n")
    os.kill(os.getpid(), signal.SIGKILL)

def add(self, records, values):
    calls.append(where)
    new = real_add(self, records, values)
    if len(calls) == number:
        die()  # committed, and nobody knows
    return new

def set_values(self, values):
    real_set(self, values)
    if len(calls) == number and where == "before commit":
        die()

Journal.add, Journal._set = add, set_values
sys.exit(main(sys.argv[4:]))
"""


@pytest.mark.slow
def test_a_driver_that_is_killed_or_stopped_again_and_again(calm: Results, tmp_path: Path) -> None:
    """At random moments, just after and just before a commit, and by Ctrl-C twice; each time the same command goes on."""
    config, folder, log = write_config(tmp_path, deals=DEALS), tmp_path / "out" / "small", tmp_path / "log"
    words = ["tournament", config, "--out", tmp_path / "out", "--backend", LOCAL, "--workers", 1]
    done = [journalled(folder)]
    for end in (killed_at_a_random_moment, killed_after_a_commit, killed_before_a_commit, stopped_by_ctrl_c_twice):
        end(words, folder, log)
        done.append(journalled(folder))
    assert log.read_text().splitlines() == ["at random", "after commit", "before commit", "Ctrl-C twice"]
    assert done[0] < done[1] < done[2] <= done[3] < done[4] < 6 * DEALS
    with Journal(folder, is_read_only=True) as journal:
        trouble = Trouble.of(journal)
    assert trouble is not None and trouble.runs == 4
    assert_same(run_tournament(config, Settings(out=tmp_path / "out", backend=LOCAL, workers=1)), calm)


def killed_at_a_random_moment(words: list[object], folder: Path, log: Path) -> None:
    process = arena(*words)
    least = journalled(folder) + random.Random("kills of the driver").randrange(1, 12)
    until(lambda: journalled(folder) >= least, process, seconds=120.0)
    process.kill()
    assert ended(process)[0] == -signal.SIGKILL
    log.write_text("at random\n")


def killed_after_a_commit(words: list[object], _: Path, log: Path) -> None:
    die_in_add("after commit", words, log)


def killed_before_a_commit(words: list[object], _: Path, log: Path) -> None:
    die_in_add("before commit", words, log)


def die_in_add(where: str, words: list[object], log: Path) -> None:
    arguments = [sys.executable, "-c", DIES_IN_ADD, where, 2, log, *words]
    process = subprocess.Popen(list(map(str, arguments)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    code, _, err = ended(process)
    assert code == -signal.SIGKILL, err


def stopped_by_ctrl_c_twice(words: list[object], folder: Path, log: Path) -> None:
    """The second time while it is closing."""
    before = journalled(folder)
    process = arena(*words, start_new_session=True)
    until(lambda: journalled(folder) > before, process, seconds=120.0)
    family = descendants({process.pid})
    workers = {pid for pid in family if "spawn_main" in command(pid)}
    os.killpg(process.pid, signal.SIGINT)
    until(lambda: not all(map(runs, workers)), seconds=120.0)
    os.killpg(process.pid, signal.SIGINT)
    code, _, err = ended(process)
    assert code == 130 and "The same command goes on." in err and "Traceback" not in err, err
    assert workers and not survivors(family)
    assert not [*folder.glob("*.new"), *folder.glob(".new-*")] and read_status(folder).process is None
    with log.open("a") as file:
        file.write("Ctrl-C twice\n")


class KillsWorkers(Observer):
    """Kills a random worker again and again, but lets each pool finish something, as a machine in trouble would."""

    def __init__(self, kills: int) -> None:
        self._stream, self._next, self._left = random.Random("kills of workers"), 1, kills
        self.log: list[int] = []

    def progress(self, progress: Progress) -> None:
        if progress.done < self._next or not self._left:
            return
        workers = sorted(pid for pid in descendants({os.getpid()}) if "spawn_main" in command(pid))
        if workers:
            victim = self._stream.choice(workers)
            os.kill(victim, signal.SIGKILL)
            self.log.append(victim)
            self._left -= 1
            self._next = progress.done + self._stream.randrange(1, 5)


@pytest.mark.slow
def test_kill_9_of_random_workers_and_a_poison_match(tmp_path: Path) -> None:
    poison = tmp_path / "poison.py"
    poison.write_text(POISON)
    bots = [GOOD_BOTS[0], poison]
    (tmp_path / "calm").mkdir()
    calm = run(tmp_path / "calm", bots=bots)
    config, killer = write_config(tmp_path, bots=bots), KillsWorkers(3)
    results = run_tournament(config, Settings(out=tmp_path / "out", backend=LOCAL, workers=2), killer)
    assert len(set(killer.log)) == 3
    assert results.tally.lost_chunks >= ATTEMPTS  # a kill may hit a worker that waits, or one that the poison is killing
    (void,) = [record for record in results.records() if record.is_void]
    assert void.attempts >= ATTEMPTS and "a worker process died" in noted(results.folder, void.match_id)
    assert_same(results, calm)


def noted(folder: Path, match_id: str) -> str:
    """What the journal says to the bot's author."""
    with Journal(folder, is_read_only=True) as journal:
        record = journal.find(match_id)
        return "" if record is None else " ".join(record.notes)


@pytest.mark.slow
def test_kill_9_of_random_workers_of_ray(calm: Results, tmp_path: Path) -> None:
    config, folder = write_config(tmp_path, deals=DEALS), tmp_path / "out" / "small"
    process = arena("tournament", config, "--out", tmp_path / "out", "--backend", RAY, "--workers", 2)
    stream, log = random.Random("kills of workers of Ray"), set()
    for done in (1, 20):

        def playing(least: int = done) -> list[int]:
            below = descendants({process.pid}) if journalled(folder) >= least else set()
            return sorted(pid for pid in below - log if command(pid).startswith("ray::_play"))

        victim = stream.choice(until(playing, process, seconds=180.0))  # no test of how fast Ray starts
        os.kill(victim, signal.SIGKILL)
        log.add(victim)
    code, _, err = ended(process)
    assert code == 0 and len(log) == 2, err
    assert_same(read_results(folder), calm)


class AnswersTwice(LocalBackend):
    """Calls a chunk lost that was played, and hands in its records later, beside those of another one."""

    late: list[MatchRecord] = []  # noqa: RUF012
    difference = 0.0
    chunks = 0

    def wait(self, seconds: float) -> list[tuple[Ticket, Chunk | Lost]]:
        answers: list[tuple[Ticket, Chunk | Lost]] = []
        for ticket, outcome in super().wait(seconds):
            answer = outcome
            if isinstance(outcome, Chunk):
                self.chunks += 1
                if self.chunks == 2:
                    self.late += [with_score(record, self.difference) for record in outcome.records]
                    answer = Lost("its answer did not arrive")
                elif self.chunks > 4 and self.late:
                    answer = msgspec.structs.replace(outcome, finished=packed([*outcome.records, *self.late]))
                    self.late.clear()
            answers.append((ticket, answer))
        return answers


def with_score(record: MatchRecord, more: float) -> MatchRecord:
    first, *others = record.seats
    return msgspec.structs.replace(record, seats=(msgspec.structs.replace(first, score=first.score + more), *others))


@pytest.fixture
def duplicates(monkeypatch: pytest.MonkeyPatch) -> Counter[int]:
    """How often each match came again; every chunk's first answer comes through AnswersTwice."""
    log: Counter[int] = Counter()
    add = Journal.add

    def logged(self: Journal, rows: Sequence[Row], values: Mapping[str, bytes] = MappingProxyType({})) -> Any:
        log.update({index for match_id, index, *_ in rows if self.find(match_id.hex()) is not None})
        return add(self, rows, values)

    monkeypatch.setattr(Journal, "add", logged)
    monkeypatch.setattr(playing, "LocalBackend", AnswersTwice)
    return log


@pytest.mark.slow
def test_an_answer_that_comes_twice_counts_once(calm: Results, duplicates: Counter[int], tmp_path: Path) -> None:
    results = run(tmp_path, deals=DEALS)
    assert duplicates.total() > 0
    assert_same(results, calm)


@pytest.mark.slow
def test_a_second_answer_that_differs_is_refused_and_the_first_is_kept(
    calm: Results, duplicates: Counter[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(AnswersTwice, "difference", 1.0)
        with pytest.raises(StoreError, match="was played twice with different results"):
            run(tmp_path, deals=DEALS)
    assert duplicates.total() > 0
    AnswersTwice.late.clear()
    assert_same(run(tmp_path, deals=DEALS), calm)


ADAPTIVE = {
    "compare": {"format": "compare", "candidates": ["set_bot", "counting_bot"], "deals": 40},
    "ladder": {"format": "ladder", "deals": 2, "ladder": {"sigma": 1.5, "separable": False, "matches": 240}},
}


@pytest.mark.slow
@pytest.mark.parametrize("verb", ADAPTIVE)
def test_kill_9_of_the_driver_changes_no_decision(verb: str, tmp_path: Path) -> None:
    calm = run(tmp_path / "calm", **ADAPTIVE[verb])
    config, folder = write_config(tmp_path, **ADAPTIVE[verb]), tmp_path / "out" / "small"
    words = [verb, config, "--out", tmp_path / "out", "--backend", LOCAL, "--workers", 2]
    kept = [0]
    for more in (1, 17):  # in the first segment, and behind decisions
        process = arena(*words)
        until(lambda: journalled(folder) >= kept[-1] + more or process.poll() is not None, seconds=120.0)  # noqa: B023
        process.kill()
        code, _, err = ended(process)
        assert code == -signal.SIGKILL, err
        kept.append(journalled(folder))
    assert kept[0] < kept[1] < kept[2] < calm.manifest.matches
    resumed = run_tournament(config, Settings(out=tmp_path / "out", backend=LOCAL, workers=1))
    assert resumed.manifest.outcome == calm.manifest.outcome is not None
    assert resumed.manifest.plan_sha256 == calm.manifest.plan_sha256
    assert_same(resumed, calm)
