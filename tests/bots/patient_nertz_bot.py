"""Plays Nertz like the greedy house bot, after a pause: `params` name the seconds."""

import time

from arena.agent import Agent, View

ORDER = ("call", "nertz found", "waste found", "work found", "nertz work", "waste work", "flip", "wait")


class Patient(Agent):
    games = ("nertz",)

    def act(self, view: View) -> str:
        time.sleep(self.params.get("pause", 0.0))
        kinds = {" ".join(word for word in action.split() if not word.isdigit()): action for action in reversed(view.legal)}
        return next(kinds[name] for name in ORDER if name in kinds)
