"""Sends its reply and computes on while nobody asks it. Expected: timeout; blame: bot."""

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
            os.write(inmate.SOCKET, wire.frame(wire.Action(ask.id, 0)))
            while True:
                pass
        return view.legal[0]
