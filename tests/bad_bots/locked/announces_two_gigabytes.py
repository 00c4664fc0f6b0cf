"""Announces a reply of 2 GiB. Expected: malformed; blame: bot."""

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
            from arena.match.sandbox import inmate

            os.write(inmate.SOCKET, b"\x00\x00\x00\x80" + bytes(1000))
            while True:
                pass
        return view.legal[0]
