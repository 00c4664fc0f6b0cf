"""Sleeps until it is late, then computes for less than half of its clock and sleeps on. Expected: timeout; blame: bot."""

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
            limit = view.clock.move + view.clock.bank
            time.sleep(limit)
            began = time.thread_time()
            while time.thread_time() - began < 0.47 * limit:
                pass
            time.sleep(3600)
        return view.legal[0]
