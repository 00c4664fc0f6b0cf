"""A bot of several files, with a weights file."""

from pathlib import Path

from arena.agent import Agent, View

from .choice import choose

WEIGHTS = [int(line) for line in (Path(__file__).parent / "weights.txt").read_text().split()]


class FolderBot(Agent):
    def act(self, view: View) -> str:
        return choose(view.legal, WEIGHTS)
