"""Learner: plays what the game's learnt policy likes best, and does not search. Plays every game.

The policy is a small network that imitates searches (S. Ross, G. Gordon, J. Bagnell 2011, "A reduction of imitation learning
to no-regret online learning"), or in Nana Toridori has learnt what each choice brings (D. Zha et al. 2021, "DouZero"):
`arena train`. It sees what the seat sees, and needs about a hundredth of a search's time. Where a game has learnt none, or none
for so many seats, Learner searches a little instead; `params` go to that search.
"""

from arena.agent import Agent, View


class Learner(Agent):
    """The likeliest action of the policy."""

    def act(self, view: View) -> str:
        """The likeliest action, or that of a short search where there is no policy."""
        if not view.has_policy:
            return view.search(**{"iterations": 20, **self.params}).best
        shares = view.policy()
        return view.legal[shares.index(max(shares))]
