"""Prints the number of the device that its own file is on."""

from pathlib import Path

from arena.agent import Agent, View


class TellingBot(Agent):
    """Plays the first legal action."""

    wants_forced = True
    has_told = False

    def act(self, view: View) -> object:
        if not self.has_told:
            print("device", Path(__file__).stat().st_dev)
            self.has_told = True
        return view.legal[0]
