"""Thinks of nothing for a tenth of a second at each selection: two of them together show whether both think at once."""

import time

from arena.agent import Agent, View


class Sleepy(Agent):
    def act(self, view: View) -> str:
        if view.legal[0].startswith("select"):
            time.sleep(0.1)
        return view.legal[0]
