"""What a locked seat talks to, without a process behind it; and whose fault an answer can be."""

from arena.match.sandbox.child import Child
from arena.match.sandbox.processor import Turns
from arena.match.sandbox.watch import MemoryWatch
from arena.records import Ending

BLAMED = {Ending.ILLEGAL, Ending.MALFORMED, Ending.PROTOCOL, Ending.CRASH, Ending.MEMORY, Ending.TIMEOUT, Ending.OUTPUT}


class Nobody(Child):
    """A child without a process: only its channel is real."""

    def kill(self) -> None:
        pass

    def has_ended(self, seconds: float = 0.0) -> bool:
        return True

    def cpu(self) -> float:
        return 0.0


class NoKeeper:
    """A supervisor that has no processes."""

    level = "locked"
    watch = MemoryWatch()
    turns = Turns()

    def slow(self) -> None:
        pass

    def status(self, child: Child) -> int:
        return 0

    def drop(self, child: Child) -> None:
        pass
