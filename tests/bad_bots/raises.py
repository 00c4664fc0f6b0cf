"""Raises. Expected: crash, with the line in the note."""

from arena.agent import Agent, View


class Raises(Agent):
    def act(self, view: View) -> str:
        raise ValueError("no idea")
