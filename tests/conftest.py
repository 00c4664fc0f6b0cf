"""Before the first test: the rules are compiled once, not by each of the parallel test processes."""

import os
import signal
from collections.abc import Iterator

import pytest

from arena.games import names
from arena.workers.compiling import everything
from arena.workers.warmup import warm_rooms
from helpers import poker_rooms

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # hundreds of processes would translate the same sources


LONGEST = "tests/workers/test_cluster.py"
"""Its tests wait for nodes of a cluster to start, to freeze and to be missed."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest without computing: others run meanwhile."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONGEST))


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One more than cores: many tests wait for processes of their own, for nodes, for clocks."""
    return (os.cpu_count() or 1) + 1


def pytest_configure(config: pytest.Config) -> None:
    """Warm all rooms in the process that starts the others."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as nohup and some runners have it; our processes are to end by it
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if not hasattr(config, "workerinput"):
        warm_rooms(everything(names()), print)


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tournaments start no process to ask trusted bots and to play: for tests of what is decided, stored and said.

    Workers have a fixed hash seed and this process has none: set_bot plays differently here.
    """
    from helpers.in_process_backend import start_no_processes  # imports most of arena

    start_no_processes(monkeypatch)


@pytest.fixture(scope="module")
def poker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Kuhn poker and Leduc hold'em are installed, their rules compiled."""
    with poker_rooms.installed(poker_rooms.ROOMS, tmp_path_factory.mktemp("installed")):
        warm_rooms(everything(poker_rooms.NAMES), print)
        yield
