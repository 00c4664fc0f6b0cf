"""Champion: the hall's compiled search with settings of its own for each game. Plays every game.

It imagines deals that fit what it has seen (P. Cowling, E. Powley, D. Whitehouse, "Information set Monte Carlo tree search",
2012), looks at each choice by the room's rule of thumb before it tries it, and goes on from decision to decision of a match.
`params` override the settings of the game, its `constants` one by one.
"""

from typing import Any

from arena.agent import Agent, StartInfo, View
from arena.search import Memory

# By game: as many iterations as take about 50 ms of CPU, and what `arena tune` found to be better than the room's own numbers.
# In brackets what holds with 95%.
SETTINGS: dict[str, dict[str, Any]] = {
    # Found with configs/tune/hisatsu.yaml: 53.9% (50.1% to 57.8%) of 347 new deals, with 1,000 iterations.
    "hisatsu": {
        "iterations": 4_000,
        "constants": {
            "thrift": 0.0977,
            "hiding": 0.0316,
            "ease": 0.0482,
            "opening": 0.119,
            "denial": 0.99,
            "claim": 0.701,
            "whim": 0.0513,
        },
    },
    # Nothing better with configs/tune/naga.yaml: its best has 50.5% (48.6% to 52.3%) of 1,257 new deals, with 200 iterations.
    "naga": {"iterations": 5_000},
    # Found with configs/tune/nanatoridori.yaml: 54.9% (50.7% to 59.0%) of 553 new deals, with 500 iterations.
    "nanatoridori": {
        "iterations": 2_000,
        "exploration": 0.405,
        "constants": {
            "single": 1.7,
            "patience": 0.654,
            "turn": 0.127,
            "sharpness": 1.01,
            "crowd": 0.49,
            "to_move": 0.318,
            "front": 2.33,
            "whim": 0.00796,
        },
    },
    # Found with configs/tune/nertz.yaml: 58.4% (50.9% to 65.8%) of 154 new deals of one round, with 400 iterations.
    "nertz": {"iterations": 5_000, "prior": 31.9, "constants": {"laid": 1.24, "found": 0.168, "uncover": 3.59}},
    # Nothing better with configs/tune/yaniv.yaml: its best has 50.9% (47.7% to 54.1%) of 1,000 new deals, with 200 iterations.
    "yaniv": {"iterations": 15_000},
}


class Champion(Agent):
    """The search of the hall with the best settings that are known."""

    def start(self, info: StartInfo) -> None:
        """The settings of this game, and an empty memory."""
        tuned = SETTINGS[info.game]
        constants = {**tuned.get("constants", {}), **self.params.get("constants", {})}
        self.settings = {**tuned, **self.params, "constants": constants}
        self.memory = Memory()

    def act(self, view: View) -> str:
        """The best choice of the search."""
        return view.search(memory=self.memory, **self.settings).best
