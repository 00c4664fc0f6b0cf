"""Ends its process without a word. Expected: host, as without isolation the worker dies with the seat."""

import os

from arena.agent import Agent, View


class Dies(Agent):
    def act(self, view: View) -> str:
        os._exit(9)
