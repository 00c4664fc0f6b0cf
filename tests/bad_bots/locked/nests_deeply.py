"""Sends a deeply nested message. Expected: malformed; blame: bot."""

import os
import struct

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

            os.write(inmate.SOCKET, struct.pack("<I", 60000) + b"\x91" * 60000)
            while True:
                pass
        return view.legal[0]
