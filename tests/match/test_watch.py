"""The memory watch: it sees a process whatever its name, and an error costs the child that it looked at, never the watch."""

import os
import threading
from pathlib import Path

import pytest

from arena.match.sandbox import kernel, pressure, watch
from arena.records import Limits

LIMITS = Limits(memory=1 << 40)
SECONDS = 60.0


class Watched:
    """Stands for a child."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.killed_for: str | None = None
        self.is_dead = threading.Event()

    def kill_for(self, reason: str) -> None:
        self.killed_for = reason
        self.kill()

    def kill(self) -> None:
        self.is_dead.set()


def test_a_child_that_cannot_be_looked_at_is_killed_and_the_others_are_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    def excess(pid: int, limits: Limits) -> str:
        if pid == 1:
            raise UnicodeDecodeError("utf-8", b"\xff", 0, 1, "a name")
        return "took too much" if pid == 2 else ""

    monkeypatch.setattr(watch, "excess", excess)
    memory, broken, greedy, calm = watch.MemoryWatch(), Watched(1), Watched(2), Watched(3)
    for child in (calm, broken):
        memory.add(child, LIMITS)  # type: ignore[arg-type]
    assert broken.is_dead.wait(SECONDS) and broken.killed_for is None  # a host fault, until it happens too often
    memory.add(greedy, LIMITS)  # type: ignore[arg-type]
    assert greedy.is_dead.wait(SECONDS) and greedy.killed_for == "took too much"
    assert not calm.is_dead.is_set()


def test_a_child_that_cannot_be_killed_does_not_end_the_watch_either(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stubborn(Watched):
        def kill(self) -> None:
            super().kill()
            raise OSError("a bad descriptor")

    monkeypatch.setattr(watch, "excess", lambda pid, limits: "took too much")
    memory, stubborn, greedy = watch.MemoryWatch(), Stubborn(1), Watched(2)
    memory.add(stubborn, LIMITS)  # type: ignore[arg-type]
    assert stubborn.is_dead.wait(SECONDS)
    memory.add(greedy, LIMITS)  # type: ignore[arg-type]
    assert greedy.is_dead.wait(SECONDS)


@pytest.mark.skipif(not kernel.is_known(), reason="Linux alone")
def test_the_memory_of_a_process_is_seen_whatever_its_name() -> None:
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        Path("/proc/self/comm").write_bytes(b"\xff\xfe:\x85 1\x1cRss")
        os.close(writer)
        os.read(reader, 1)
        os._exit(0)
    os.close(reader)
    try:
        while not Path(f"/proc/{pid}/comm").read_bytes().startswith(b"\xff"):
            pass
        assert watch.excess(pid, LIMITS) == ""
        assert "MB of memory" in watch.excess(pid, Limits(memory=1))
    finally:
        os.close(writer)
        os.waitpid(pid, 0)
    assert watch.excess(pid, Limits(memory=1)) == ""  # it is gone


def test_a_process_that_is_there_and_tells_nothing_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pressure, "status", lambda folder: {})
    if Path(f"/proc/{os.getpid()}").exists():
        with pytest.raises(OSError, match="cannot be read"):
            watch.excess(os.getpid(), LIMITS)
