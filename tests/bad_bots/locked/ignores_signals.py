"""Computes without end, all signals blocked. Expected: timeout; blame: bot."""

import signal

from arena.agent import Agent, View


class Attacker(Agent):
    """Plays five legal decisions, then attacks."""

    games = ("naga",)
    wants_forced = True
    asked = 0

    def act(self, view: View) -> object:
        self.asked += 1
        if self.asked == 6:
            signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGXCPU):
                signal.signal(number, signal.SIG_IGN)
            while True:
                pass
        return view.legal[0]
