"""What all worker processes share: their environment, and that they end with their parent."""

import contextlib
import ctypes
import os
import signal
import sys
import threading
from collections.abc import Iterator

from arena.errors import ConfigError, printable

HASH_SEED = {"PYTHONHASHSEED": "0"}
"""The environment of every worker: sets of strings iterate in the same order everywhere, so bots that use them repeat."""

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
"""The environment of workers on other machines: a slot is one CPU, and sums in one thread have one order."""

_SET_PARENT_DEATH_SIGNAL = 1  # prctl(2)


MOST_WORKERS = 10_000


def check_workers(workers: int | None) -> None:
    """Raise ConfigError for a number of workers that nobody can have; None: as many as there are CPUs."""
    if workers is not None and workers < 1:
        raise ConfigError(f"--workers: at least 1, not {workers}")
    if workers is not None and workers > MOST_WORKERS:
        raise ConfigError(f"--workers: at most {MOST_WORKERS:,}, not {printable(str(workers), 40)}")


def available_cpus() -> int:
    """How many CPUs this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Hold back Ctrl-C and SIGTERM until the context ends: it ends processes, and must not stop halfway."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are the main thread's business
        return
    before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)  # None: not one of Python's


def die_with_parent(parent: int) -> None:
    """Have this process killed when the thread that started it ends. Linux only; elsewhere the closed pipes end it."""
    if sys.platform != "linux":
        return
    ctypes.CDLL(None, use_errno=True).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before the call
        os._exit(1)
