"""Looks for secrets in its environment and arguments. Expected: refused; the bot plays on: played, no blame."""

import os
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
            try:
                harmless = {"PATH", "HOME", "LANG"}
                secrets = {name: value for name, value in os.environ.items() if name not in harmless}
                print("GOT" if secrets else "REFUSED", secrets)
            except (OSError, TypeError, MemoryError, ValueError, ImportError) as error:
                print("REFUSED", type(error).__name__, error)
        return view.legal[0]
