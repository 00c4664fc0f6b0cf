"""Makes a call of the x32 table, which filters may forget. Expected: crash; blame: bot."""

import ctypes

from arena.agent import Agent, View


class Attacker(Agent):
    """Plays five legal decisions, then attacks."""

    games = ("naga",)
    wants_forced = True
    asked = 0

    def act(self, view: View) -> object:
        self.asked += 1
        if self.asked == 6:
            libc = ctypes.CDLL(None)
            libc.syscall(0x40000000 + 41, 2, 1, 0)
        return view.legal[0]
