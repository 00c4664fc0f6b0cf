"""How fresh processes of this machine share locks and memory: by pipes and an open file, which every container has.

Those of `multiprocessing` need /dev/shm, which small containers lack, or have so that nobody may write there.
"""

import contextlib
import mmap
import multiprocessing.context
import multiprocessing.reduction
import os
import select
import tempfile
import time
from typing import Any, cast


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
