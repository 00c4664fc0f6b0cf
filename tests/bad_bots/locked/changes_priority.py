"""Takes more than its share: priority and affinity. Expected: refused; the bot plays on: played, no blame."""

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
            for attempt in (lambda: os.nice(-5), lambda: os.nice(5), lambda: os.sched_setaffinity(0, [0])):
                try:
                    print("GOT it", attempt())
                except OSError as error:
                    print("REFUSED", type(error).__name__, error)
        return view.legal[0]
