"""Ends its process with the code of a cell that could not be locked. Expected: crash; blame: bot."""

import os

from arena.agent import Agent, View


class Attacker(Agent):
    """Plays five legal decisions, then attacks."""

    games = ("naga",)
    wants_forced = True
    asked = 0

    def act(self, view: View) -> object:
        self.asked += 1
        if self.asked == 6:
            print("the cell: not my fault")
            os._exit(98)
        return view.legal[0]
