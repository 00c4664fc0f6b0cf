"""Ends its process without a word. Expected: host, as a seat without isolation cannot be told from the worker."""

import os

from arena.agent import Agent, View


class Dies(Agent):
    def act(self, view: View) -> str:
        os._exit(9)
