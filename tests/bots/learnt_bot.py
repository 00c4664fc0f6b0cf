"""Plays by a linear policy over the features of its actions, such as a learning program leaves behind, in any game.

Its weights are random here. It says in its end how often something was compiled.
"""

import numpy as np

from arena import games
from arena.agent import Agent, EndInfo, StartInfo, View
from arena.engine import jit


class Learnt(Agent):
    def start(self, info: StartInfo) -> None:
        self.room = games.load(info.game)
        self.weights: np.ndarray | None = None

    def act(self, view: View) -> str:
        features, rows = view.features(), view.action_features()
        assert rows.shape[0] == len(view.legal)
        if self.weights is None:
            self.weights = np.random.default_rng(self.rng.randrange(1 << 30)).normal(size=(features.size, rows.shape[1]))
        return view.legal[int(np.argmax(rows @ (features @ self.weights)))]

    def end(self, result: EndInfo) -> None:
        compiled = sum(jit.compilations(entry)[0] for entry in games.compiled_entries(self.room))
        print(f"compilations {compiled}", flush=True)
