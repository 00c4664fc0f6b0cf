"""Sets a timer that kills it by a signal. Expected: refused; the bot plays on: played, no blame."""

import signal

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
                signal.alarm(1)
                signal.setitimer(signal.ITIMER_REAL, 0.01)
                print("GOT a timer")
            except (OSError, TypeError, MemoryError, ValueError, ImportError) as error:
                print("REFUSED", type(error).__name__, error)
        return view.legal[0]
