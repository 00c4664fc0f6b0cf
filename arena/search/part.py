"""One thread's part of a search: settings and arrays for the compiled code, and the call of it."""

import threading
import time

from arena.engine.contract import Numbers
from arena.engine.net import BELIEF, ROW, VALUE
from arena.engine.rng import derive, seed_words
from arena.engine.room import Game, States
from arena.search import scratch, tree
from arena.search.settings import Settings
from arena.search.task import task_of
from arena.search.tree import Nodes, Slots
from arena.search.workspace import (
    BEGAN,
    BY_BELIEF,
    BY_HALVING,
    BY_PROPOSAL,
    BY_REGRET,
    BY_VALUE,
    CHOICES,
    NANOSECONDS,
    OBSERVER,
    PRIOR,
    REMEMBER,
    SIMULATIONS,
    USED,
)


class Part:
    """One thread's part of a search: its own tree, its part of the simulations."""

    results: Numbers
    """Once it has run: a row for each legal action, see workspace.py."""

    def __init__(
        self,
        game: Game,
        observed: States,
        seat: int,
        choices: int,
        asked: Settings,
        constants: Numbers,
        number: int,
        threads: int,
        tree: tuple[Nodes, Slots, int] | None = None,
    ) -> None:
        """`choices`: how many legal actions `seat` has; `number`: of this part among all `threads`; `tree`: from a memory,
        nodes, slots and how many nodes are in use.
        """
        self._game = game
        self._observed = observed
        self._root = observed.tobytes()
        self._seat = seat
        self._choices = choices
        self._task = task_of(game, asked)
        self._by_value = asked.judge == "net" and game.nets.has(VALUE)
        self._by_proposal = asked.proposals == "net" and game.nets.numbers[ROW] > 0
        self._by_belief = asked.worlds == "net" and game.nets.has(BELIEF)
        self.prior = float(self._task.numbers[PRIOR])
        """How many visits the priors count as."""
        self._simulations = 0 if asked.iterations is None else (asked.iterations + threads - 1 - number) // threads
        self._constants = constants
        self._tree = tree
        self._thread: threading.Thread | None = None
        self._rng = seed_words(derive(self._root, "search", seat, asked.seed, number))
        self.counters: list[int] = []
        """Once it has run: what has happened, see workspace.py."""
        self.seconds = 0.0
        """CPU seconds that this part took."""

    def starts(self) -> bool:
        """Start a thread for this part. False where that is not allowed, as in a locked seat."""
        self._thread = threading.Thread(target=lambda: self.run(time.thread_time_ns()))
        try:
            self._thread.start()
        except RuntimeError:
            return False
        return True

    def join(self) -> None:
        """Wait until the thread of this part has run."""
        assert self._thread is not None
        self._thread.join()

    def run(self, began: int, sharers: int = 1) -> None:
        """Search. `began`: this thread's CPU time, in nanoseconds, from which the time budget counts; `sharers` split it."""
        arrays = scratch.take_scratch(self._game)
        arrays.root[:] = self._root
        arrays.numbers[:] = self._task.numbers
        self._write_settings(arrays, began, sharers)
        if self._by_value or self._by_belief or self._by_proposal:
            arrays.use(self._game.nets)
        if self._tree is None:
            nodes, slots = tree.take_tree(self._task.nodes)
        else:
            nodes, slots, arrays.counters[USED] = self._tree
        self._task.search(
            arrays.states,
            arrays.sights,
            nodes,
            slots,
            arrays.work,
            arrays.actions,
            arrays.priors,
            self._constants,
            arrays.rewards,
            self._rng,
        )
        if self._tree is None:
            tree.give_back(nodes, slots)
        self.results = arrays.results[: self._choices].copy()
        self.counters = arrays.counters.tolist()
        scratch.give_back(self._game, arrays)
        self.seconds = (time.thread_time_ns() - began) / 1e9

    def _write_settings(self, arrays: scratch.Scratch, began: int, sharers: int) -> None:
        task, out = self._task, arrays.settings
        out[:] = task.settings
        out[OBSERVER] = self._seat
        out[CHOICES] = self._choices
        out[SIMULATIONS] = self._simulations
        out[BEGAN] = began
        out[BY_VALUE] = self._by_value
        out[BY_BELIEF] = self._by_belief
        out[BY_PROPOSAL] = self._by_proposal
        out[REMEMBER] = self._tree is not None
        is_mixed = bool(task.settings[BY_REGRET]) and self._game.engine.is_simultaneous(self._observed)
        out[BY_HALVING] = task.is_halving and not is_mixed
        if task.settings[NANOSECONDS] > 0:
            out[NANOSECONDS] = max(1, task.settings[NANOSECONDS] // sharers)
