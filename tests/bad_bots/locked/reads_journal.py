"""Reads the journal and the results of the tournament. Expected: refused; the bot plays on: played, no blame."""

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
            results = self.params["results"]
            for attempt in (lambda: os.listdir(results), lambda: open(results + "/journal.sqlite", "rb").read(9)):
                try:
                    print("GOT", attempt())
                except OSError as error:
                    print("REFUSED", type(error).__name__, error)
        return view.legal[0]
