"""Random play to the end of a match in compiled code, as an evaluator for OpenSpiel's searches."""

import numpy as np

from arena.engine.rng import seed_words
from arena.learning.openspiel.game import ArenaState

_NO_LIMIT = 1 << 40  # decisions


class Rollouts:
    """Evaluates a state by playing it to the end at random, as `mcts.RandomRolloutEvaluator` does, many times as fast."""

    def __init__(self, count: int = 1, seed: int = 0) -> None:
        """`count`: matches that are played for one state; `seed`: 128 bits."""
        self._count = count
        self._rng = seed_words(seed)

    def evaluate(self, state: ArenaState) -> list[float]:
        """The mean returns of the players."""
        node = state.node
        assert node is not None, "chance is drawn before a state is evaluated"
        setup, total = node.setup, np.zeros(node.setup.seats)
        for _ in range(self._count):
            states = node.states.copy()
            setup.game.engine.play_random(states, self._rng, setup.scratch, _NO_LIMIT)
            total += setup.returns(states)
        return [float(value) for value in total / self._count]

    def prior(self, state: ArenaState) -> list[tuple[int, float]]:
        """All legal actions, each as likely as another."""
        actions = state.legal_actions()
        return [(action, 1.0 / len(actions)) for action in actions]
