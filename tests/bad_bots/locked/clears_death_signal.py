"""Clears its parent-death signal to outlive the worker. Expected: refused; the bot plays on: played, no blame."""

import ctypes

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
                libc = ctypes.CDLL(None, use_errno=True)
                if libc.prctl(1, 0, 0, 0, 0) < 0:
                    raise OSError(ctypes.get_errno(), "prctl")
                print("GOT it")
            except (OSError, TypeError, MemoryError, ValueError, ImportError) as error:
                print("REFUSED", type(error).__name__, error)
        return view.legal[0]
