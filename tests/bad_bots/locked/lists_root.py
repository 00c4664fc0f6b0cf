"""Lists a folder of the system. Expected: refused; the bot plays on: played, no blame."""

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
            try:
                print("GOT", os.listdir("/etc"))
            except (OSError, TypeError, MemoryError, ValueError, ImportError) as error:
                print("REFUSED", type(error).__name__, error)
        return view.legal[0]
