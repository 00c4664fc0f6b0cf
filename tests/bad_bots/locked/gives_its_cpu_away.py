"""Gives the CPU away again and again, so as to seem to get none on a busy machine. Expected: timeout; blame: bot."""

import os

from arena.agent import Agent, View


class Attacker(Agent):
    """Plays five legal decisions, then attacks."""

    games = ("naga",)
    wants_forced = True
    asked = 0

    def act(self, view: View) -> object:
        self.asked += 1
        while self.asked >= 6:
            os.sched_yield()
        return view.legal[0]
