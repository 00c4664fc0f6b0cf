"""Recurses in C until the stack is full. Expected: crash; blame: bot."""

from arena.agent import Agent, View


class Attacker(Agent):
    """Plays five legal decisions, then attacks."""

    games = ("naga",)
    wants_forced = True
    asked = 0

    def act(self, view: View) -> object:
        self.asked += 1
        if self.asked == 6:
            nested = ()
            for _ in range(1_200_000):
                nested = (nested,)
            hash(nested)
        return view.legal[0]
