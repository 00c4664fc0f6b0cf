"""Plays an action that is not legal. Expected: illegal for this seat, the match is played to its end."""

from arena.agent import Agent, View


class Illegal(Agent):
    def act(self, view: View) -> str:
        return "field 99"
