"""A tournament whose processes are killed again and again: what `python -m lab chaos` does and counts.

The tournament is the command that anybody types, in a process of its own. While it plays, a random worker is killed with
SIGKILL again and again, now and then the driver itself, and now and then Ctrl-C is said twice; after those the same command is
said again. In the end the results must be those of a calm run, and no process may be left. Only processes below the one that
was started here are killed, each by a handle that was opened while it was there, so that no number can mean another one.
"""

import contextlib
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from arena.errors import ArenaError, StoreError
from arena.results import parquet
from arena.results.journal import Journal
from arena.results.manifest import Manifest, read_manifest
from arena.results.status import Trouble
from arena.tournament.session import LOCAL, RAY
from lab.lineage import Lineage

WORKER, DRIVER, CTRL_C = "worker", "driver", "Ctrl-C twice"
KINDS = (WORKER,) * 17 + (DRIVER,) * 2 + (CTRL_C,)  # as often as they stand here
MATCHES_PER_KILL = 40
PAUSE_SECONDS = 0.02  # per bot and match, in the storm: else fast workers are done before all kills
PAUSE_VARIABLE = "ARENA_CHAOS_PAUSE"
POLL_SECONDS = 0.02
LEFT_SECONDS = 10.0  # after which no process may be left
LONGEST_SECONDS = 300.0  # without a match: then it hangs
NAME = "chaos"
_WORKERS = {
    LOCAL: re.compile(r".* -c from multiprocessing\.spawn import spawn_main"),
    RAY: re.compile(r"ray::(_play|IDLE)"),
}
"""How their command lines begin; Ray's own processes are no workers."""
_PER_DEAL = 12  # 4 bots, tables of 2, both rotations
_FIRST = f"""
import os, time
from arena.agent import Agent

class First(Agent):
    def start(self, info):
        time.sleep(float(os.environ.get("{PAUSE_VARIABLE}", "0")))

    def act(self, view):
        return view.legal[0]
"""
_OTHER = f"""
import os, time
from arena.agent import Agent

class Other(Agent):
    def start(self, info):
        time.sleep(float(os.environ.get("{PAUSE_VARIABLE}", "0")))

    def act(self, view):
        return view.legal[self.rng.randrange(len(view.legal))]
"""
_POISON = """
import os, signal
from arena.agent import Agent

class Poison(Agent):
    def act(self, view):
        if {"d4", "d6", "l7"} < set(view.hand):
            os.kill(os.getpid(), signal.SIGKILL)
        return view.legal[0]
"""
"""Trusted, so that it runs inside the worker: with some hands it kills it, each time anew."""


@dataclass
class Chaos:
    """What a chaos run found."""

    kills: Counter[str] = field(default_factory=Counter)
    """How many processes were killed, by kind of process."""
    resumes: int = 0
    seconds: float = 0.0
    calm_seconds: float = 0.0
    matches: int = 0
    retried: int = 0
    """Matches that took more than one attempt in the run that finished them."""
    void: int = 0
    trouble: Trouble = field(default_factory=Trouble)
    left: int = 0
    """Processes that outlived the tournament."""
    differences: list[str] = field(default_factory=list)
    """How the results differ from those of the calm run; empty if they do not."""

    @property
    def is_right(self) -> bool:
        """Whether nothing was lost, changed or left."""
        return not self.differences and not self.left


def chaos(
    folder: Path, kills: int, *, backend: str, workers: int, seed: int, on_progress: Callable[[Chaos, int], None]
) -> Chaos:
    """Play a tournament calmly and one with `kills` kills in `folder`; `on_progress`: with the matches done, now and then."""
    found = Chaos()
    calm, found.calm_seconds = _calm(folder, kills)
    _Storm(folder, kills, backend, workers, random.Random(seed), found, on_progress).run()
    stormy = folder / "stormy" / NAME
    found.differences = list(_differences(calm, stormy))
    manifest = read_manifest(stormy)
    found.matches, found.void = manifest.played, manifest.void
    found.retried = sum(record.attempts > 1 and not record.is_void for record in parquet.read_matches(stormy))
    return found


def _calm(folder: Path, kills: int) -> tuple[Path, float]:
    """Play the tournament with one worker, killed only by the bot that kills its own; returns its folder and the seconds."""
    for name, code in (("first", _FIRST), ("other", _OTHER), ("poison", _POISON)):
        (folder / f"{name}.py").write_text(code)
    paths = {"first": "first.py", "other": "other.py", "third": "other.py", "poison": "poison.py"}
    config = {
        "name": NAME, "seed": 7, "games": [{"game": "naga", "seats": 2}],
        "deals": max(4, kills * MATCHES_PER_KILL // _PER_DEAL),
        "bots": [{"path": path, "name": name, "trusted": True} for name, path in paths.items()],
    }  # fmt: skip
    (folder / "chaos.yaml").write_bytes(msgspec.json.encode(config))  # JSON is YAML
    began = time.monotonic()
    process = _start(folder, "calm", LOCAL, 1, pause=0.0)
    _, trouble = process.communicate()
    if process.returncode:
        raise ArenaError(f"the calm run ended with {process.returncode}: {trouble.strip()[-500:]}")
    return folder / "calm" / NAME, time.monotonic() - began


def _start(folder: Path, out: str, backend: str, workers: int, *, pause: float = PAUSE_SECONDS) -> "subprocess.Popen[str]":
    """Start the tournament command in a process group of its own, as a terminal does."""
    words = [folder / "chaos.yaml", "--out", folder / out, "--backend", backend, "--workers", workers]
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "arena", "tournament", *map(str, words)],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True,
        env={**os.environ, PAUSE_VARIABLE: str(pause)},
    )  # fmt: skip


