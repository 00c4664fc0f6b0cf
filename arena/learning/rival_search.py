"""Rivals of learning programs that search, in compiled code: `search:200` is `view.search(iterations=200)`."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np

from arena.engine.room import Game
from arena.errors import ConfigError
from arena.learning.arrays import Arrays, Indices
from arena.learning.parts import search_entry
from arena.search import Settings
from arena.search.scratch import Scratch
from arena.search.task import task_of
from arena.search.tree import take_tree

PREFIX = "search:"


def iterations_of(name: str, where: str) -> int:
    """The number in `search:200`. Raises ConfigError; `where`: before what is wrong."""
    text = name.removeprefix(PREFIX)
    if not text.isascii() or not text.isdigit() or not int(text):
        raise ConfigError(f"{where}{name!r}: give the number of iterations, such as search:200")
    return Settings(iterations=int(text)).iterations or 0


class AskedSearch:
    """Searches at all its tables, in as many threads as the tables have; implements Outside."""

    def __init__(self, iterations: int, game: Game, arrays: Arrays) -> None:
        """Make the arrays ready, and compile the search if the cache does not have it."""
        self._iterations = iterations
        self._arrays = arrays
        self._search = search_entry(game)
        self._threads = [_Thread(game, iterations) for _ in range(arrays.threads)]
        self._pool = ThreadPoolExecutor(len(self._threads)) if len(self._threads) > 1 else None

    def choose(self, which: Indices) -> None:
        """Write what the searches choose into `chosen`."""
        parts = np.array_split(which, len(self._threads))
        calls = [partial(self._choose, thread, part) for thread, part in zip(self._threads, parts) if len(part)]
        if self._pool is None:
            for call in calls:
                call()
        else:
            for future in [self._pool.submit(call) for call in calls]:
                future.result()

    def _choose(self, thread: "_Thread", which: Indices) -> None:
        arrays, scratch, task = self._arrays, thread.scratch, thread.task
        self._search(
            which, arrays.states, arrays.books, arrays.chosen, task.settings, task.numbers, self._iterations, task.is_halving,
            scratch.states, scratch.sights, thread.nodes, thread.slots, scratch.work, scratch.actions, scratch.priors,
            arrays.constants, scratch.rewards, thread.rng,
        )  # fmt: skip


class _Thread:
    """What one thread searches with."""

    def __init__(self, game: Game, iterations: int) -> None:
        self.task = task_of(game, Settings(iterations=iterations))
        self.scratch = Scratch(game)
        self.nodes, self.slots = take_tree(self.task.nodes)
        self.rng = np.zeros(4, np.int64)
