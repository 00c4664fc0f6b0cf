"""Closes its channel and lives on. Expected: protocol; blame: bot."""

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
            from arena.match.sandbox import inmate

            os.close(inmate.SOCKET)
            time.sleep(60)
        return view.legal[0]
