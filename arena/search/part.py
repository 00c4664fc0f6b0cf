"""One thread's part of a search: settings and arrays for the compiled code, and the call of it."""

import threading
import time
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from arena.engine.contract import Numbers
from arena.engine.rng import Words, derive, seed_words
from arena.engine.room import Game, States
from arena.search.method import Trees, bind_search
from arena.search.methods import METHODS
from arena.search.settings import Settings
from arena.search.tree import Nodes, Slots, give_back, take_tree
from arena.search.workspace import (
    BEGAN,
    BY_HALVING,
    BY_POLICY,
    BY_REGRET,
    CHOICES,
    DEPTH,
    EXPANSION,
    EXPLORATION,
    HABIT,
    IN_WORLD,
    MIXING,
    NANOSECONDS,
    NEVER,
    OBSERVER,
    PRIOR,
    REMEMBER,
    SIMULATIONS,
    USED,
    workspace_type,
)
from arena.search.worlds import STATES

REGRET_MIXING = 0.1  # of regret matching: how often a choice is tried for its own sake


class Part:
    """One thread's part of a search: its own tree, its part of the simulations."""

    def __init__(
        self,
        game: Game,
        observed: States,
        seat: int,
        codes: list[int],
        asked: Settings,
        constants: Numbers,
        number: int,
        threads: int,
        tree: tuple[Nodes, Slots, int] | None = None,
    ) -> None:
        """`number`: of this part among all `threads`; `tree`: from a memory, nodes, slots and how many nodes are in use."""
        self._game = game
        self._root = game.from_bytes(observed.tobytes())
        self._rng = seed_words(derive(observed.tobytes(), "search", seat, asked.seed, number))
        asked = _filled(game, asked)
        method = METHODS[asked.method]
        self._search = bind_search(game.package, method)
        self._work = np.zeros(1, _workspace_type(game))
        workspace = self._work[0]
        _write_settings(workspace.settings, seat, len(codes), asked, number, threads)
        is_mixed = bool(workspace.settings[BY_REGRET]) and game.engine.is_simultaneous(observed)
        workspace.settings[BY_HALVING] = method.trees is Trees.SHARED and asked.first == "halving" and not is_mixed
        _write_numbers(workspace.numbers, asked)
        self._constants = constants
        self.prior = float(workspace.numbers[PRIOR])
        self.results = workspace.results[: len(codes)]
        self.counters = workspace.counters
        self._capacity, self._kept_tree = _capacity(asked, max(game.seats)), None
        if tree is not None:
            self._kept_tree = tree[:2]
            workspace.counters[USED] = tree[2]
            workspace.settings[REMEMBER] = 1
        self.seconds = 0.0
        """CPU seconds that this part took."""
        self.thread = threading.Thread(target=lambda: self.run(time.thread_time_ns()))

    def starts(self) -> bool:
        """Start a thread for this part. False where that is not allowed, as in a locked seat."""
        try:
            self.thread.start()
        except RuntimeError:
            return False
        return True

    def run(self, began: int, sharers: int = 1) -> None:
        """Search. `began`: this thread's CPU time, in nanoseconds, from which the time budget counts; `sharers` split it."""
        settings = self._work[0].settings
        settings[BEGAN] = began
        if settings[NANOSECONDS] > 0:
            settings[NANOSECONDS] = max(1, settings[NANOSECONDS] // sharers)
        states = np.concatenate([self._root] * STATES)
        sights = self._work[0].sight.view(np.uint8)[: self._root.nbytes].view(self._root.dtype)
        tree = self._kept_tree or take_tree(self._capacity)
        self._search(
            states,
            sights,
            *tree,
            self._work,
            self._game.new_actions(),
            np.zeros(self._game.rules.MAX_ACTIONS),
            self._constants,
            np.zeros(max(self._game.seats)),
            self._rng,
        )
        if not self._kept_tree:
            give_back(*tree)
        self.seconds = (time.thread_time_ns() - began) / 1e9


@cache
def _workspace_type(game: Game) -> np.dtype[Any]:
    return workspace_type(game.rules.STATE.itemsize, game.rules.MAX_ACTIONS, max(game.seats))


def _capacity(asked: Settings, seats: int) -> int:
    """How many nodes a tree needs: as many as its simulations can add, at most those allowed."""
    trees = METHODS[asked.method].trees
    if trees is Trees.NONE:
        return 1
    simulations = asked.world_iterations if trees is Trees.PER_WORLD else asked.iterations
    if simulations is None or asked.selection == "regret":  # there all choices of a decision join at once
        return asked.nodes
    each = seats + 2  # a choice of each seat, their outcome, what the observer alone has learnt
    return min(asked.nodes, each * simulations + 1)


def _filled(game: Game, asked: Settings) -> Settings:
    """The settings, those left open filled with the room's own. Uniform rollouts use no prior, which goes with the policy."""
    own = game.rollout.DEFAULTS
    if asked.rollout != "policy":
        own = own._replace(prior=0.0, expansion=1, habit=0.0)
    return replace(asked, **{name: value for name, value in own._asdict().items() if getattr(asked, name) is None})


def _write_settings(out: Words, seat: int, choices: int, asked: Settings, number: int, threads: int) -> None:
    out[OBSERVER] = seat
    out[CHOICES] = choices
    out[IN_WORLD] = asked.world_iterations
    out[DEPTH] = asked.evaluate or NEVER
    out[EXPANSION] = asked.expansion or 0
    out[BY_POLICY] = asked.rollout == "policy"
    out[BY_REGRET] = asked.selection == "regret"
    if asked.iterations is not None:
        out[SIMULATIONS] = (asked.iterations + threads - 1 - number) // threads
    if asked.time is not None:
        out[NANOSECONDS] = max(1, int(asked.time * 1e9))


def _write_numbers(out: Numbers, asked: Settings) -> None:
    out[PRIOR] = asked.prior
    out[HABIT] = asked.habit if METHODS[asked.method].trees is Trees.SHARED else 0.0
    out[EXPLORATION] = asked.exploration
    out[MIXING] = REGRET_MIXING
