"""Reads address 0. Expected: crash; blame: bot."""

import ctypes

from arena.agent import Agent, View


class Attacker(Agent):
    """Plays five legal decisions, then attacks."""

    games = ("naga",)
    wants_forced = True
    asked = 0

    def act(self, view: View) -> object:
        self.asked += 1
        if self.asked == 6:
            ctypes.string_at(0)
        return view.legal[0]
