"""What a search gives back: the best action, and what it found out about every legal one.

What searches of one seat remember from decision to decision.
"""

from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

import numpy as np

from arena.engine.contract import Numbers
from arena.engine.game import Game, States
from arena.engine.rng import derive
from arena.search.method import Trees
from arena.search.methods import METHODS
from arena.search.settings import Settings
from arena.search.tree import Nodes, Slots, take_tree
from arena.search.workspace import DECISIONS, DONE, PRIOR_VALUE, RIVAL, SHARE, USED, VALUE, VISITS

PURE = 0.2  # shares below this part of the largest one are noise (S. Ganzfried, T. Sandholm, K. Waugh 2012, "purification")
_CLOSE = 1e-12


@dataclass(frozen=True)
class Choice:
    """One legal action, and what a search found out about it."""

    action: str
    visits: int
    """How many simulations began with this action."""
    value: float
    """Mean reward of these simulations for the seat that searches, on the game's scale (`evaluate` in its rollout.py)."""
    share: float
    """How often to play it, 0 to 1; all shares add up to 1. For simultaneous choices a mixed strategy, else by visits."""


class Findings:
    """What a search found: every legal action with its visits and value, and the best action."""

    def __init__(
        self, game: Game, observed: States, codes: list[int], results: Numbers, counters: Any, asked: Settings, prior: float
    ) -> None:
        """`codes`: the legal list; `results`: a row for each, see workspace.py; `prior`: visits that the priors count as."""
        self._game, self._observed, self._codes, self._results = game, observed, codes, results
        self._asked, self._prior = asked, prior
        self.simulations = int(counters[DONE])
        """How many simulations were played."""
        self.decisions = int(counters[DECISIONS])
        """How many decisions all simulations had together, in the tree and below it."""
        self.nodes = int(counters[USED])
        """How many nodes the trees of all threads have; for `pimc` the trees of the last worlds."""
        self.thread_seconds = 0.0
        """CPU seconds of all threads but the calling one."""

    @cached_property
    def shares(self) -> list[float]:
        """How often to play each action, in the order of the legal list; all shares add up to 1."""
        shares = self._results[:, SHARE]
        weights = shares if shares.sum() > _CLOSE else self._results[:, VISITS]
        return [float(share) for share in np.maximum(weights, 0.0) / max(_CLOSE, np.maximum(weights, 0.0).sum())]

    @cached_property
    def values(self) -> list[float]:
        """Mean reward of each action, in the order of the legal list; minus infinity for an action that was never tried."""
        visits, sums = self._results[:, VISITS], self._results[:, VALUE]
        return [float(total / count) if count else -np.inf for total, count in zip(sums, visits)]

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        """All legal actions, in the order of the legal list."""
        texts = self._game.text.action_texts(self._observed[0], self._codes)
        visits = self._results[:, VISITS]
        rows = zip(texts, visits, self.values, self.shares)
        return tuple(Choice(text, int(count), value, share) for text, count, value, share in rows)

    @cached_property
    def best_code(self) -> int:
        """The code of the action to play: the most visited one, or the best by value where all were tried equally often.

        Of a mixed strategy, an action that is drawn by its share.
        """
        if self._results[:, SHARE].sum() > _CLOSE:
            draw = Random(derive(self._game.without_history(self._observed.tobytes()), "draw", self._asked.seed))
            shares = [share if share >= PURE * max(self.shares) else 0.0 for share in self.shares]
            return draw.choices(self._codes, shares)[0]
        rank: list[tuple[float, float]]
        if METHODS[self._asked.method].trees is Trees.NONE:
            rank = [(value, 0.0) for value in self.expected]
        elif self._results[:, RIVAL].any():
            rank = list(zip(self._results[:, RIVAL].tolist(), self.expected))
        else:
            rank = list(zip(self._results[:, VISITS].tolist(), self.values))
        return self._codes[max(range(len(rank)), key=rank.__getitem__)]

    @property
    def expected(self) -> list[float]:
        """The values, with the priors counted as some more visits."""
        visits, sums = self._results[:, VISITS], self._results[:, VALUE]
        priors = self._results[:, PRIOR_VALUE]
        level = (sums - visits * priors).sum() / max(1.0, visits.sum())
        expected = (sums + self._prior * (level + priors)) / np.maximum(_CLOSE, visits + self._prior)
        return [float(value) if count or self._prior else -np.inf for value, count in zip(expected, visits)]

    @cached_property
    def best(self) -> str:
        """The text of the action to play."""
        return self._game.text.action_texts(self._observed[0], [self.best_code])[0]


class Memory:
    """The trees of one seat's searches in one match: each search goes on from what the one before found out.

    What a search then finds depends on those before it, so two seats need two memories. Only `ismcts` uses a memory.
    """

    def __init__(self) -> None:
        """Start with nothing remembered."""
        self._trees: list[tuple[Nodes, Slots, int]] = []
        self._asked: object = None

    def trees(self, asked: object, threads: int, capacity: int) -> list[tuple[Nodes, Slots, int]]:
        """For each thread its nodes, slots and number of nodes in use; empty trees if `asked` differs from the last search."""
        if asked != self._asked or len(self._trees) != threads or len(self._trees[0][0]) != capacity:
            self._asked = asked
            self._trees = [(*take_tree(capacity), 1) for _ in range(threads)]
        return self._trees

    def keep(self, used: list[int]) -> None:
        """Note how many nodes of each thread's tree are in use."""
        self._trees = [(nodes, slots, count) for (nodes, slots, _), count in zip(self._trees, used)]
