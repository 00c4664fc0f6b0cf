"""Locks and memory that processes share without /dev/shm."""

import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import synchronize
from pathlib import Path

import pytest

from arena.tournament.workers.backend import NOTE_BYTES, Waiting
from arena.tournament.workers.local import Notes
from arena.tournament.workers.processes import SPAWNING, PipeSemaphore, SharedMemory, WorkerPool


@pytest.fixture
def without_semaphores(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The system's semaphores are refused, as where /dev/shm is missing or can only be read."""

    def refuse(*_args: object, **_named: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(synchronize.SemLock, "__init__", refuse)
    yield


def _ready() -> None:
    pass


def _double(number: int) -> int:
    return 2 * number


_notes: list[Notes] = []


def _keep(notes: Notes) -> None:
    _notes[:] = [notes]
    _notes.append(Waiting(notes.claim()))  # type: ignore[arg-type]


def _wait_for(match: int, seat: int) -> None:
    waiting: Waiting = _notes[1]  # type: ignore[assignment]
    waiting.begin(match)
    waiting.waits_for(seat)


@pytest.mark.usefixtures("without_semaphores")
def test_a_pool_of_workers_needs_no_semaphores() -> None:
    with WorkerPool(2, _ready) as pool:
        assert list(pool.map(_double, range(100))) == [2 * number for number in range(100)]


@pytest.mark.usefixtures("without_semaphores")
def test_a_worker_that_ends_breaks_the_pool_and_holds_up_nobody() -> None:
    with ProcessPoolExecutor(1, SPAWNING) as pool, pytest.raises(Exception, match="terminated abruptly"):
        pool.submit(os._exit, 1).result(timeout=60)


@pytest.mark.usefixtures("without_semaphores")
def test_notes_of_workers_are_read_when_they_are_gone() -> None:
    notes = Notes(1)
    with WorkerPool(1, _keep, notes) as pool:
        pool.submit(_wait_for, 7, 2).result(timeout=60)
    assert notes.waited_for([7]) == {7: 2} and notes.waited_for([8]) == {}


def test_each_worker_has_a_place_of_its_own() -> None:
    notes = Notes(3)
    places = [notes.claim() for _ in range(3)]
    for number, place in enumerate(places):
        place[:] = bytes([number]) * NOTE_BYTES
    assert [place[0] for place in places] == [0, 1, 2]


def test_a_semaphore_has_as_many_places_as_were_asked_for() -> None:
    semaphore = PipeSemaphore(2)
    assert [semaphore.acquire(block=False) for _ in range(3)] == [True, True, False]
    assert not semaphore.acquire(timeout=0.01)
    semaphore.release()
    assert semaphore.acquire(timeout=1.0)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_what_is_shared_is_closed_with_its_last_holder() -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    semaphore, memory = PipeSemaphore(), SharedMemory(100)
    assert len(list(Path("/proc/self/fd").iterdir())) > before
    memory.bytes[3] = 1
    del semaphore, memory
    assert len(list(Path("/proc/self/fd").iterdir())) == before
