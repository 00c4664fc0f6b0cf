"""Replies twice to one request: the second is meant for the next one. Expected: protocol; blame: bot."""

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
            from arena.match.sandbox import inmate, wire
            import gc, sys

            frame = sys._getframe(1)
            ask = frame.f_locals["ask"]
            data = wire.frame(wire.Action(ask.id, 0))
            os.write(inmate.SOCKET, data + data)
        return view.legal[0]
