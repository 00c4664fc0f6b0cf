"""What a compiled search is told: the settings as numbers, worked out once for a game and copied for each search.

One thread's part of a search: settings and arrays for the compiled code, and the call of it.
"""

import threading
import time
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from arena.engine.contract import Numbers
from arena.engine.game import Game, States
from arena.engine.net import BELIEF, ROW, VALUE
from arena.engine.rng import Words, derive, seed_words
from arena.search import scratch, tree
from arena.search.method import Search, Trees, bind_search
from arena.search.methods import METHODS
from arena.search.settings import SETTINGS_KEPT, Settings
from arena.search.tree import Nodes, Slots
from arena.search.workspace import (
    BEGAN,
    BY_BELIEF,
    BY_HALVING,
    BY_POLICY,
    BY_PROPOSAL,
    BY_REGRET,
    BY_VALUE,
    CHOICES,
    DEPTH,
    EXPANSION,
    EXPLORATION,
    FIRST_MEAN,
    HABIT,
    IN_WORLD,
    MIXING,
    NANOSECONDS,
    NEVER,
    OBSERVER,
    PRIOR,
    REMEMBER,
    SETTINGS,
    SIMULATIONS,
    TEMPER,
    TRUST,
    USED,
)

REGRET_MIXING = 0.1  # of regret matching: how often a choice is tried for its own sake


class Task(NamedTuple):
    """What all searches of a game with the same settings have in common. The arrays are only read."""

    search: Search
    trees: Trees
    settings: Words
    """[SETTINGS]: see workspace.py; without the places that differ from search to search."""
    numbers: Numbers
    """[FIRST_MEAN + seats]: no reward seen yet."""
    nodes: int
    """How many nodes a tree of one search needs."""
    is_halving: bool
    """Whether the root's choices go by sequential halving, unless they go by regret."""


@lru_cache(SETTINGS_KEPT)
def task_of(game: Game, asked: Settings) -> Task:
    """The task of searches with these settings. Their constants are no part of it."""
    asked = _filled(game, asked)
    method = METHODS[asked.method]
    return Task(
        bind_search(game.package, method),
        method.trees,
        _settings(asked),
        _numbers(asked, max(game.seats)),
        _nodes(asked, max(game.seats)),
        method.trees is Trees.SHARED and asked.first == "halving",
    )


def _filled(game: Game, asked: Settings) -> Settings:
    """The settings, those left open filled with the game's own. Uniform rollouts use no prior, which goes with the policy."""
    own = game.rollout.DEFAULTS
    if asked.rollout != "policy":
        own = own._replace(prior=0.0, expansion=1, habit=0.0)
    return replace(asked, **{name: value for name, value in own._asdict().items() if getattr(asked, name) is None})


def _nodes(asked: Settings, seats: int) -> int:
    """How many nodes a tree needs: as many as its simulations can add, at most those allowed."""
    trees = METHODS[asked.method].trees
    if trees is Trees.NONE:
        return 1
    simulations = asked.world_iterations if trees is Trees.PER_WORLD else asked.iterations
    if simulations is None or asked.selection == "regret":  # there all choices of a decision join at once
        return asked.nodes
    each = seats + 2  # a choice of each seat, their outcome, what the observer alone has learnt
    return min(asked.nodes, each * simulations + 1)


def _settings(asked: Settings) -> Words:
    out = np.zeros(SETTINGS, np.int64)
    out[IN_WORLD] = asked.world_iterations
    out[DEPTH] = asked.evaluate or NEVER
    out[EXPANSION] = asked.expansion or 0
    out[BY_POLICY] = asked.rollout == "policy"
    out[BY_REGRET] = asked.selection == "regret"
    if asked.time is not None:
        out[NANOSECONDS] = max(1, int(asked.time * 1e9))
    return out


def _numbers(asked: Settings, seats: int) -> Numbers:
    out = np.zeros(FIRST_MEAN + seats)
    out[PRIOR] = asked.prior
    out[HABIT] = asked.habit if METHODS[asked.method].trees is Trees.SHARED else 0.0
    out[EXPLORATION] = asked.exploration
    out[MIXING] = REGRET_MIXING
    out[TEMPER] = asked.temper
    out[TRUST] = asked.trust
    return out


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
        seats = game.seats_at(observed)
        self._nets = game.nets.at(seats)
        self._by_value = asked.judge == "net" and self._nets.has(VALUE)
        self._by_proposal = asked.proposals == "net" and self._nets.numbers[ROW] > 0
        if self._by_proposal:
            game.check_policy(seats)
        self._by_belief = asked.worlds == "net" and self._nets.has(BELIEF)
        self.prior = float(self._task.numbers[PRIOR])
        """How many visits the priors count as."""
        self._simulations = 0 if asked.iterations is None else (asked.iterations + threads - 1 - number) // threads
        self._constants = constants
        self._tree = tree
        self._thread: threading.Thread | None = None
        self._rng = seed_words(derive(game.without_history(self._root), "search", seat, asked.seed, number))
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
            arrays.use(self._nets)
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
