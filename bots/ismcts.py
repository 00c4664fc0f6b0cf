"""Searcher: plays out imagined deals that fit what it has seen, and chooses what does best in them. Plays every game.

`params` go to the search as they are: `{iterations: 10000}`, `{method: flat}`, `{time: 0.1}`. See `arena.search.Settings`.
Idea: information-set Monte Carlo tree search (P. Cowling, E. Powley, D. Whitehouse 2012).
"""

from arena.agent import Agent, StartInfo, View
from arena.search import Memory


class Searcher(Agent):
    """The hall's compiled search, as it is; each decision goes on from what the one before found out."""

    def start(self, info: StartInfo) -> None:
        """Begin with an empty memory."""
        self.memory = Memory()

    def act(self, view: View) -> str:
        """The best choice of the search."""
        return view.search(self.memory, **{"iterations": 1000, **self.params}).best
