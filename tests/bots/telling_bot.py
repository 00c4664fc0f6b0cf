"""Prints the number of the device that its own file is on."""

from pathlib import Path

from arena.agent import Agent, View


class TellingBot(Agent):
    """Plays the first legal action."""

    wants_forced = True
    device = Path(__file__).stat().st_dev

    def act(self, view: View) -> object:
        if self.device:
            print("device", self.device)
            self.device = 0
        return view.legal[0]
