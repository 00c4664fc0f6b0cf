"""Claims that the host failed. Expected: protocol; blame: bot."""

import os
import sys

from arena.agent import Agent, View


class Attacker(Agent):
    """Plays five legal decisions, then attacks."""

    games = ("naga",)
    wants_forced = True
    asked = 0

    def act(self, view: View) -> object:
        self.asked += 1
        if self.asked == 6:
            from arena.match.sandbox import inmate, wire

            ask = sys._getframe(1).f_locals["ask"]
            os.write(inmate.SOCKET, wire.frame(wire.Failed(ask.id, "host", "not me")))
            while True:
                pass
        return view.legal[0]
