"""Burns CPU time. Expected: timeout."""

import time

from arena.agent import Agent, View


class Slow(Agent):
    def act(self, view: View) -> str:
        end = time.thread_time() + float(self.params.get("seconds", 0.05))
        while time.thread_time() < end:
            pass
        return view.legal[0]
