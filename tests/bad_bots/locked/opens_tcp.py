"""Connects by TCP. Expected: refused; the bot plays on: played, no blame."""

import socket

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
                socket.socket(socket.AF_INET, socket.SOCK_STREAM)  # to connect could fail for want of a listener
                print("GOT a socket")
            except (OSError, TypeError, MemoryError, ValueError, ImportError) as error:
                print("REFUSED", type(error).__name__, error)
        return view.legal[0]
