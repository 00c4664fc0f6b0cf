"""Pools of worker processes on this machine. They leave Ctrl-C to the process that made them, and end with it."""

import concurrent.futures
import contextlib
import functools
import os
import signal
from collections.abc import Callable, Iterator
from typing import ParamSpec, TypeVar

from arena.tournament.workers.processes import die_with_parent
from arena.tournament.workers.spawning import SPAWNING

P = ParamSpec("P")
R = TypeVar("R")


class WorkerPool(concurrent.futures.ProcessPoolExecutor):
    """Freshly started Python processes, each made ready by `prepare(*arguments)`."""

    def __init__(self, workers: int, prepare: Callable[..., None], *arguments: object) -> None:
        """Start no process yet: each starts when there is work for it."""
        begin = functools.partial(_begin, os.getpid(), prepare, *arguments)
        super().__init__(workers, mp_context=SPAWNING, initializer=begin)

    def submit(self, function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> concurrent.futures.Future[R]:
        """Queue a call. A new process is started only if none is idle."""
        with children_deaf_to_ctrl_c():
            return super().submit(function, *args, **kwargs)


def _begin(parent: int, prepare: Callable[..., None], *arguments: object) -> None:
    ignore_ctrl_c()
    die_with_parent(parent)
    prepare(*arguments)


@contextlib.contextmanager
def children_deaf_to_ctrl_c() -> Iterator[None]:
    """Keep Ctrl-C from processes that start in this context: a process that is not ready yet would print a traceback."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def ignore_ctrl_c() -> None:
    """Ignore Ctrl-C in this worker, which its parent process ends. Processes that it starts inherit this."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
