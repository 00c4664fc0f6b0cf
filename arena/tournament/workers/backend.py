"""What the driver needs of a pool of workers. The two backends are local.py and ray/backend.py."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from arena.tournament.formats.stages import Stage
from arena.tournament.workers.worker import FIRST, Chunk, Past

Ticket: TypeAlias = Hashable


@dataclass(frozen=True)
class Lost:
    """A chunk whose worker was lost before it answered. Nobody knows which of its matches is to blame, if any."""

    reason: str
    waited_for: Mapping[int, int] = field(default_factory=dict)
    """The seats that its matches waited for when the worker ended, by index of the match, where that is known."""


class Backend(Protocol):
    """A pool of workers for one job; a context manager that leaves no process behind."""

    falls_together: bool
    """Whether the loss of one worker loses the chunks of all others too."""

    stage: Stage | None
    """The stage that the next chunks belong to; None: the job's plan is complete without stages."""

    @property
    def slots(self) -> int:
        """How many chunks run at the same time."""
        ...

    def submit(self, indices: Sequence[int], past: Past = FIRST) -> Ticket:
        """Start a chunk as soon as a worker is free.

        `past`: what earlier attempts at these matches left.
        """
        ...

    def wait(self, seconds: float) -> list[tuple[Ticket, Chunk | Lost]]:
        """The chunks that have ended, after at most `seconds`."""
        ...

    def compile(self, game: str, part: str) -> bool:
        """Have a part of a game compiled on the workers' machines before they play on; false: they are this machine."""
        ...

    def cancel(self, ticket: Ticket) -> None:
        """Kill the worker of a chunk that takes too long; the chunk is then reported as lost."""
        ...

    def close(self) -> None:
        """End all workers of this backend."""
        ...
