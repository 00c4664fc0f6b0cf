"""Tables that are played on this processor, by one thread or several."""

from functools import partial
from typing import Any, SupportsInt

import numpy as np
from numpy.typing import NDArray

from arena.learning.arrays import Arrays, Indices
from arena.learning.compiled import layout
from arena.learning.compiled.layout import FULL, RESUME, STEP, WAITING
from arena.learning.rivals import Outside, Seating
from arena.learning.threads import Threads


class OnProcessor:
    """The arrays of some tables, and what plays them; implements Playing."""

    def __init__(self, arrays: Arrays, advance: Any, seated: list[Seating], owners: Indices) -> None:
        """`advance`: the game's compiled entry; `seated`: the rivals; `owners`: [seats, seats], the place among them of
        who sits at each seat, a row for each learner's seat; -1 for learners.
        """
        self.arrays = arrays
        """All arrays of the tables."""
        self.features = arrays.features
        """[2 * tables, features]: what learners get."""
        self.truncated = np.zeros(arrays.tables, np.bool_)
        """[tables]: False everywhere."""
        self._advance = advance
        self._owners = owners
        self._outside: list[Outside | None] = [rival.asked(arrays) if rival.asked else None for rival in seated]
        threads, tables = arrays.threads, arrays.tables
        self._threads: Threads[int] | None = Threads(threads) if threads > 1 else None
        self._bounds = [tables * part // threads for part in range(threads + 1)]
        self._bind()

    def choose(self, indices: Any) -> None:
        """Take the learners' choices, one for each table."""
        self.arrays.chosen[:] = indices

    def run(self, task: int) -> int:
        """Do a task at all tables, and ask whom they wait for. Gives 0, or -1 - the first table with an illegal choice."""
        return self._finish(self._call(task))

    def step_one(self, index: SupportsInt) -> int:
        """Play the choice at the only table, without what it costs to look at an array of choices; gives what `run` gives."""
        self.arrays.chosen[0] = index
        waiting = self._calls[0](STEP, 0, 1)
        return self._finish(waiting) if waiting else 0

    def read(self, array: Any) -> NDArray[Any]:
        """An array, or a part of one, in the memory of this process: itself."""
        return array  # type: ignore[no-any-return]

    def write(self, array: Any, values: NDArray[Any]) -> None:
        """Overwrite all of one of the arrays."""
        if values is not array:
            array[:] = values

    def _finish(self, waiting: int) -> int:
        """Ask whom the tables wait for, until they wait for learners alone. `waiting`: what `advance` gave."""
        while waiting > 0:
            self._ask()
            waiting = self._call(RESUME)
        return waiting

    def _call(self, task: int) -> int:
        if self._threads is None:
            return int(self._calls[0](task, 0, self.arrays.tables))
        parts = list(zip(self._calls, self._bounds, self._bounds[1:]))
        if task == STEP and self.arrays.settings[layout.RAISES]:
            for call, first, last in parts:
                found = int(call(layout.CHECK, first, last))
                if found < 0:
                    return found
        return sum(self._threads.run([partial(call, task, first, last) for call, first, last in parts]))

    def _bind(self) -> None:
        """Give the compiled code its arrays, once for each thread; again after one of them was replaced."""
        self._calls = [partial(self._advance, *self.arrays.passed(thread)) for thread in range(self.arrays.threads)]

    def _ask(self) -> None:
        """Let all choose that are waited for, and make room in logs that are full."""
        arrays = self.arrays
        status = arrays.books[:, layout.STATUS]
        if (status == FULL).any():
            arrays.grow_logs()
            self._bind()
        waiting = np.flatnonzero(status == WAITING)
        places = self._owners[arrays.books[waiting, layout.OWN], arrays.books[waiting, layout.SEAT]]
        for place, rival in enumerate(self._outside):
            which = waiting[places == place]
            if rival is not None and len(which):
                rival.choose(which)
