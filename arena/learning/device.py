"""What tables are played on, if not by this process itself: a graphics card, as tables know it."""

from collections.abc import Sequence
from typing import Any, Protocol

from numpy.typing import NDArray

from arena.engine.cuda.source import Source
from arena.errors import ConfigError

FEATURE_TYPES = ("float32", "float16", "uint8")
"""What a card can write features as."""


class Device(Protocol):
    """Memory, and functions that run with a lane for each table, in the order in which they are asked for."""

    @property
    def name(self) -> str:
        """What its maker calls it."""
        ...

    def zeros(self, shape: Sequence[int], dtype: Any) -> Any:
        """An array of zeros with its first axis side by side. Raises MemoryError, which is a ConfigError, too."""
        ...

    def put(self, array: NDArray[Any]) -> Any:
        """A copy of an array there."""
        ...

    def write(self, out: Any, array: NDArray[Any]) -> None:
        """Overwrite all of an array there."""
        ...

    def copy(self, out: Any, source: Any) -> None:
        """Overwrite an array [n] there by another one there. Raises ConfigError for one of another shape or kind."""
        ...

    def read(self, array: Any) -> NDArray[Any]:
        """A copy of an array here; waits for all that was asked before."""
        ...

    def is_ready(self, source: Source) -> bool:
        """Whether a function needs no compiling."""
        ...

    def prepare(self, source: Source) -> Any:
        """Compile a function, or take it from the cache; gives what `run` gets."""
        ...

    def free_memory(self) -> int:
        """How many bytes of memory nobody has."""
        ...

    def synchronize(self) -> None:
        """Wait for all that was asked before."""
        ...

    def run(self, prepared: Any, lanes: int, records: Any, places: Any, number: int) -> None:
        """Run a function with a lane for each table. Does not wait for it."""
        ...


def device_of(name: str, stream: Any) -> Device:
    """The card that is called `cuda` or `cuda:N`. `stream`: of the caller, or None. Raises ConfigError."""
    kind, _, number = name.partition(":")
    if kind != "cuda" or not (number or "0").isdecimal():
        raise ConfigError(f"device: no {name!r}; give cpu, cuda, or cuda:N for another card than the first")
    try:
        from arena.engine.cuda.card import Card  # nobody else waits for it
    except ImportError:
        raise ConfigError("device: tables on a graphics card need numba-cuda: pip install 'arena-hall[cuda]'") from None
    return Card(int(number or 0), stream)
