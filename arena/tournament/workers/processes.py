"""Worker processes of this machine: pools of fresh ones that end with their parent and leave Ctrl-C to it.

They share locks and memory by pipes and an open file, which every container has. Those of `multiprocessing` need /dev/shm,
which small containers lack, or have so that nobody may write there.
"""

import concurrent.futures
import contextlib
import ctypes
import functools
import mmap
import multiprocessing.context
import multiprocessing.reduction
import os
import select
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any, ParamSpec, TypeVar, cast

from arena.errors import ConfigError, printable
from arena.stopping import FROM_TERMINALS, deferred, heard_by

HASH_SEED = {"PYTHONHASHSEED": "0"}
"""The environment of every worker: sets of strings iterate in the same order everywhere, so bots that use them repeat."""

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
"""The environment of workers on other machines: a slot is one CPU, and sums in one thread have one order."""

_SET_PARENT_DEATH_SIGNAL = 1  # prctl(2)


MOST_WORKERS = 10_000
P = ParamSpec("P")
R = TypeVar("R")


def check_workers(workers: int | None) -> None:
    """Raise ConfigError for a number of workers that nobody can have; None: as many as there are CPUs."""
    if workers is not None and workers < 1:
        raise ConfigError(f"--workers: at least 1, not {workers}")
    if workers is not None and workers > MOST_WORKERS:
        raise ConfigError(f"--workers: at most {MOST_WORKERS:,}, not {printable(str(workers), 40)}")


def available_cpus() -> int:
    """Return how many CPUs this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Hear no Ctrl-C and the like until the context ends: it ends processes, and must not stop halfway."""
    with heard_by(lambda *_: None):
        yield


def die_with_parent(parent: int) -> None:
    """Have this process killed when the thread that started it ends. Linux only; elsewhere the closed pipes end it."""
    if sys.platform != "linux":
        return
    ctypes.CDLL(None, use_errno=True).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before the call
        os._exit(1)


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
    """Keep Ctrl-C and its like from processes that start in this context, and from their start: else they print tracebacks."""
    with deferred():
        before = signal.pthread_sigmask(signal.SIG_BLOCK, FROM_TERMINALS)
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def ignore_ctrl_c() -> None:
    """Ignore Ctrl-C and its like in this worker, which its parent process ends. Processes that it starts inherit this."""
    for number in FROM_TERMINALS:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, FROM_TERMINALS)


class PipeSemaphore:
    """A semaphore whose free places are bytes in a pipe; of one place, a lock. Processes that it is handed to share it."""

    def __init__(self, places: int = 1) -> None:
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._reader, False)  # else two could wait for one byte, and the second one beyond its time
        os.write(self._writer, bytes(places))

    def acquire(self, block: bool = True, timeout: float | None = None) -> bool:
        """Take a place; false: none became free in time."""
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            with contextlib.suppress(BlockingIOError):
                os.read(self._reader, 1)
                return True
            left = 0.0 if not block else None if end is None else end - time.monotonic()
            if left is not None and left <= 0:
                return False
            self._poll(left)

    def release(self) -> None:
        """Give a place back."""
        os.write(self._writer, b"\0")

    @property
    def _semlock(self) -> "PipeSemaphore":  # through it a queue of multiprocessing asks whether it is full
        return self

    def _is_zero(self) -> bool:
        return not self._poll(0.0)

    def _poll(self, seconds: float | None) -> bool:
        poll = select.poll()
        poll.register(self._reader, select.POLLIN)
        return bool(poll.poll(None if seconds is None else 1000 * seconds))

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()

    def __getstate__(self) -> object:
        return tuple(map(_handed_over, (self._reader, self._writer)))

    def __setstate__(self, state: tuple[Any, Any]) -> None:
        self._reader, self._writer = (part.detach() for part in state)

    def __del__(self) -> None:
        for descriptor in (getattr(self, "_reader", None), getattr(self, "_writer", None)):
            if descriptor is not None:
                os.close(descriptor)


class SharedMemory:
    """Memory that processes share to which it is handed; zeros at first."""

    def __init__(self, size: int) -> None:
        self._descriptor = _unnamed_file()
        os.ftruncate(self._descriptor, size)
        self._map()

    def _map(self) -> None:
        self.bytes = memoryview(mmap.mmap(self._descriptor, 0))

    def __getstate__(self) -> object:
        return _handed_over(self._descriptor)

    def __setstate__(self, state: Any) -> None:
        self._descriptor = state.detach()
        self._map()

    def __del__(self) -> None:
        with contextlib.suppress(AttributeError):
            os.close(self._descriptor)


class _Context(multiprocessing.context.SpawnContext):
    def Lock(self) -> Any:  # noqa: N802  # multiprocessing's names
        return PipeSemaphore()

    def BoundedSemaphore(self, value: int = 1) -> Any:  # noqa: N802
        return PipeSemaphore(value)


SPAWNING = _Context()
"""Starts fresh Python processes; pools and queues that are made with it need no /dev/shm."""


def _handed_over(descriptor: int) -> Any:
    """An open file in a form that reaches a process which is being started."""
    multiprocessing.context.assert_spawning(descriptor)
    return cast(Any, multiprocessing.reduction.DupFd)(descriptor)


def _unnamed_file() -> int:
    if hasattr(os, "memfd_create"):
        return os.memfd_create("arena")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())
