"""Calls sys.exit in the middle of a match. Expected: crash; the worker goes on."""

import sys

from arena.agent import Agent, View


class Exits(Agent):
    def act(self, view: View) -> str:
        sys.exit(3)
