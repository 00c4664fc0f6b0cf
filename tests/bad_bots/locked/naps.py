"""Naps without end: on a busy machine it is ready to run nearly always, and wants nothing. Expected: timeout; blame: bot."""

import time

from arena.agent import Agent, View


class Attacker(Agent):
    """Plays five legal decisions, then attacks."""

    games = ("naga",)
    wants_forced = True
    asked = 0

    def act(self, view: View) -> object:
        self.asked += 1
        while self.asked >= 6:
            time.sleep(1e-6)
        return view.legal[0]
