"""Recurses in C until the stack is full. Expected: crash; blame: bot."""

import sys

from arena.agent import Agent, View


class Attacker(Agent):
    """Plays five legal decisions, then attacks."""

    games = ("naga",)
    wants_forced = True
    asked = 0

    def act(self, view: View) -> object:
        self.asked += 1
        if self.asked == 6:
            sys.setrecursionlimit(1 << 30)
            nested = []
            for _ in range(1_000_000):
                nested = [nested]
            repr(nested)
        return view.legal[0]
