"""The lanes of a card on this processor: the functions that a card runs, over arrays laid out as there."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena import games
from arena.engine import jit
from arena.engine.cuda.source import Source
from arena.learning.compiled import lanes


class ProcessorLanes:
    """A device (arena/learning/device.py) whose memory is that of this process.

    `advance_lane` is compiled; the others, which tests ask little of, are plain Python.
    """

    name = "lanes on the processor"

    def __init__(self) -> None:
        self.ran: list[str] = []
        """The functions that ran, in order."""
        self.reads = 0
        """How often somebody waited for the device."""

    def zeros(self, shape: Sequence[int], dtype: Any) -> NDArray[Any]:
        """As of a device."""
        return np.zeros(shape, dtype, order="F")

    def put(self, array: NDArray[Any]) -> NDArray[Any]:
        """As of a device."""
        return np.array(array, order="F")

    def write(self, out: NDArray[Any], array: NDArray[Any]) -> None:
        """As of a device."""
        out[...] = array

    def copy(self, out: NDArray[Any], source: NDArray[Any]) -> None:
        """As of a device."""
        out[...] = source

    def read(self, array: NDArray[Any]) -> NDArray[Any]:
        """As of a device: a copy."""
        self.reads += 1
        return np.array(array)

    def free_memory(self) -> int:
        """As of a device."""
        return 0

    def synchronize(self) -> None:
        """As of a device."""

    def is_ready(self, source: Source) -> bool:
        """As of a device."""
        return True

    def prepare(self, source: Source) -> tuple[str, Callable[..., None]]:
        """As of a device."""
        if source.lane is lanes.advance_lane:
            return source.name, compiled(source.game.name)
        return source.name, _plain(source.lane)

    def run(self, prepared: tuple[str, Callable[..., None]], tables: int, records: Any, places: Any, number: int) -> None:
        """As of a device."""
        name, function = prepared
        self.ran.append(name)
        function(records, places.reshape(-1, 4), number, tables)


@cache
def compiled(game: str) -> Callable[..., None]:
    """`advance_lanes` of a game."""
    loaded = games.load(game)
    games.encoding(loaded)
    return jit.bind(lanes.advance_lanes, jit.tables_of(loaded.package))


def _plain(lane: Callable[..., None]) -> Callable[..., None]:
    def run(records: Any, places: Any, number: int, tables: int) -> None:
        for table in range(tables):
            lane(records, places, number, table)

    return run
