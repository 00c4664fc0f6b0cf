"""Plays by the iteration order of a set of texts: it changes with the interpreter's hash seed."""

from arena.agent import Agent, View


class SetBot(Agent):
    def act(self, view: View) -> str:
        return next(iter(set(view.legal)))
