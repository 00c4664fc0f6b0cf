"""Dreamer: imagines deals, looks at all their cards, and takes what wins most of them. Plays every game.

Perfect-information Monte Carlo, as bridge programs do it: good at plain play, blind to hiding and finding out (M. Ginsberg,
"GIB", 2001; J. Long et al., "Understanding the Success of Perfect Information Monte Carlo Sampling", AAAI 2010).
`params` go to the search as they are, see `arena.search.Settings`.
"""

from arena.agent import Agent, View


class Dreamer(Agent):
    """The hall's compiled search with open cards."""

    def act(self, view: View) -> str:
        """The choice that was best in most worlds."""
        return view.search(**{"iterations": 1000, "method": "pimc", **self.params}).best
