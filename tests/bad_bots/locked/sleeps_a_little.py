"""Sleeps at every decision for less than its clock, which costs no CPU time. Expected: timeout; blame: bot."""

import time

from arena.agent import Agent, View


class Attacker(Agent):
    """Plays five legal decisions, then attacks."""

    games = ("naga",)
    wants_forced = True
    asked = 0

    def act(self, view: View) -> object:
        self.asked += 1
        if self.asked >= 6:
            time.sleep(0.9 * (view.clock.move + view.clock.bank) + 1.5)
        return view.legal[0]
