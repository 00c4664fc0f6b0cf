"""Returns a text of 100 MB. Expected: illegal; blame: bot."""

from arena.agent import Agent, View


class Attacker(Agent):
    """Plays five legal decisions, then attacks."""

    games = ("naga",)
    wants_forced = True
    asked = 0

    def act(self, view: View) -> object:
        self.asked += 1
        if self.asked == 6:
            return "x" * 100_000_000
        return view.legal[0]
