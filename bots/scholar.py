"""Scholar: the hall's search with what each game has learnt from self-play, and the champion's settings elsewhere. Every game.

A network judges the positions in which simulations are cut, and another one says which deals explain what the others did, so
that these are imagined oftener (`arena train`; M. Buro, J. Long, T. Furtak, N. Sturtevant, "Improving state evaluation,
inference, and search in trick-based card games", IJCAI 2009). A third one proposes actions and plays the others, as policy
networks do in AlphaGo (D. Silver et al., Nature 529, 2016). Where a game can solve a position, as Naga its last two contests,
the solution is played instead, a mixed strategy. `params` override the settings.
"""

from typing import Any

from arena.agent import Agent, StartInfo, View
from arena.search import Memory

# By game and seats. A good judge needs no rollout before it: `evaluate` 1. How they compare: docs/house-bots.md.
LEARNT: dict[tuple[str, int], dict[str, Any]] = {
    ("hisatsu", 3): {"iterations": 3_000, "worlds": "net"},
    ("nanatoridori", 2): {"iterations": 1_450, "judge": "net", "worlds": "net", "evaluate": 1},
    ("nanatoridori", 4): {"iterations": 1_200, "proposals": "net", "expansion": 2},
    ("yaniv", 2): {"iterations": 9_000, "worlds": "net"},
}
# For all other tables as the champion, but for its numbers of Nana Toridori, which were found in duels, and for Nertz, where
# simulations look at more: who would win the match, whom a card helps and what it covers.
RULED: dict[str, dict[str, Any]] = {
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
    "naga": {"iterations": 5_000},
    "nanatoridori": {"iterations": 2_000},
    "nertz": {
        "iterations": 4_500,
        "prior": 31.9,
        "constants": {"laid": 1.24, "found": 0.4, "uncover": 3.59, "stake": 1.0, "insight": 1.0},
    },
    "yaniv": {"iterations": 15_000},
}


class Scholar(Agent):
    """The search of the hall with what has been learnt."""

    def start(self, info: StartInfo) -> None:
        """The settings of this table, and an empty memory."""
        self.settings = {"iterations": 2_000, **LEARNT.get((info.game, info.seats), RULED.get(info.game, {})), **self.params}
        self.memory = Memory()

    def act(self, view: View) -> str:
        """An action of the game's own solution where it has one, else the best choice of the search."""
        shares = view.solution()
        if shares is not None:
            return self.rng.choices(view.legal, shares)[0]
        return view.search(memory=self.memory, **self.settings).best
