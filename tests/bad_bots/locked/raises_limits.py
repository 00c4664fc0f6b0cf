"""Raises its own limits. Expected: refused; the bot plays on: played, no blame."""

import resource

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
                resource.setrlimit(resource.RLIMIT_AS, (1 << 40, 1 << 40))
                print("GOT it")
            except (OSError, TypeError, MemoryError, ValueError, ImportError) as error:
                print("REFUSED", type(error).__name__, error)
        return view.legal[0]
