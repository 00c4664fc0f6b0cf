"""Prints a letter now and then, and never answers. Expected: timeout; blame: bot."""

import os
import time

from arena.agent import Agent, View


class Attacker(Agent):
    """Plays five legal decisions, then attacks."""

    games = ("naga",)
    wants_forced = True
    asked = 0

    def act(self, view: View) -> object:
        self.asked += 1
        if self.asked == 6:
            while True:
                os.write(1, b".")
                time.sleep(0.02)
        return view.legal[0]
