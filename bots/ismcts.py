"""Searcher: plays out imagined deals that fit what it has seen, and chooses what does best in them. Plays every game.

`params` go to the search as they are: `{iterations: 10000}`, `{method: pimc}`, `{time: 0.1}`. See `arena.search.Settings`.
Idea: information-set Monte Carlo tree search (P. Cowling, E. Powley, D. Whitehouse 2012).
"""

from arena.agent import Agent, View


class Searcher(Agent):
    """The hall's compiled search, as it is."""

    def act(self, view: View) -> str:
        """The best choice of the search."""
        return view.search(**{"iterations": 1000, **self.params}).best
