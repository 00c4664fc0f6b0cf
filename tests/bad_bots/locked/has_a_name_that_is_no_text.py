"""Names its process in bytes that are no text and look like a field, then sleeps. Expected: timeout; blame: bot."""

import ctypes
import time

from arena.agent import Agent, View

PR_SET_NAME = 15


class Attacker(Agent):
    """Plays five legal decisions, then attacks."""

    games = ("naga",)
    wants_forced = True
    asked = 0

    def act(self, view: View) -> object:
        self.asked += 1
        if self.asked == 6:
            ctypes.CDLL(None).prctl(PR_SET_NAME, b"\xff)\rVmPeak: x", 0, 0, 0)
            time.sleep(3600)
        return view.legal[0]
