"""Searches its own memory, which was the zygote's, for other bots' parameters. Expected: refused; the bot plays on: played, no blame."""

import gc

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
                found = [
                    text
                    for text in gc.get_objects()
                    if isinstance(text, dict) and "parameter-of-the-rival" in map(str, text.values())
                ]
                print("GOT" if found else "REFUSED", len(found))
            except (OSError, TypeError, MemoryError, ValueError, ImportError) as error:
                print("REFUSED", type(error).__name__, error)
        return view.legal[0]
