"""The arrays that a compiled search works in. They are reused: to make them takes longer than a short search."""

import numpy as np

from arena.engine.contract import Numbers
from arena.engine.game import Game
from arena.engine.net import Nets
from arena.engine.rng import Words
from arena.search.workspace import workspace_type
from arena.search.worlds import STATES

_spare: dict[Game, list["Scratch"]] = {}  # taken and given back whole, so that threads cannot share one


class Scratch:
    """The arrays of one search in a game, besides its tree. What a search reads before it writes it are zeros (see `Part`)."""

    def __init__(self, game: Game) -> None:
        """Make the arrays."""
        self.states = np.zeros(STATES, game.rules.STATE)
        self.root = memoryview(self.states.view(np.uint8).data)[: self.states.itemsize]
        """The bytes of the first state, which the search starts from."""
        self.work = np.zeros(1, workspace_type(self.states.itemsize, game.rules.MAX_ACTIONS, max(game.seats)))
        self.sights = self.work[0].sight.view(np.uint8)[: self.states.itemsize].view(game.rules.STATE)
        self.actions = game.new_actions()
        self.priors = np.zeros(game.rules.MAX_ACTIONS)
        self.rewards = np.zeros(max(game.seats))
        self.settings: Words = self.work[0].settings
        self.counters: Words = self.work[0].counters
        self.numbers: Numbers = self.work[0].numbers
        self.results: Numbers = self.work[0].results
        self._nets: Nets | None = None

    def use(self, nets: Nets) -> None:
        """Write the networks of a table into the workspace, unless they are there."""
        if self._nets is not nets:
            self.work[0].nets[: len(nets.numbers)] = nets.numbers
            self._nets = nets


def take_scratch(game: Game) -> Scratch:
    """Arrays that nobody else uses until they are given back."""
    spare = _spare.setdefault(game, [])
    scratch = spare.pop() if spare else Scratch(game)
    scratch.counters[:] = 0
    scratch.results[:] = 0.0
    return scratch


def give_back(game: Game, scratch: Scratch) -> None:
    """Let later searches use the arrays."""
    _spare[game].append(scratch)
