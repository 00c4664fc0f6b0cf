"""Reads the sources of its rivals in the store of bots. Expected: refused; the bot plays on: played, no blame."""

import os
import pathlib

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
                here = pathlib.Path(__file__).parent
                for store in (here.parent, pathlib.Path("/bots")):
                    try:
                        found = [name for name in os.listdir(store) if name != here.name]
                        print("GOT", found[:3])
                        break
                    except OSError as error:
                        print("REFUSED", error)
            except (OSError, TypeError, MemoryError, ValueError, ImportError) as error:
                print("REFUSED", type(error).__name__, error)
        return view.legal[0]
