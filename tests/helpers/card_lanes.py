"""A graphics card for tests on machines without one: arena's own code for cards, over a stand-in for NVIDIA's driver.

Memory of the card is memory of the process, so that this processor can run the lanes where a kernel would.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from arena.engine.cuda.source import Source
from arena.learning.compiled.lanes import LANE_ORDER
from helpers.cuda_driver import Launch, StandIn
from helpers.lanes import ProcessorLanes

PTX = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry {name}(.param .u64 lanes, .param .u64 records, .param .u64 places, .param .u64 number)
{{
    ret;
}}
"""
"""A kernel that does nothing, with the parameters of ours."""


def let_lanes_run(stand_in: StandIn) -> list[Launch]:
    """Let launches of kernels run their lanes at the addresses that they are given; gives the launches, a list that grows.

    Only the compiling is left out: kernels are loaded, started and given their parameters as on a card.
    """
    from arena.engine.cuda import card, kernels

    lanes, known, launches = ProcessorLanes(), dict[str, tuple[Source, Any]](), list[Launch]()

    def kernel(source: Source, _capability: tuple[int, int]) -> kernels.Kernel:
        name = re.sub(r"\W", "_", f"{source.game.name}_{source.name}")
        known[name] = source, lanes.prepare(source)
        return kernels.Kernel(name, PTX.format(name=name).encode())

    def run(asked: Launch) -> None:
        launches.append(asked)
        source, prepared = known[asked.kernel]
        tables, records, rows, number = asked.parameters
        places = stand_in.memory(rows, len(LANE_ORDER) * 4, np.int64).reshape(-1, 4)
        for row in places:
            assert not row[1] or len(stand_in.memory(int(row[0]), 1, np.uint8)), "an array is not on the card"
        lanes.run(prepared, tables, stand_in.memory(records, tables, source.game.rules.STATE), places, number)

    replace: Callable[..., None] = setattr
    replace(card, "kernel", kernel)
    replace(card, "path_of", lambda *_: Path(__file__))  # nothing is said to be compiled
    stand_in.on_launch(run)
    return launches


class Shown:
    """Memory of the card as other libraries show theirs: by `__cuda_array_interface__` alone."""

    def __init__(self, array: Any, **changed: Any) -> None:
        """`changed`: what the description has instead."""
        self._array = array
        described = {**array.__cuda_array_interface__, "strides": None, **changed}
        self.__cuda_array_interface__ = {name: value for name, value in described.items() if value != "left out"}
