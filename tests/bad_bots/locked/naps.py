"""Naps without end: on a busy machine it is ready to run nearly always, and wants nothing. Expected: timeout; blame: bot."""

import select

from arena.agent import Agent, View


class Attacker(Agent):
    """Plays five legal decisions, then attacks."""

    games = ("naga",)
    wants_forced = True
    asked = 0

    def act(self, view: View) -> object:
        self.asked += 1
        while self.asked >= 6:
            select.select([], [], [], 1e-6)  # time.sleep asks a clock that goes in steps, and may not sleep at all
        return view.legal[0]