class _Storm:
    def __init__(
        self, folder: Path, kills: int, backend: str, workers: int, stream: random.Random, found: Chaos,
        on_progress: Callable[[Chaos, int], None],
    ) -> None:  # fmt: skip
        self._folder, self._kills, self._backend, self._workers = folder, kills, backend, workers
        self._stream, self._found, self._on_progress = stream, found, on_progress
        self._lineage = Lineage()
        self._process = _start(folder, "stormy", backend, workers)

    def run(self) -> None:
        began = time.monotonic()
        try:
            while self._found.kills.total() < self._kills:
                self._strike()
                self._found.seconds = time.monotonic() - began
            _, trouble = self._process.communicate()
            if self._process.returncode:
                raise ArenaError(f"the last run ended with {self._process.returncode}: {trouble.strip()[-500:]}")
        finally:
            if self._process.poll() is None:
                self._process.kill()
                self._process.communicate()
        self._found.seconds = time.monotonic() - began
        with Journal(self._folder / "stormy" / NAME, is_read_only=True) as journal:
            self._found.trouble = Trouble.of(journal) or Trouble()
        self._found.left = self._lineage.left(LEFT_SECONDS)

    def _strike(self) -> None:
        """Kill one process at a random moment, after some more matches are finished."""
        kind = self._stream.choice(KINDS)
        if not self._wait_for_matches(self._stream.randrange(1, MATCHES_PER_KILL)):
            _, trouble = self._process.communicate()
            raise ArenaError(
                f"the tournament ended with {self._process.returncode} after {self._found.kills.total()} of {self._kills} "
                f"kills; 0: try another --seed. {trouble.strip()[-500:]}"
            )
        if kind == WORKER:
            self._kill_a_worker()
            return
        if kind == DRIVER:
            self._process.kill()
        else:
            os.killpg(self._process.pid, signal.SIGINT)
            time.sleep(self._stream.uniform(0.0, 1.0))
            with contextlib.suppress(ProcessLookupError):  # it has ended already
                os.killpg(self._process.pid, signal.SIGINT)
        _, trouble = self._process.communicate()
        if kind == CTRL_C and (self._process.returncode != 130 or "Traceback" in trouble):
            self._found.differences.append(f"Ctrl-C twice: exit code {self._process.returncode}: {trouble.strip()[-500:]}")
        self._found.kills[kind] += 1
        self._found.resumes += 1
        self._process = _start(self._folder, "stormy", self._backend, self._workers)

    def _kill_a_worker(self) -> None:
        workers = self._lineage.named(self._process.pid, _WORKERS[self._backend])
        if workers and self._lineage.kill(self._stream.choice(workers)):  # else they are just being started
            self._found.kills[WORKER] += 1

    def _wait_for_matches(self, more: int) -> bool:
        """Whether so many more are done; False: the tournament has ended before."""
        target, deadline = self._done() + more, time.monotonic() + LONGEST_SECONDS
        while self._done() < target:
            self._lineage.look(self._process.pid)
            if self._process.poll() is not None:
                return False
            if time.monotonic() > deadline:
                raise ArenaError(f"no match for {LONGEST_SECONDS:.0f} s after {dict(self._found.kills)}: it hangs")
            time.sleep(POLL_SECONDS)
        self._lineage.look(self._process.pid)
        self._on_progress(self._found, self._done())
        return True

    def _done(self) -> int:
        try:
            with Journal(self._folder / "stormy" / NAME, is_read_only=True) as journal:
                return journal.count()
        except StoreError:  # it is just being made
            return 0


def _differences(calm: Path, stormy: Path) -> Iterator[str]:
    """What differs, in words."""
    one, other = read_manifest(calm), read_manifest(stormy)
    for name in ("finished", "matches", "played", "void", "endings", "results_sha256", "reproducible_sha256"):
        if getattr(one, name) != getattr(other, name):
            yield f"{name}: {_value(one, name)} calm, {_value(other, name)} in the storm"
    if parquet.read_ratings(calm) != parquet.read_ratings(stormy):
        yield "the ratings differ"
    indices = [record.index for record in parquet.read_matches(stormy, with_actions=False)]
    if indices != list(range(one.matches)):
        yield "not every match is there once"


def _value(manifest: Manifest, name: str) -> object:
    return getattr(manifest, name)
