"""Before the first test: the rules are compiled once, not by each of the parallel test processes."""

import gc
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # small products of matrices in several processes wait for each other otherwise

from arena.engine import jit
from arena.games import names
from arena.tournament.workers.compiling import Compiling, everything, warm_games
from arena.tournament.workers.processes import HASH_SEED
from helpers import poker_rooms
from helpers.compiling_more import compiling_more

if TYPE_CHECKING:
    from arena.match.sandbox import Supervisor

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # hundreds of processes would translate the same sources
settings.register_profile("arena", deadline=None)  # a machine that has other work is slow: no finding
settings.load_profile("arena")
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup, too, programs that the tests start hear that a terminal is closed
gc.set_threshold(50_000, 10, 10)  # thousands of tests and all of arena are looked through each time: a third of collecting them


def _take_for_stored(descriptor: int) -> None:
    """Wait for no disk in test processes: nothing here takes the power away, and there are thousands of such waits."""
    os.fstat(descriptor)  # which must be open all the same


os.fsync = _take_for_stored

LONGEST = (
    "tests/tournament/test_cluster.py",
    "tests/match/test_ordinary_user.py",
    "tests/cli/test_small_sizes.py",
    "tests/server/test_contest_killed.py",
    "tests/server/test_contest_on_ray.py",
    "tests/lab/test_contest_storm.py",
    "tests/tournament/test_hostile_submissions.py",
    "tests/match/test_survivors.py",
    "tests/tournament/test_first_run.py",
)
"""Their tests wait: for nodes of a cluster to start, to freeze and to be missed, for clocks that run out, for visitors."""
SLOW_SECONDS = 900
"""After so long a slow test hangs (others: pyproject.toml)."""
SLOW_FILES = re.compile(r"mark\.slow\b|\bin_browser\b|helpers\.learning import .*\bGAMES\b")
"""What a file with slow tests has in its text."""
WHOLLY_SLOW = re.compile(r"^pytestmark = (?:in_browser|pytest\.mark\.slow)$", re.MULTILINE)
"""What a file without other tests has in its text."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Bound the time of slow tests; begin with what takes longest without computing: others run meanwhile."""
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.timeout(SLOW_SECONDS))
    places = {file: place for place, file in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.nodeid.partition("::")[0], len(LONGEST)))


def pytest_collection_finish() -> None:
    """Look for garbage among what the tests make alone: the tests themselves and the modules stay."""
    gc.freeze()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave files without slow tests unread where only those are wanted, and the other way round: to read all takes long."""
    if config.option.markexpr not in ("slow", "not slow") or collection_path.suffix != ".py":
        return None
    text = collection_path.read_text("utf-8")
    is_wanted = SLOW_FILES.search(text) if config.option.markexpr == "slow" else not WHOLLY_SLOW.search(text)
    return None if is_wanted else True


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One more than cores: many tests wait for processes of their own, for nodes, for clocks."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Play tournaments in this process, unless the test asks for others: to start two takes 1.6 s of CPU time."""
    from helpers.in_process_backend import start_processes  # imports most of arena

    start_processes(is_wanted=item.get_closest_marker("processes") is not None)


def pytest_configure(config: pytest.Config) -> None:
    """Warm all games in the process that starts the others, which have the hash seed of workers: set_bot goes by it."""
    os.environ.update(HASH_SEED)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as nohup and some runners have it; our processes are to end by it
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if not hasattr(config, "workerinput"):
        with (
            compiling_more(learning=wants_learning(config)),
            Compiling(everything(names()), print, {jit.RATINGS: "arena.ratings"}) as compiling,
            translating(config, compiling),
        ):  # fmt: skip
            compiling.finish()


def wants_learning(config: pytest.Config) -> bool:
    """Whether the tests of learning programs are among those asked for."""
    folder = Path(__file__).parent / "learning"
    asked = [config.invocation_params.dir / argument.partition("::")[0] for argument in config.args]
    return any(path in folder.parents or folder in (path, *path.parents) for path in map(Path.resolve, asked))


@contextmanager
def translating(config: pytest.Config, compiling: Compiling) -> Iterator[None]:
    """On a first run, have a process translate all tests meanwhile: each of the parallel ones would take 13 s of CPU time."""
    if compiling.is_over:
        yield
        return
    command = [sys.executable, "-m", "pytest", "--collect-only", "--noconftest", "-qq", "-n", "0", *config.args]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}  # it compiles nothing
    with subprocess.Popen(
        command, cwd=config.invocation_params.dir, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ):
        yield


@pytest.fixture(scope="session")
def supervisor() -> Iterator["Supervisor"]:
    """A supervisor of all games, for the locked seats of whoever leaves its zygote as it is: to start one takes a second."""
    from helpers.locked_matches import supervising  # imports most of arena

    with supervising(names()) as opened:
        yield opened


@pytest.fixture
def one_zygote(supervisor: "Supervisor") -> Iterator[None]:
    """All holders, and workers in the test's process, take their locked seats from the zygote of `supervisor`."""
    from helpers.one_zygote import zygote_of

    with zygote_of(supervisor):
        yield


@pytest.fixture
def few_replays(monkeypatch: pytest.MonkeyPatch) -> None:
    """A report has no room for replays: to make them takes longer than all else of a report."""
    monkeypatch.setattr("arena.reports.matches.PAGE_LETTERS", 0)


@pytest.fixture(scope="module")
def poker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Kuhn poker and Leduc hold'em are installed, their rules compiled."""
    with poker_rooms.installed(poker_rooms.GAMES, tmp_path_factory.mktemp("installed")):
        with compiling_more():
            warm_games(poker_rooms.needed(), print)
        yield
