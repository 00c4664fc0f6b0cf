"""Sends a message byte by byte, and never ends it. Expected: timeout; blame: bot."""

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

            os.write(inmate.SOCKET, b"\x00\x80\x00\x00")
            while True:
                os.write(inmate.SOCKET, b"\x01")
                time.sleep(0.02)
        return view.legal[0]
