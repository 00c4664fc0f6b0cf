"""Inputs tried in several processes for as long as is asked. A process that hangs is ended, and its input is a finding."""

import contextlib
import io
import multiprocessing
import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path

import msgspec

from arena.agent import BotFiles, read_bot
from arena.agent.naming import house_bots
from arena.agent.submissions import Submissions
from arena.audit.capsule import first_fault, pack, setup_of
from arena.cli.fuzzing.inputs import BROKEN, CONFIG, NAME, RESULTS, Base
from arena.cli.fuzzing.trying import Finding, try_input
from arena.cli.main import main
from arena.config import check_config
from arena.games import load
from arena.hall.finding import locate_match
from arena.store import parquet
from arena.store.manifest import read_manifest, stored_clock, stored_limits
from arena.tournament.run import run_tournament
from arena.tournament.session import LOCAL, Settings
from arena.workers.pool import ignore_ctrl_c
from arena.workers.processes import die_with_parent

HANG_SECONDS = 60.0
"""Wall seconds after which an input hangs."""
_TICK = 0.5


@dataclass
class Outcome:
    """What a campaign has found so far."""

    tried: Counter[str] = field(default_factory=Counter)
    """How many inputs of each kind were tried."""
    findings: list[Finding] = field(default_factory=list)
    """The first input of each trouble."""
    troubles: Counter[str] = field(default_factory=Counter)
    """How many inputs had each trouble."""

    def add(self, kind: str, finding: Finding | None) -> None:
        """Count an input."""
        self.tried[kind] += 1
        if finding is not None:
            self.troubles[finding.trouble] += 1
            if self.troubles[finding.trouble] == 1:
                self.findings.append(finding)


def campaign(seed: str, seconds: float, workers: int, tick: Callable[[Outcome], object], most: int | None = None) -> Outcome:
    """Try inputs for so many seconds, or at most `most` of them; `tick` is called about twice a second."""
    with tempfile.TemporaryDirectory(prefix="arena-fuzz-") as name:
        base = make_base(Path(name))
        outcome = Outcome()
        numbers = iter(range(most)) if most is not None else iter(range(1 << 60))
        with _Workers(base, seed, Path(name), workers) as pool:
            end = time.monotonic() + seconds
            for kind, finding in pool.tried(numbers, end, lambda: tick(outcome)):
                outcome.add(kind, finding)
        return outcome


def try_one(seed: str, number: int) -> Outcome:
    """Try one input again, in this process."""
    with tempfile.TemporaryDirectory(prefix="arena-fuzz-") as name:
        outcome = Outcome()
        outcome.add(*try_input(make_base(Path(name)), seed, number, Path(name) / "input"))
        return outcome


def make_base(folder: Path) -> Base:
    """Play a tournament, submit a bot, save a capsule and a trace: what the inputs are made from."""
    results = folder / RESULTS
    (folder / "broken.py").write_bytes(BROKEN)
    run_tournament(check_config(CONFIG, folder, results), Settings(out=results, backend=LOCAL, workers=1))
    files = read_bot(house_bots()["naga_greedy"])
    Submissions(results).submit("alice", BotFiles("alice.py", {"alice.py": files.files[files.main]}), ("naga",))
    fault = parquet.read_faults(results / NAME)[0]
    where, record, key = locate_match(results, fault.match_id)
    manifest = read_manifest(where)
    setup, limits = setup_of(record, key, stored_clock(manifest, where)), stored_limits(manifest, where)
    capsule = pack(load("naga"), record, setup, NAME, fault.seat, first_fault(record, fault.seat), limits=limits)
    return Base(str(folder), record.match_id, msgspec.json.encode(capsule), _trace())


def _trace() -> bytes:
    """A short trace, as `arena trace` prints it."""
    with contextlib.redirect_stdout(io.StringIO()) as said:
        main(["trace", "naga", "--seed", "1", "--matches", "1"])
    return said.getvalue().encode()


class _Workers:
    """Processes that try inputs. A context manager."""

    def __init__(self, base: Base, seed: str, folder: Path, workers: int) -> None:
        self._arguments = (base, seed, folder, os.getpid())
        self._workers = workers
        self._running: dict[Connection, tuple[BaseProcess, int, float]] = {}  # since when it tries which input

    def __enter__(self) -> "_Workers":
        return self

    def __exit__(self, *_: object) -> None:
        for connection in list(self._running):
            self._end(connection)

    def tried(self, numbers: Iterator[int], end: float, tick: Callable[[], object]) -> Iterator[tuple[str, Finding | None]]:
        """The kind of each input, and what was wrong with it."""
        for _ in range(self._workers):
            self._start(numbers)
        while self._running:
            for ready in wait(list(self._running), _TICK):
                assert isinstance(ready, Connection)
                process, number, _since = self._running[ready]
                try:
                    kind, finding = ready.recv()
                except EOFError:
                    kind, finding = "options", Finding(number, "?", [], "its process died", "")
                    self._end(ready)
                    self._start(numbers)
                else:
                    self._give(ready, process, numbers if time.monotonic() < end else iter(()))
                yield kind, finding
            late = [one for one, (_, _, since) in self._running.items() if time.monotonic() - since > HANG_SECONDS]
            for connection in late:
                number = self._running[connection][1]
                self._end(connection)
                self._start(numbers)
                yield "options", Finding(number, "?", [], f"hangs for more than {HANG_SECONDS:.0f} s", "")
            tick()

    def _start(self, numbers: Iterator[int]) -> None:
        context = multiprocessing.get_context("spawn")
        here, there = context.Pipe()
        process = context.Process(target=_serve, args=(there, *self._arguments))
        process.start()
        there.close()
        self._give(here, process, numbers)

    def _give(self, connection: Connection, process: BaseProcess, numbers: Iterator[int]) -> None:
        number = next(numbers, None)
        connection.send(number)
        if number is None:
            process.join()
            self._running.pop(connection, None)
        else:
            self._running[connection] = (process, number, time.monotonic())

    def _end(self, connection: Connection) -> None:
        process, _, _ = self._running.pop(connection)
        process.kill()
        process.join()


def _serve(connection: Connection, base: Base, seed: str, folder: Path, parent: int) -> None:
    """Try the inputs whose numbers come, until None comes."""
    ignore_ctrl_c()
    die_with_parent(parent)
    os.environ["COLUMNS"] = "100"
    while (number := connection.recv()) is not None:
        connection.send(try_input(base, seed, number, folder / f"input-{os.getpid()}-{number}"))
