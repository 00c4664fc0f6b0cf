"""Plays by a counter of its module: state that leaked from match to match would change the results."""

from arena.agent import Agent, View

calls = 0


class CountingBot(Agent):
    def act(self, view: View) -> str:
        global calls  # noqa: PLW0603
        calls += 1
        return view.legal[calls % len(view.legal)]
