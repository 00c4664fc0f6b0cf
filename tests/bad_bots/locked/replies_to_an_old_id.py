"""Replies to a request of the past. Expected: protocol; blame: bot."""

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

            os.write(inmate.SOCKET, wire.frame(wire.Action(1, 0)))
        return view.legal[0]
