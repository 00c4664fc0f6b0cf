"""Raises when the match starts. Expected: startup."""

from arena.agent import Agent, StartInfo


class FailsAtStart(Agent):
    def start(self, info: StartInfo) -> None:
        raise RuntimeError("not today")
