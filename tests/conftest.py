"""Before the first test: the rules are compiled once, not by each of the parallel test processes."""

import os
import signal

import pytest

from arena.games import names
from arena.workers.warmup import warm_rooms


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One more than cores: many tests wait for processes of their own, for nodes, for clocks."""
    return (os.cpu_count() or 1) + 1


def pytest_configure(config: pytest.Config) -> None:
    """Warm all rooms in the process that starts the others."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as nohup and some runners have it; our processes are to end by it
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if not hasattr(config, "workerinput"):
        warm_rooms(names(), print)
