"""Sends itself a real-time signal, which Python has no name for. Expected: refused; the bot plays on: played, no blame."""

import signal
import threading

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
                signal.pthread_kill(threading.get_ident(), 35)
                print("GOT it")
            except (OSError, TypeError, MemoryError, ValueError, ImportError) as error:
                print("REFUSED", type(error).__name__, error)
        return view.legal[0]
